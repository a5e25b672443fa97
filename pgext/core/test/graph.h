/*
 * graph.h
 *	  Graphs to test on: vectors of a kind, built in arrays, and exact answers.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include "../hnsw_arrays.h"
#include "../hnsw_check.h"
#include "../hnsw_search.h"

typedef enum VectorKind
{
	VECTORS_UNIFORM,			/* every component on its own */
	VECTORS_CLUSTERED,			/* around a centre for each fifty */
	VECTORS_EQUAL,				/* a few distinct ones, many times over */
	VECTORS_POSITIVE			/* products of two in [0, 1): by inner product
								 * few are the nearest of nearly all */
} VectorKind;

typedef struct GraphSpec
{
	DistMetric	metric;
	HnswElement element;
	VectorKind	kind;
	uint32_t	nnodes;
	uint32_t	dim;
	HnswParams	params;
} GraphSpec;

typedef struct Graph
{
	GraphSpec	spec;
	size_t		block_bytes;
	void	   *block;
	char	   *records;
	HnswArrays	arrays;
	HnswStore	store;			/* over `arrays` of this very struct */
	HnswPlacer	placer;
} Graph;

/* Memory for the core in tests: freed all at once, or refused. */
typedef struct Arena
{
	void	  **blocks;
	int			count;
	int			refuse_after;	/* < 0: never */
} Arena;

extern CoreAlloc arena_alloc(Arena *arena);
extern void arena_drop(Arena *arena);

/* Vectors and a graph without nodes; then all nodes in it, finished and with
 * every node attached. */
extern Graph *graph_new(const GraphSpec *spec, Arena *arena);
extern Graph *graph_build(const GraphSpec *spec, Arena *arena);
extern void graph_drop(Graph *graph);

/* A query of the same kind, as a record; the caller frees it. */
extern void *graph_query(const Graph *graph, uint64_t seed);

/* The k nearest by the form's own distances among nodes that pass (NULL: all),
 * sorted; returns how many. */
extern uint32_t graph_exact(const Graph *graph, const void *query, const bool *passes,
							uint32_t k, HnswKey *out);

/* How many of the found are as near as the expected are; ties are fair. */
extern uint32_t graph_common(const HnswKey *expected, uint32_t nexpected,
							 const HnswKey *found, uint32_t nfound);

/* Number of faults that hnsw_check reports, and the first of them; `dead`
 * (NULL: none) are not nodes. */
extern int	graph_faults(const Graph *graph, const bool *dead, Arena *arena,
						 HnswFault *first);

#endif							/* GRAPH_H */
