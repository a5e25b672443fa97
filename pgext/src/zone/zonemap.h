/*
 * zonemap.h
 *	  Reading the zone map: which blocks can hold these keys?
 *
 * The rule for callers: have the snapshot first, then open the map, look up and
 * read the blocks, all under one lock on the heap (AccessShareLock will do) and
 * with that snapshot. Never keep an answer for another snapshot, and never ask
 * at plan time. The index must be valid (zonemap_usable), and its recheck is
 * the caller's: blocks are only candidates.
 *
 * A lookup locks one map page at a time, shared, and visits each at most once
 * whatever the number of ranges.
 */
#ifndef ZONE_ZONEMAP_H
#define ZONE_ZONEMAP_H

#include "storage/block.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "zone/image.h"

typedef struct ZoneMap ZoneMap;

/* Consecutive blocks of one sort. */
typedef struct ZoneRun
{
	BlockNumber first;
	BlockNumber count;
	bool		searched;		/* nothing is known of them: every lookup
								 * returns them */
} ZoneRun;

/* An answer: runs in ascending order, palloc'd by the lookup. */
typedef struct ZoneBlocks
{
	ZoneRun    *runs;
	int			nruns;
	int			capacity;
	BlockNumber bounded_blocks;
	BlockNumber searched_blocks;
} ZoneBlocks;

/* No bound on the searched blocks of an answer. */
#define ZONE_SEARCH_ANY MaxBlockNumber

/*
 * May the index answer for this snapshot? What the planner checks of an index:
 * it is a zone map, valid, and not hidden from old snapshots.
 */
extern bool zonemap_usable(Relation index, Snapshot snapshot);

/* Reads the size of the heap. The caller holds locks on both relations. */
extern ZoneMap *zonemap_open(Relation heap, Relation index, Snapshot snapshot);
extern void zonemap_close(ZoneMap *map);

/* The columns behind the pairs. */
extern const ZoneKey *zonemap_key(const ZoneMap *map);

/*
 * The range of rows with this first column, and this second column unless
 * second is NULL. Values are of the types given, which must be those of the
 * columns or, for integers, any integer type.
 */
extern ZoneRange zonemap_equal_range(const ZoneMap *map,
									 Datum first, Oid first_type,
									 const Datum *second, Oid second_type);

/* Sort ranges, drop empty ones and merge those that overlap; returns the new
 * count. */
extern int	zone_ranges_normalize(ZoneRange *ranges, int nranges);

/*
 * Blocks that can hold rows in the ranges, which are normalized. Gives up and
 * returns false as soon as more than searched_limit blocks are searched ones;
 * the answer is of no use then.
 */
extern bool zonemap_lookup(ZoneMap *map, const ZoneRange *ranges, int nranges,
						   BlockNumber searched_limit, ZoneBlocks *blocks);

#endif							/* ZONE_ZONEMAP_H */
