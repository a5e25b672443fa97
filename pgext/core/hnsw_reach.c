/*
 * hnsw_reach.c
 *	  Breadth-first order, and the attachment of nodes outside of it.
 *
 * The tree of parents proves that its nodes can be reached. A link that is none
 * of its edges may go without harm to the proof, so replacing such a link by one
 * to an outsider only adds to what is reached.
 */
#include "hnsw_reach.h"

/* Follow links from the nodes order[done] to order[count - 1] and all that they
 * lead to; returns the new count. */
static uint32_t
spread(const HnswStore *store, uint32_t done, uint32_t count, uint32_t *order,
	   uint32_t *parent)
{
	uint32_t	links[HNSW_MAX_LINKS];

	for (; done < count; done++)
	{
		uint32_t	nlinks = store->links(store->state, order[done], 0, links);

		for (uint32_t i = 0; i < nlinks; i++)
		{
			if (parent[links[i]] != HNSW_NO_NODE)
				continue;
			parent[links[i]] = order[done];
			order[count++] = links[i];
		}
	}
	return count;
}

uint32_t
hnsw_reach(const HnswStore *store, uint32_t start, uint32_t nnodes,
		   uint32_t *order, uint32_t *parent)
{
	for (uint32_t node = 0; node < nnodes; node++)
		parent[node] = HNSW_NO_NODE;
	if (start == HNSW_NO_NODE)
		return 0;
	parent[start] = start;
	order[0] = start;
	return spread(store, 0, 1, order, parent);
}

/* Of a full list's links, the farthest one in this many may be given up. */
#define SPARE_SHARE 4

/* The farthest link of a full list that neither the tree needs nor most walks;
 * `count` where there is none. */
static uint32_t
find_spare(const HnswStore *store, uint32_t host, const uint32_t *links,
		   uint32_t count, const uint32_t *parent)
{
	float		dists[HNSW_MAX_LINKS];
	uint32_t	spare = count;

	store->distances(store->state, store->vector(store->state, host), links, count, dists);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	farther = 0;

		if (parent[links[i]] == host || (spare < count && dists[i] <= dists[spare]))
			continue;
		for (uint32_t j = 0; j < count; j++)
			farther += dists[j] > dists[i];
		if (farther < count / SPARE_SHARE)
			spare = i;
	}
	return spare;
}

/* An outsider leads to what its host has given up for it. */
static void
take_over(HnswArrays *arrays, const HnswStore *store, uint32_t node, uint32_t given_up)
{
	uint32_t	links[HNSW_MAX_LINKS];
	uint32_t	count = store->links(store->state, node, 0, links);

	for (uint32_t i = 0; i < count; i++)
	{
		if (links[i] == given_up)
			return;
	}
	if (count == hnsw_max_links(arrays->shape->m, 0))
		count--;
	links[count++] = given_up;
	hnsw_arrays_set_links(arrays, node, 0, links, count);
}

/* Link `host` to `node`, if it can spare one of its links. */
static bool
make_room(HnswArrays *arrays, uint32_t host, uint32_t node, const uint32_t *parent)
{
	HnswStore	store = hnsw_arrays_store(arrays);
	uint32_t	links[HNSW_MAX_LINKS + 1];
	uint32_t	count = store.links(store.state, host, 0, links);
	uint32_t	at = count;

	if (count < hnsw_max_links(arrays->shape->m, 0))
		count++;
	else
	{
		at = find_spare(&store, host, links, count, parent);
		if (at == count)
			return false;
		take_over(arrays, &store, node, links[at]);
	}
	links[at] = node;
	hnsw_arrays_set_links(arrays, host, 0, links, count);
	return true;
}

/* The nearest of the tree with room for a node; HNSW_NO_NODE where walks find
 * none. The node is linked then. */
static CoreStatus
attach_near(HnswArrays *arrays, HnswPlacer *placer, uint32_t node,
			const uint32_t *parent, uint32_t *host)
{
	HnswStore	store = hnsw_arrays_store(arrays);
	HnswSearch *search = &placer->search;
	CoreStatus	status;

	*host = HNSW_NO_NODE;
	search->resumable = true;
	status = hnsw_search_start(search, &store, store.vector(store.state, node),
							   hnsw_arrays_entry(arrays), placer->params.ef_construction);
	while (status == CORE_OK && *host == HNSW_NO_NODE)
	{
		const HnswKey *found;
		uint32_t	count;

		status = hnsw_search_take(search, &found, &count);
		for (uint32_t i = 0; status == CORE_OK && i < count && *host == HNSW_NO_NODE; i++)
		{
			uint32_t	candidate = hnsw_key_node(found[i]);

			if (parent[candidate] != HNSW_NO_NODE &&
				make_room(arrays, candidate, node, parent))
				*host = candidate;
		}
		if (status != CORE_OK || search->end == HNSW_END_ALL_SEEN)
			break;
		if (*host == HNSW_NO_NODE)
			status = hnsw_search_grow(search, search->ef * 2);
	}
	search->resumable = false;
	return status;
}

/* The last met in the tree leads nowhere in it, so it has room for any node. */
static uint32_t
attach_anywhere(HnswArrays *arrays, uint32_t node, const uint32_t *order,
				uint32_t count, const uint32_t *parent)
{
	for (uint32_t i = count; i > 0; i--)
	{
		if (make_room(arrays, order[i - 1], node, parent))
			return order[i - 1];
	}
	return HNSW_NO_NODE;		/* no tree has only inner nodes */
}

CoreStatus
hnsw_attach_all(HnswArrays *arrays, HnswPlacer *placer, uint32_t *order, uint32_t *parent)
{
	HnswStore	store = hnsw_arrays_store(arrays);
	uint32_t	nnodes = arrays->shape->nnodes;
	uint32_t	count = hnsw_reach(&store, hnsw_arrays_entry(arrays).node, nnodes,
								   order, parent);

	for (uint32_t node = 0; node < nnodes && count < nnodes; node++)
	{
		CoreStatus	status;
		uint32_t	host;

		if (parent[node] != HNSW_NO_NODE)
			continue;
		status = attach_near(arrays, placer, node, parent, &host);
		if (status != CORE_OK)
			return status;
		if (host == HNSW_NO_NODE)
			host = attach_anywhere(arrays, node, order, count, parent);
		parent[node] = host;
		order[count] = node;
		count = spread(&store, count, count + 1, order, parent);
	}
	return CORE_OK;
}
