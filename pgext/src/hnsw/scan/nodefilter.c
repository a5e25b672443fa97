/*
 * nodefilter.c
 *	  Which nodes a scan's conditions let through.
 *
 * A node passes when its own row or that of a twin may meet them. Each row is
 * asked again when it is taken.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "hnsw/scan/nodefilter.h"

/* Pages that tell how many rows pass: spread over all, for numbers near each
 * other hold vectors, and often rows, that are alike. */
#define SAMPLE_PAGES 32

static bool
node_passes(NodeFilter *filter, const HnswMap *map, uint32 number)
{
	HnswNode   *node = hnsw_store_lock(filter->store, number);
	uint32		left = hnsw_map_nodes(map); /* a chain may be damaged */
	bool		passes;

	if (node != NULL && hnsw_node_state(node) == HNSW_NODE_TWIN)
		return nodefilter_row(&map->shape, filter->conditions, node);
	if (node == NULL || !hnsw_node_in_graph(node))
		return false;
	passes = nodefilter_row(&map->shape, filter->conditions, node);
	while (!passes)
	{
		if (node->twin == HNSW_NO_NODE || left-- == 0)
			return false;
		node = hnsw_store_lock_linked(filter->store, node->twin);
		if (node == NULL || !nodefilter_is_twin(node))
			return false;
		passes = nodefilter_twin(&map->shape, filter->conditions, node);
	}
	return true;
}

static void
filter_pass(void *state, const uint32_t *nodes, uint32_t count, bool *out)
{
	NodeFilter *filter = state;
	const HnswMap *map = hnsw_store_map(filter->store);

	for (uint32_t i = 0; i < count; i++)
		out[i] = node_passes(filter, map, nodes[i]);
	hnsw_store_unlock(filter->store);
}

void
nodefilter_init(NodeFilter *filter, HnswPageStore *store, const HnswConditions *conditions)
{
	filter->core.pass = filter_pass;
	filter->core.state = filter;
	filter->core.wide = false;
	filter->store = store;
	filter->conditions = conditions;
}

double
nodefilter_share(const NodeFilter *filter, const HnswMap *map)
{
	uint32		npages = map->npages[HNSW_SPACE_NODES];
	uint32		per_page = map->shape.per_page[HNSW_SPACE_NODES];
	uint32		nsampled = Min(npages, SAMPLE_PAGES);
	double		rows = 0;
	double		passed = 0;

	for (uint32 i = 0; i < nsampled; i++)
	{
		uint32		first = (uint32) ((uint64) npages * i / nsampled) * per_page;

		CHECK_FOR_INTERRUPTS();
		for (uint32 slot = 0; slot < per_page; slot++)
		{
			HnswNode   *node = hnsw_store_lock(filter->store, first + slot);

			if (node == NULL)
				break;
			rows += nodefilter_row(&map->shape, NULL, node);
			passed += nodefilter_row(&map->shape, filter->conditions, node);
		}
		hnsw_store_unlock(filter->store);
	}
	return (passed + 0.5) / (rows + 0.5);
}
