/*
 * nearest.h
 *	  Rows nearest to the query by the vector index of a facts table.
 */
#ifndef GRAPH_NEAREST_H
#define GRAPH_NEAREST_H

#include "utils/float.h"

#include "graph/facts.h"
#include "hnsw/scan/seedscan.h"
#include "topk.h"

typedef struct NearestScan
{
	Relation	index;
	SeedScan   *scan;
	bool		by_index;		/* rows of other relations do not come */
} NearestScan;

/*
 * Choose and open the index that sorted_heap.graph_seeds allows; NULL where
 * there is none, or where only an exact scan has the right answer, which may be
 * an error: a query of other dimensions than the index, or without a direction.
 * An error where the setting insists on an index.
 */
extern Relation nearest_index_open(Relation rel, const FactColumns *columns,
								   const FactFilter *filter, const DistQuery *query,
								   Snapshot snapshot);

/* Starts with the rows that pass the filter, as far as the index knows. At
 * least `count` will be wanted. */
extern void nearest_begin(NearestScan *nearest, Relation rel, Relation index,
						  const FactColumns *columns, const FactFilter *filter,
						  const DistQuery *query, Snapshot snapshot, uint32 count);

/* The next row: as a rule the next nearest, never one twice. */
static inline bool
nearest_next(NearestScan *nearest, SeedRow *row)
{
	return seedscan_next(nearest->scan, false, row);
}

/* Did it end before all rows were found? */
static inline bool
nearest_bounded(const NearestScan *nearest)
{
	return seedscan_stats(nearest->scan)->bounded;
}

/* How the index was read; a literal. */
static inline const char *
nearest_method(const NearestScan *nearest)
{
	return seedscan_stats(nearest->scan)->flat ? "index scan, flat" :
		"index scan, graph";
}

/* How it went, for statistics. */
extern void nearest_search(const NearestScan *nearest, FactSearch *search);

/* How far away the last of so many nearest rows is, as far as rows were seen. */
typedef struct NearestBound
{
	uint32		count;			/* of the rows wanted */
	uint64		passed;			/* rows seen */
	Topk		heap;
} NearestBound;

extern void nearest_bound_init(NearestBound *bound, uint32 count);
extern void nearest_bound_saw(NearestBound *bound, const FactRow *row);

/* Infinite until so many were seen. */
static inline double
nearest_bound(const NearestBound *bound)
{
	return bound->heap.count < bound->count ? get_float8_infinity() :
		bound->heap.items[0].dist;
}

/* Closes the index, too. */
extern void nearest_end(NearestScan *nearest);

#endif							/* GRAPH_NEAREST_H */
