/*
 * knn.c
 *	  The inner loops of exact nearest neighbours.
 */
#include "knn.h"

static void
offer_to_query(const KnnBlock *block, const float *query, const float *rows,
			   Topk *heap)
{
	DistQuery	dq;

	dist_query_init(&dq, block->metric, query, block->dim);
	for (uint64_t row = 0; row < block->nrows; row++)
	{
		TopkItem	item = {0};

		item.dist = dist_query_f32(&dq, rows + row * block->dim);
		item.ref = block->first + row;
		if (item.dist == item.dist)
			topk_push(heap, &item);
	}
}

void
knn_offer(KnnBlock block, const float *queries, const float *rows,
		  TopkItem *items, uint32_t *counts)
{
	for (uint32_t i = 0; i < block.nqueries; i++)
	{
		Topk		heap;

		topk_init(&heap, items + (uint64_t) i * block.k, block.k);
		heap.count = counts[i];
		offer_to_query(&block, queries + (uint64_t) i * block.dim, rows, &heap);
		counts[i] = heap.count;
	}
}

void
knn_sort(TopkItem *items, uint32_t count)
{
	Topk		heap = {items, count, count};

	topk_sort(&heap);
}
