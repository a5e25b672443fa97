/*
 * scanstats.h
 *	  What lookups in zone maps saved this backend.
 */
#ifndef ZONE_SCANSTATS_H
#define ZONE_SCANSTATS_H

#include "zone/zonemap.h"

/* Count a lookup over a heap of this size; one that gave up has no blocks. */
extern void scanstats_count(BlockNumber heap_blocks, const ZoneBlocks *blocks,
							bool answered);

#endif							/* ZONE_SCANSTATS_H */
