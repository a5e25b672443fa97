/*
 * graph.c
 *	  Graphs to test on.
 */
#include "graph.h"

#include <math.h>
#include <stdlib.h>

#include "../hnsw_reach.h"
#include "random.h"

#define CLUSTER_SIZE 50
#define NDISTINCT 7

static void *
arena_get(void *state, size_t size)
{
	Arena	   *arena = state;
	void	   *block;

	if (arena->refuse_after >= 0 && arena->count >= arena->refuse_after)
		return NULL;
	block = malloc(size);
	arena->blocks = realloc(arena->blocks, (size_t) (arena->count + 1) * sizeof(void *));
	arena->blocks[arena->count++] = block;
	return block;
}

CoreAlloc
arena_alloc(Arena *arena)
{
	CoreAlloc	alloc = {arena_get, arena, NULL};

	return alloc;
}

void
arena_drop(Arena *arena)
{
	for (int i = 0; i < arena->count; i++)
		free(arena->blocks[i]);
	free(arena->blocks);
	arena->blocks = NULL;
	arena->count = 0;
}

/* Vector number `number`, around centre number `centre` where there are any. */
static void
encode(const Graph *graph, uint64_t centre, uint64_t number, void *record)
{
	const GraphSpec *spec = &graph->spec;
	float	   *vector = malloc(spec->dim * sizeof(float));
	Random		own = {number * 7919 + 1};
	Random		around = {centre * 104729 + 3};

	if (spec->kind == VECTORS_EQUAL)
		own.state = number % NDISTINCT;
	for (uint32_t i = 0; i < spec->dim; i++)
	{
		double		x = random_signed_unit(&own);

		if (spec->kind == VECTORS_CLUSTERED)
			x = random_signed_unit(&around) + 0.2 * x;
		if (spec->kind == VECTORS_POSITIVE)
			x = fabs(x * random_signed_unit(&own));
		vector[i] = (float) x;
	}
	if (!hnsw_form_encode(&graph->arrays.form, vector, record))
		abort();
	free(vector);
}

Graph *
graph_new(const GraphSpec *spec, Arena *arena)
{
	Graph	   *graph = calloc(1, sizeof(Graph));
	HnswForm	form = hnsw_form(spec->metric, spec->element, spec->dim);
	size_t		bytes = hnsw_form_bytes(&form);

	graph->spec = *spec;
	if (hnsw_arrays_bytes(spec->nnodes, spec->params.m, 1, &graph->block_bytes) != CORE_OK)
		abort();
	graph->block = malloc(graph->block_bytes);
	graph->records = malloc(bytes * spec->nnodes);
	hnsw_arrays_format(graph->block, spec->nnodes, spec->params.m, 1);
	graph->arrays = hnsw_arrays_attach(graph->block, form, graph->records, bytes, NULL);
	graph->store = hnsw_arrays_store(&graph->arrays);
	for (uint32_t node = 0; node < spec->nnodes; node++)
		encode(graph, node / CLUSTER_SIZE, node, graph->records + bytes * node);
	if (hnsw_placer_init(&graph->placer, spec->params, arena_alloc(arena), NULL, NULL) != CORE_OK)
		abort();
	return graph;
}

Graph *
graph_build(const GraphSpec *spec, Arena *arena)
{
	Graph	   *graph = graph_new(spec, arena);
	uint32_t   *order = malloc((spec->nnodes + 1) * sizeof(uint32_t));
	uint32_t   *parent = malloc((spec->nnodes + 1) * sizeof(uint32_t));

	for (uint32_t node = 0; node < spec->nnodes; node++)
	{
		if (hnsw_arrays_insert(&graph->arrays, &graph->placer, node) != CORE_OK)
			abort();
	}
	if (hnsw_arrays_finish(&graph->arrays, &graph->placer) != CORE_OK ||
		hnsw_attach_all(&graph->arrays, &graph->placer, order, parent) != CORE_OK)
		abort();
	free(order);
	free(parent);
	return graph;
}

void
graph_drop(Graph *graph)
{
	free(graph->block);
	free(graph->records);
	free(graph);
}

/* Numbers beyond the nodes', so that no query is a node but by its kind. */
void *
graph_query(const Graph *graph, uint64_t seed)
{
	void	   *record = malloc(hnsw_form_bytes(&graph->arrays.form));

	encode(graph, seed % (graph->spec.nnodes / CLUSTER_SIZE + 1),
		   seed + (UINT64_C(1) << 40), record);
	return record;
}

uint32_t
graph_exact(const Graph *graph, const void *query, const bool *passes,
			uint32_t k, HnswKey *out)
{
	HnswKey    *all = malloc((graph->spec.nnodes + 1) * sizeof(HnswKey));
	uint32_t	count = 0;

	for (uint32_t node = 0; node < graph->spec.nnodes; node++)
	{
		float		dist;

		if (passes != NULL && !passes[node])
			continue;
		graph->store.distances(graph->store.state, query, &node, 1, &dist);
		all[count++] = hnsw_key(dist, node);
	}
	hnsw_keys_sort(all, count);
	count = count < k ? count : k;
	memcpy(out, all, count * sizeof(HnswKey));
	free(all);
	return count;
}

uint32_t
graph_common(const HnswKey *expected, uint32_t nexpected, const HnswKey *found, uint32_t nfound)
{
	uint32_t	common = 0;

	/* By distance, so that ties are fair. */
	for (uint32_t i = 0; i < nfound && i < nexpected; i++)
		common += hnsw_key_dist(found[i]) <= hnsw_key_dist(expected[nexpected - 1]);
	return common;
}

typedef struct Faults
{
	const Graph *graph;
	const bool *dead;
	HnswFault  *first;
	int			count;
} Faults;

static void
note_fault(void *state, const HnswFault *fault)
{
	Faults	   *faults = state;

	if (faults->count++ == 0)
		*faults->first = *fault;
}

static int
level_of(void *state, uint32_t node)
{
	const Faults *faults = state;

	return faults->dead != NULL && faults->dead[node] ? -1
		: faults->graph->arrays.levels[node];
}

int
graph_faults(const Graph *graph, const bool *dead, Arena *arena, HnswFault *first)
{
	Faults		faults = {graph, dead, first, 0};
	HnswCheck	check = {0};

	check.store = graph->store;
	check.entry = hnsw_arrays_entry(&graph->arrays);
	check.m = graph->spec.params.m;
	check.nnodes = graph->spec.nnodes;
	check.level = level_of;
	check.report = note_fault;
	check.state = &faults;
	if (hnsw_check(&check, arena_alloc(arena)) != CORE_OK)
		abort();
	return faults.count;
}
