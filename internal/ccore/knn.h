/*
 * knn.h
 *	  Exact nearest neighbours of several queries, a block of rows at a time.
 *
 * One call from Go handles many products, because crossing the border costs as
 * much as one. The block is meant to stay in cache while the queries pass over
 * it. Nothing here holds a pointer between calls: Go may move or drop what it
 * passed.
 */
#ifndef KNN_H
#define KNN_H

#include "../../pgext/core/dist.h"
#include "../../pgext/core/topk.h"

typedef struct KnnBlock
{
	DistMetric	metric;
	uint32_t	dim;
	uint32_t	k;				/* >= 1 */
	uint32_t	nqueries;
	uint64_t	first;			/* number of the block's first row */
	uint64_t	nrows;			/* rows in the block */
} KnnBlock;

/*
 * Offer the block's rows to each query's heap. Query i keeps its counts[i]
 * items from items[i * k] on; `ref` of an item is the row's number, which also
 * breaks ties. Rows at distance NaN are left out.
 */
extern void knn_offer(KnnBlock block, const float *queries, const float *rows,
					  TopkItem *items, uint32_t *counts);

/* Put the items of one query in order, nearest first. */
extern void knn_sort(TopkItem *items, uint32_t count);

#endif							/* KNN_H */
