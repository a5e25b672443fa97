/*
 * graph.h
 *	  A graph of the core over memory of its own, for Go.
 */
#ifndef CCORE_GRAPH_H
#define CCORE_GRAPH_H

#include "../../pgext/core/dist.h"
#include "../../pgext/core/hnsw_form.h"
#include "../../pgext/core/hnsw_place.h"
#include "../../pgext/core/topk.h"

typedef struct CcoreGraph CcoreGraph;

typedef struct CcoreGraphShape
{
	DistMetric	metric;
	HnswElement element;
	uint32_t	dim;
	uint32_t	nnodes;
	uint64_t	seed;
	HnswParams	params;
} CcoreGraphShape;

/* What a walk cost. */
typedef struct CcoreWalk
{
	uint64_t	evaluated;		/* distances on level 0 */
	uint64_t	expanded;		/* lists of links read there */
} CcoreWalk;

/* A graph with records but no node inserted yet; NULL without memory. *refused
 * is the number of the first row that has no distance, or nnodes. */
extern CcoreGraph *ccore_graph_new(CcoreGraphShape shape, const float *rows, uint32_t *refused);

/* Insert the nodes first to last - 1. */
extern CoreStatus ccore_graph_insert(CcoreGraph *graph, uint32_t first, uint32_t last);

/* After the last node: cut lists, attach all nodes. */
extern CoreStatus ccore_graph_finish(CcoreGraph *graph);

/*
 * The k nearest rows by exact distance among the ef that a walk finds; `items`
 * has room for k, *count says how many there are: none where the query has no
 * distance.
 */
extern CoreStatus ccore_graph_search(CcoreGraph *graph, const float *rows, const float *query,
									 uint32_t ef, uint32_t k, TopkItem *items,
									 uint32_t *count, CcoreWalk *walk);

/* Number of faults that the checker reports, -1 without memory. */
extern int64_t ccore_graph_faults(CcoreGraph *graph);

extern void ccore_graph_free(CcoreGraph *graph);

#endif							/* CCORE_GRAPH_H */
