/*
 * repair.c
 *	  VACUUM, second part: entry and lists lead past the dying.
 *
 * No insert links to a dying node any more, and no list that VACUUM has
 * repaired gets one again, so one pass over all lists is enough.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/rel.h"

#include "hnsw/locks.h"
#include "hnsw/vacuum/vacuum.h"
#include "hnsw/write/slots.h"
#include "hnsw_repair.h"
#include "status.h"

/* An owner whose list is to be repaired. */
typedef struct Owner
{
	uint32		node;
	int			level;
} Owner;

static void
pass_living(void *state, const uint32_t *nodes, uint32_t count, bool *out)
{
	const HnswVacuum *vacuum = state;

	for (uint32 i = 0; i < count; i++)
		out[i] = !hnsw_bits_has(&vacuum->dying, nodes[i]);
}

/* A living node of the highest level among those found on a page. */
static void
consider_page(HnswVacuum *vacuum, uint32 page, HnswEntry *best)
{
	const HnswShape *shape = &vacuum->map.shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];
	Buffer		buffer = hnsw_vacuum_page(vacuum, HNSW_SPACE_NODES, page, BUFFER_LOCK_SHARE);

	for (uint32 slot = 0; slot < per_page; slot++)
	{
		HnswNode   *node = hnsw_page_node(shape, BufferGetPage(buffer), slot);

		if (hnsw_node_state(node) != HNSW_NODE_LIVE ||
			(best->node != HNSW_NO_NODE && hnsw_node_level(node) <= best->level))
			continue;
		best->node = page * per_page + slot;
		best->level = hnsw_node_level(node);
	}
	UnlockReleaseBuffer(buffer);
}

/*
 * Where the entry is dying, another takes its place. None does when none lives:
 * an insert that finds no living neighbour makes its node the entry, so no node
 * has come since as long as the entry is the old one. A node that was found may
 * be that of an insert under way; it is complete behind the barrier.
 */
static void
repair_entry(HnswVacuum *vacuum)
{
	for (;;)
	{
		HnswEntry	best = {HNSW_NO_NODE, 0};

		hnsw_map_read(vacuum->index, &vacuum->map);
		if (!hnsw_bits_has(&vacuum->dying, vacuum->map.entry.node))
			return;
		for (uint32 page = 0; page < vacuum->map.npages[HNSW_SPACE_NODES]; page++)
			consider_page(vacuum, page, &best);
		hnsw_barrier(vacuum->index, HNSW_INSERTS_LOCK);
		(void) hnsw_entry_replace(vacuum->index, vacuum->map.entry, best);
	}
}

static void
repair_list(HnswVacuum *vacuum, HnswRepair *repair, Owner owner)
{
	uint32		links[HNSW_MAX_LINKS];
	HnswChange	change;
	HnswChange *changes = &change;

	for (;;)
	{
		uint32		count;
		bool		changed;

		if (!hnsw_list_read(vacuum->index, &vacuum->map, owner.node, owner.level,
							&change.list) ||
			change.list.state != HNSW_NODE_LIVE)
			return;
		count = change.list.count;
		memcpy(links, change.list.links, count * sizeof(uint32));
		core_check(hnsw_repair_list(repair, owner.node, owner.level, links, &count, &changed));
		if (!changed)
			return;
		Assert(count <= hnsw_max_links(vacuum->map.shape.m, owner.level));
		change.count = count;
		memcpy(change.links, links, count * sizeof(uint32));
		hnsw_write_changes(vacuum->index, &vacuum->map, &changes, 1);
		if (change.written)
			return;
	}
}

static bool
leads_to_dying(const HnswVacuum *vacuum, const uint32 *links, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		if (hnsw_bits_has(&vacuum->dying, links[i]))
			return true;
	}
	return false;
}

/* Living owners of a page with a list to be repaired; returns how many. */
static uint32
find_owners(HnswVacuum *vacuum, HnswSpace space, uint32 page, Owner *owners)
{
	const HnswShape *shape = &vacuum->map.shape;
	uint32		per_page = shape->per_page[space];
	uint32		count = 0;
	Buffer		buffer = hnsw_vacuum_page(vacuum, space, page, BUFFER_LOCK_SHARE);

	for (uint32 slot = 0; slot < per_page; slot++)
	{
		if (space == HNSW_SPACE_NODES)
		{
			HnswNode   *node = hnsw_page_node(shape, BufferGetPage(buffer), slot);

			if (hnsw_node_state(node) == HNSW_NODE_LIVE &&
				leads_to_dying(vacuum, hnsw_node_links(node), hnsw_node_nlinks(shape, node)))
				owners[count++] = (Owner)
			{
				page	   *per_page + slot,
							0
			};
		}
		else
		{
			HnswUpper  *upper = hnsw_page_upper(shape, BufferGetPage(buffer), slot);

			if (upper->owner != HNSW_NO_NODE && upper->level <= HNSW_MAX_LEVEL &&
				leads_to_dying(vacuum, hnsw_upper_links(upper), hnsw_upper_nlinks(shape, upper)))
				owners[count++] = (Owner)
			{
				upper->owner, upper->level
			};
		}
	}
	UnlockReleaseBuffer(buffer);
	return count;
}

/* Upper levels first: their walks find what lists below them need. */
void
hnsw_vacuum_repair(HnswVacuum *vacuum)
{
	static const HnswSpace spaces[] = {HNSW_SPACE_UPPER, HNSW_SPACE_NODES};
	HnswFilter	living = {pass_living, vacuum, false};
	HnswRepair	repair;

	repair_entry(vacuum);
	hnsw_repair_init(&repair, &vacuum->placer, &vacuum->linker.store,
					 &vacuum->map.shape.form, vacuum->map.entry, &living);
	for (int i = 0; i < lengthof(spaces); i++)
	{
		Owner	   *owners = palloc(vacuum->map.shape.per_page[spaces[i]] * sizeof(Owner));

		for (uint32 page = 0; page < vacuum->map.npages[spaces[i]]; page++)
		{
			uint32		count = find_owners(vacuum, spaces[i], page, owners);

			for (uint32 j = 0; j < count; j++)
			{
				repair_list(vacuum, &repair, owners[j]);
				hnsw_store_forget(vacuum->store);
			}
		}
		pfree(owners);
	}
}
