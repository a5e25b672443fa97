/*
 * reach.c
 *	  VACUUM, third part: links lead from the entry to every living node.
 *
 * Two sets instead of a queue: who is reached, and whose links were followed.
 * Passes over the slots in order follow the links of those reached, until none
 * is left; a link that leads forward is followed in the same pass.
 *
 * A node once reached stays so: inserts take care of that, and VACUUM has ended
 * its repairs. What others write meanwhile may hide a node from the passes;
 * then it gets a link that it did not need.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/rel.h"

#include "hnsw/locks.h"
#include "hnsw/vacuum/vacuum.h"
#include "status.h"

typedef struct Reach
{
	HnswVacuum *vacuum;
	HnswBits	living;
	HnswBits	reached;
	HnswBits	to_follow;
	uint32		npending;		/* members of to_follow */
} Reach;

static void
reach_node(Reach *reach, uint32 number)
{
	/* What was added since the sets were made has been linked by its insert. */
	if (number >= reach->reached.count || hnsw_bits_has(&reach->reached, number))
		return;
	hnsw_bits_add(&reach->reached, number);
	hnsw_bits_add(&reach->to_follow, number);
	reach->npending++;
}

static void
follow_page(Reach *reach, uint32 page)
{
	HnswVacuum *vacuum = reach->vacuum;
	const HnswShape *shape = &vacuum->map.shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];
	Buffer		buffer = hnsw_vacuum_page(vacuum, HNSW_SPACE_NODES, page, BUFFER_LOCK_SHARE);

	for (uint32 slot = 0; slot < per_page; slot++)
	{
		HnswNode   *node = hnsw_page_node(shape, BufferGetPage(buffer), slot);
		uint32		number = page * per_page + slot;
		uint32	   *links = hnsw_node_links(node);

		if (!hnsw_bits_has(&reach->to_follow, number))
			continue;
		hnsw_bits_remove(&reach->to_follow, number);
		reach->npending--;
		if (!hnsw_node_in_graph(node))
			continue;
		for (uint32 i = 0; i < hnsw_node_nlinks(shape, node); i++)
			reach_node(reach, links[i]);
	}
	UnlockReleaseBuffer(buffer);
}

static void
follow_all(Reach *reach)
{
	uint32		per_page = reach->vacuum->map.shape.per_page[HNSW_SPACE_NODES];

	while (reach->npending > 0)
	{
		uint32		number = 0;

		while ((number = hnsw_bits_next(&reach->to_follow, number)) < reach->to_follow.count)
		{
			follow_page(reach, number / per_page);
			number = (number / per_page + 1) * per_page;
		}
	}
}

/* Who lives. Inserts under way end before their nodes are looked for. */
static void
find_living(Reach *reach)
{
	HnswVacuum *vacuum = reach->vacuum;
	const HnswShape *shape = &vacuum->map.shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];

	for (uint32 page = 0; page < reach->living.count / per_page; page++)
	{
		Buffer		buffer = hnsw_vacuum_page(vacuum, HNSW_SPACE_NODES, page, BUFFER_LOCK_SHARE);

		for (uint32 slot = 0; slot < per_page; slot++)
		{
			if (hnsw_node_state(hnsw_page_node(shape, BufferGetPage(buffer), slot)) == HNSW_NODE_LIVE)
				hnsw_bits_add(&reach->living, page * per_page + slot);
		}
		UnlockReleaseBuffer(buffer);
	}
	hnsw_barrier(vacuum->index, HNSW_INSERTS_LOCK);
}

/* Link a node from the nearest that can be reached and can lead to it. */
static void
attach(Reach *reach, uint32 node)
{
	HnswVacuum *vacuum = reach->vacuum;
	const HnswStore *store = &vacuum->linker.store;
	HnswSearch *search = &vacuum->placer.search;
	uint32		nearest = HNSW_NO_NODE;
	bool		attached = false;

	search->resumable = true;
	core_check(hnsw_search_start(search, store, store->vector(store->state, node),
								 vacuum->map.entry, vacuum->placer.params.ef_construction));
	for (;;)
	{
		const HnswKey *found;
		uint32		count;

		core_check(hnsw_search_take(search, &found, &count));
		for (uint32 i = 0; i < count && !attached; i++)
		{
			uint32		host = hnsw_key_node(found[i]);

			if (!hnsw_bits_has(&reach->reached, host))
				continue;
			if (nearest == HNSW_NO_NODE)
				nearest = host;
			attached = hnsw_relink(&vacuum->linker, host, node);
		}
		if (attached || search->end == HNSW_END_ALL_SEEN)
			break;
		core_check(hnsw_search_grow(search, search->ef * 2));
	}
	search->resumable = false;
	if (!attached && nearest != HNSW_NO_NODE)
		hnsw_force_link(&vacuum->linker, nearest, node);
}

static void
free_sets(Reach *reach)
{
	if (reach->living.words == NULL)
		return;
	pfree(reach->living.words);
	pfree(reach->reached.words);
	pfree(reach->to_follow.words);
}

void
hnsw_vacuum_reach(HnswVacuum *vacuum)
{
	Reach		reach = {vacuum};
	uint32		nnodes;

	/* The entry must be in the sets: it is what all is reached from. */
	do
	{
		hnsw_map_read(vacuum->index, &vacuum->map);
		if (vacuum->map.entry.node == HNSW_NO_NODE)
			return;
		nnodes = hnsw_map_nodes(&vacuum->map);
		free_sets(&reach);
		reach.living = hnsw_bits_make(nnodes);
		reach.reached = hnsw_bits_make(nnodes);
		reach.to_follow = hnsw_bits_make(nnodes);
		find_living(&reach);
		hnsw_map_read(vacuum->index, &vacuum->map);
	} while (vacuum->map.entry.node >= nnodes);
	reach_node(&reach, vacuum->map.entry.node);
	follow_all(&reach);
	for (uint32 node = hnsw_bits_next(&reach.living, 0); node < nnodes;
		 node = hnsw_bits_next(&reach.living, node + 1))
	{
		if (hnsw_bits_has(&reach.reached, node))
			continue;
		attach(&reach, node);
		hnsw_store_forget(vacuum->store);
		reach_node(&reach, node);
		follow_all(&reach);
	}
}
