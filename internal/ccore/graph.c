/*
 * graph.c
 *	  A graph of the core over memory of its own, for Go.
 *
 * The core frees nothing: what it asks for is kept in a list and freed with the
 * graph.
 */
#include "graph.h"

#include <stdlib.h>

#include "../../pgext/core/hnsw_arrays.h"
#include "../../pgext/core/hnsw_check.h"
#include "../../pgext/core/hnsw_reach.h"

typedef struct Block
{
	struct Block *next;
} Block;

struct CcoreGraph
{
	CcoreGraphShape shape;
	Block	   *blocks;
	HnswArrays	arrays;
	HnswPlacer	placer;
	HnswSearch	search;
	int64_t		faults;			/* counted by ccore_graph_faults */
};

static void *
take_block(void *state, size_t size)
{
	CcoreGraph *graph = state;
	Block	   *block = malloc(sizeof(Block) + size);

	if (block == NULL)
		return NULL;
	block->next = graph->blocks;
	graph->blocks = block;
	return block + 1;
}

static CoreAlloc
graph_alloc(CcoreGraph *graph)
{
	CoreAlloc	alloc = {take_block, graph, NULL};

	return alloc;
}

void
ccore_graph_free(CcoreGraph *graph)
{
	while (graph != NULL && graph->blocks != NULL)
	{
		Block	   *block = graph->blocks;

		graph->blocks = block->next;
		free(block);
	}
	free(graph);
}

/* The number of the first row without a distance, or nnodes. */
static uint32_t
encode_rows(const CcoreGraphShape *shape, const HnswForm *form, const float *rows,
			char *records)
{
	size_t		bytes = hnsw_form_bytes(form);

	for (uint32_t i = 0; i < shape->nnodes; i++)
	{
		if (!hnsw_form_encode(form, rows + (size_t) i * shape->dim, records + i * bytes))
			return i;
	}
	return shape->nnodes;
}

CcoreGraph *
ccore_graph_new(CcoreGraphShape shape, const float *rows, uint32_t *refused)
{
	CcoreGraph *graph = calloc(1, sizeof(CcoreGraph));
	HnswForm	form = hnsw_form(shape.metric, shape.element, shape.dim);
	size_t		record_bytes = hnsw_form_bytes(&form);
	size_t		block_bytes;
	size_t		all_records;
	void	   *block = NULL;
	char	   *records = NULL;

	if (graph == NULL)
		return NULL;
	graph->shape = shape;
	if (hnsw_arrays_bytes(shape.nnodes, shape.params.m, shape.seed, &block_bytes) == CORE_OK &&
		core_mul_size(record_bytes, shape.nnodes, &all_records))
	{
		block = take_block(graph, block_bytes);
		records = take_block(graph, all_records);
	}
	if (block == NULL || records == NULL ||
		hnsw_placer_init(&graph->placer, shape.params, graph_alloc(graph), NULL, NULL) != CORE_OK)
	{
		ccore_graph_free(graph);
		return NULL;
	}
	*refused = encode_rows(&shape, &form, rows, records);
	hnsw_arrays_format(block, shape.nnodes, shape.params.m, shape.seed);
	graph->arrays = hnsw_arrays_attach(block, form, records, record_bytes, NULL);
	hnsw_search_init(&graph->search, graph_alloc(graph), NULL, NULL);
	return graph;
}

CoreStatus
ccore_graph_insert(CcoreGraph *graph, uint32_t first, uint32_t last)
{
	CoreStatus	status = CORE_OK;

	for (uint32_t node = first; node < last && status == CORE_OK; node++)
		status = hnsw_arrays_insert(&graph->arrays, &graph->placer, node);
	return status;
}

CoreStatus
ccore_graph_finish(CcoreGraph *graph)
{
	size_t		bytes = ((size_t) graph->shape.nnodes + 1) * sizeof(uint32_t);
	uint32_t   *order = take_block(graph, bytes);
	uint32_t   *parent = take_block(graph, bytes);
	CoreStatus	status;

	if (order == NULL || parent == NULL)
		return CORE_NO_MEMORY;
	status = hnsw_arrays_finish(&graph->arrays, &graph->placer);
	if (status == CORE_OK)
		status = hnsw_attach_all(&graph->arrays, &graph->placer, order, parent);
	return status;
}

CoreStatus
ccore_graph_search(CcoreGraph *graph, const float *rows, const float *query,
				   uint32_t ef, uint32_t k, TopkItem *items, uint32_t *count,
				   CcoreWalk *walk)
{
	HnswSearch *search = &graph->search;
	HnswStore	store = hnsw_arrays_store(&graph->arrays);
	uint32_t	dim = graph->shape.dim;
	void	   *record = malloc(hnsw_form_bytes(&graph->arrays.form));
	const HnswKey *found;
	uint32_t	nfound = 0;
	CoreStatus	status = CORE_OK;
	Topk		heap;

	topk_init(&heap, items, k);
	if (record == NULL)
		return CORE_NO_MEMORY;
	if (hnsw_form_encode(&graph->arrays.form, query, record))
	{
		status = hnsw_search_start(search, &store, record, hnsw_arrays_entry(&graph->arrays), ef);
		if (status == CORE_OK)
			status = hnsw_search_take(search, &found, &nfound);
	}
	for (uint32_t i = 0; status == CORE_OK && i < nfound; i++)
	{
		TopkItem	item = {0};

		item.ref = hnsw_key_node(found[i]);
		item.dist = dist_f32(graph->shape.metric, query, rows + item.ref * dim, dim);
		topk_push(&heap, &item);
	}
	free(record);
	topk_sort(&heap);
	*count = heap.count;
	walk->evaluated = search->evaluated;
	walk->expanded = search->expanded;
	return status;
}

static void
count_fault(void *state, const HnswFault *fault)
{
	(void) fault;
	((CcoreGraph *) state)->faults++;
}

static int
level_of(void *state, uint32_t node)
{
	return ((CcoreGraph *) state)->arrays.levels[node];
}

int64_t
ccore_graph_faults(CcoreGraph *graph)
{
	HnswCheck	check = {0};

	graph->faults = 0;
	check.store = hnsw_arrays_store(&graph->arrays);
	check.entry = hnsw_arrays_entry(&graph->arrays);
	check.m = graph->shape.params.m;
	check.nnodes = graph->shape.nnodes;
	check.level = level_of;
	check.report = count_fault;
	check.state = graph;
	return hnsw_check(&check, graph_alloc(graph)) == CORE_OK ? graph->faults : -1;
}
