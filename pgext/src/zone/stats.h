/*
 * stats.h
 *	  What a zone map holds, counted.
 */
#ifndef ZONE_STATS_H
#define ZONE_STATS_H

#include "utils/relcache.h"

#include "zone/page.h"

typedef struct ZoneStats
{
	BlockNumber heap_blocks;
	int64		states[ZONE_STATES];	/* of these blocks */
	int64		chains;
	int64		widens;
	ZonePair	chain_end;		/* of the last block in a chain */
} ZoneStats;

/*
 * Zone pages are looked at one after the other; under writers the counts are
 * those of slightly different moments.
 */
extern void zone_stats_collect(Relation heap, Relation index,
							   ZoneStats *stats);

#endif							/* ZONE_STATS_H */
