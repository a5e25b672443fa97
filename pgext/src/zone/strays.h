/*
 * strays.h
 *	  Rows out of key order, by what the zone map knows of the rest.
 */
#ifndef ZONE_STRAYS_H
#define ZONE_STRAYS_H

#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "tablemaps.h"

typedef enum RunTreatment
{
	RUNS_STAY,					/* rows that are in order but start over stay */
	RUNS_STRAY					/* they are strays */
} RunTreatment;

/*
 * Fill in the strays of a table (tablemaps.h has the words), reading only the
 * map and the blocks it cannot place. The caller's lock on the heap keeps it
 * from being truncated. Counts are exact when nobody writes, an estimate else.
 * The lists stay within about maintenance_work_mem; where they would not,
 * overflow is set and only the counts mean something.
 */
extern void zone_find_strays(Relation heap, Relation index, Snapshot snapshot,
							 RunTreatment runs, StrayRows *strays);

/* Turn entries with these blocks, ascending, into OPEN: to be read again. */
extern void zone_reopen(Relation index, const BlockNumber *blocks,
						BlockNumber nblocks);

#endif							/* ZONE_STRAYS_H */
