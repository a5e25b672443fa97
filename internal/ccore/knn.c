/*
 * knn.c
 *	  The inner loops of exact nearest neighbours.
 */
#include "knn.h"

/* Rows that all queries meet before the next come. */
#define RUN_ROWS 128

/* Some of a block's rows: where they are, and what cosine knows of them. */
typedef struct Run
{
	uint64_t	first;			/* the first one's number */
	uint32_t	count;
	const float *rows[RUN_ROWS];
	float		squares[RUN_ROWS];
} Run;

static void
offer_run(const DistQuery *dq, const Run *run, Topk *heap)
{
	double		distances[RUN_ROWS];

	dist_query_f32_many(dq, run->rows, dq->metric == DIST_COSINE ? run->squares : NULL,
						run->count, distances);
	for (uint32_t i = 0; i < run->count; i++)
	{
		TopkItem	item = {0};

		item.dist = distances[i];
		item.ref = run->first + i;
		if (item.dist == item.dist)
			topk_push(heap, &item);
	}
}

void
knn_offer(KnnBlock block, const float *queries, const float *rows,
		  TopkItem *items, uint32_t *counts)
{
	const DistKernels *kernels = dist_kernels();

	for (uint64_t row = 0; row < block.nrows; row += RUN_ROWS)
	{
		uint64_t	rest = block.nrows - row;
		Run			run;

		run.first = block.first + row;
		run.count = rest < RUN_ROWS ? (uint32_t) rest : RUN_ROWS;
		for (uint32_t i = 0; i < run.count; i++)
		{
			run.rows[i] = rows + (row + i) * block.dim;
			if (block.metric == DIST_COSINE)
				run.squares[i] = kernels->dot_f32(run.rows[i], run.rows[i], block.dim);
		}
		for (uint32_t i = 0; i < block.nqueries; i++)
		{
			DistQuery	dq;
			Topk		heap;

			dist_query_init(&dq, block.metric, queries + (uint64_t) i * block.dim, block.dim);
			topk_init(&heap, items + (uint64_t) i * block.k, block.k);
			heap.count = counts[i];
			offer_run(&dq, &run, &heap);
			counts[i] = heap.count;
		}
	}
}

void
knn_sort(TopkItem *items, uint32_t count)
{
	Topk		heap = {items, count, count};

	topk_sort(&heap);
}
