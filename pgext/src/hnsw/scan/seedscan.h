/*
 * seedscan.h
 *	  (index, query vector, snapshot) -> rows nearest first, without the
 *	  executor. amgettuple and the graph functions' seeds are both its callers.
 */
#ifndef HNSW_SEEDSCAN_H
#define HNSW_SEEDSCAN_H

#include "access/skey.h"
#include "utils/snapshot.h"

#include "hnsw/scan/scanstats.h"

typedef struct SeedScan SeedScan;

typedef struct SeedRow
{
	ItemPointerData tid;		/* as the index has it: the start of a HOT
								 * chain */
	double		distance;		/* exact, as the operator gives it */
} SeedRow;

/*
 * Can the index answer a query under this snapshot? It is one of ours, valid,
 * not partial, not hidden from old snapshots, and orders this column of the
 * table, as it is, by the metric.
 */
extern bool seedscan_serves(Relation index, AttrNumber column, DistMetric metric,
							Snapshot snapshot);

/* Dimensions of the vectors in an index that serves. */
extern uint32 seedscan_dim(Relation index);

/*
 * A scan of a valid index under an MVCC snapshot, which is an error otherwise; both relations stay open and
 * locked until it ends. Takes the predicate lock on the index.
 */
extern SeedScan *seedscan_begin(Relation heap, Relation index, Snapshot snapshot);

/* What the index is made of; lives as long as the scan. */
extern const HnswShape *seedscan_shape(const SeedScan *scan);

/* Starts from here on end when the first walk's nodes are used up. */
extern void seedscan_walk_once(SeedScan *scan);

/* Start with a query of the index's dimensions (NULL: no order, all rows) and
 * conditions on the columns after the vector, as ScanKeys of the index. `ef` is
 * how many nodes the first walk keeps, `wanted` how many rows the caller will have at
 * least, as far as he knows: a flat pass misses nothing, so it gives a quarter more
 * first. */
extern void seedscan_start(SeedScan *scan, const float *query, ScanKey keys, int nkeys,
						   uint32 ef, uint32 wanted);

/*
 * The next row that the snapshot sees; false when there is no more. Strict:
 * distances never descend (a row found too late is left out); relaxed: a row found late
 * comes late.
 */
extern bool seedscan_next(SeedScan *scan, bool strict, SeedRow *row);

/*
 * For a caller who wants many rows in no order, and reads them himself in a better
 * one than a scan could: TIDs of up to `room` rows that were not given before and
 * may be as near as `bound`. When none is left, *beyond tells that all others
 * found are farther, and those not found yet should be; else it takes
 * seedscan_next() to tell.
 */
extern int	seedscan_take(SeedScan *scan, double bound, ItemPointerData *tids, int room,
						  bool *beyond);

/* What the index alone knows of a row that was found. */
typedef struct SeedEntry
{
	ItemPointerData tid;
	bool		known;			/* is the value */
	bool		isnull;
	Datum		value;			/* of the column asked for */
} SeedEntry;

/* Where an index keeps a column of its table in a way that entries can give back; 0
 * where it does not. */
extern AttrNumber seedscan_entry_column(SeedScan *scan, AttrNumber column);

/*
 * Rows that are certain to be among the nearest `count` of those found, by what the
 * index tells: which of them exist, the caller finds out (seedscan_is_current), and
 * which he reads, he counts. They are not given any more. To be asked before any other
 * row was given. The column is seedscan_entry_column's, or 0. Returns how many they are,
 * fewer than `count`; the array is the caller's.
 */
extern int	seedscan_take_certain(SeedScan *scan, uint32 count, AttrNumber column,
								  SeedEntry **entries);
extern void seedscan_count_read(SeedScan *scan, uint64 rows);

/* Has VACUUM taken no row out of the index, and moved none, since the scan's start?
 * Asked after the visibility map was. */
extern bool seedscan_is_current(const SeedScan *scan);

/* Must the caller test the conditions again? */
extern bool seedscan_recheck(const SeedScan *scan);

extern const SeedScanStats *seedscan_stats(const SeedScan *scan);

extern void seedscan_end(SeedScan *scan);

#endif							/* HNSW_SEEDSCAN_H */
