/*
 * copy.c
 *	  Images made of test graphs.
 */
#include "copy.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static bool
is_row(const void *slot)
{
	return ((const CopySlot *) slot)->is_row != 0;
}

void *
copy_block(size_t bytes)
{
	return aligned_alloc(HNSW_IMAGE_LINE, bytes);
}

static HnswImageShape
shape_of(const Graph *graph, uint32_t max_strays)
{
	uint32_t	m = graph->spec.params.m;
	HnswImageShape shape = {0};

	shape.nnodes = graph->spec.nnodes;
	shape.m = m;
	shape.nlinks_at = offsetof(CopySlot, nlinks);
	shape.links_at = sizeof(CopySlot);
	shape.next_at = offsetof(CopySlot, next);
	shape.record_at = shape.links_at + 2 * m * (uint32_t) sizeof(uint32_t);
	shape.slot_bytes = shape.record_at + (uint32_t) graph->arrays.record_bytes;
	for (uint32_t node = 0; node < shape.nnodes; node++)
		shape.upper_lists += graph->arrays.levels[node];
	shape.max_strays = max_strays;
	return shape;
}

static void
copy_node(Copy *copy, uint32_t node)
{
	const Graph *graph = copy->graph;
	CopySlot   *slot = (CopySlot *) hnsw_image_slot(&copy->image, node);
	uint32_t	links[HNSW_MAX_LINKS];
	int			level = graph->arrays.levels[node];

	slot->is_row = 1;
	slot->next = HNSW_NO_NODE;
	slot->nlinks = (uint16_t) graph->store.links(graph->store.state, node, 0,
												 (uint32_t *) (slot + 1));
	memcpy((char *) slot + copy->image.shape.record_at,
		   graph->store.vector(graph->store.state, node), graph->arrays.record_bytes);
	hnsw_image_add(&copy->image, node, true);
	CHECK(level == 0 || hnsw_image_raise(&copy->image, node, level), "node %u", node);
	for (int at = 1; at <= level; at++)
	{
		uint32_t	count = graph->store.links(graph->store.state, node, at, links);

		hnsw_image_set_links(&copy->image, node, at, links, count);
	}
}

Copy *
copy_new(const Graph *graph, const bool *left_out, uint32_t max_strays)
{
	Copy	   *copy = calloc(1, sizeof(Copy));
	HnswImageShape shape = shape_of(graph, max_strays);

	copy->graph = graph;
	CHECK(hnsw_image_bytes(&shape, &graph->arrays.form, &copy->bytes) == CORE_OK, "bytes");
	copy->block = copy_block(copy->bytes);
	memset(copy->block, 0xA5, copy->bytes);
	hnsw_image_format(copy->block, &shape, &graph->arrays.form);
	copy->image = hnsw_image_attach(copy->block, &graph->arrays.form);
	copy->store = hnsw_image_store(&copy->image);
	for (uint32_t node = 0; node < shape.nnodes; node++)
	{
		if (left_out == NULL || !left_out[node])
			copy_node(copy, node);
	}
	return copy;
}

CoreStatus
copy_finish(Copy *copy, HnswEntry entry, Arena *arena)
{
	return copy_finish_or_stop(copy, entry, arena, NULL, NULL);
}

CoreStatus
copy_finish_or_stop(Copy *copy, HnswEntry entry, Arena *arena, CoreStopFn stop,
					void *stop_state)
{
	return hnsw_image_finish(&copy->image, entry, is_row, arena_alloc(arena), stop,
							 stop_state);
}

void
copy_drop(Copy *copy)
{
	free(copy->block);
	free(copy);
}
