/*
 * linkplan.c
 *	  Which link a full list gives up, and that nobody is cut off by it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "hnsw/write/links.h"

/* So many of a list's nodes, nearest to what it gives up, are asked whether
 * they lead there. */
#define WITNESSES_ASKED 8

/* A change that others are in the way of is planned anew so many times. */
#define RELINK_TRIES 100

/* Vectors of a list's nodes, in memory: numbers are places in the array. */
typedef struct Near
{
	const HnswForm *form;
	uint32		count;
	const void *vectors[HNSW_LIST_ROOM + 1];
} Near;

static uint32_t
near_links(void *state, uint32_t node, int level, uint32_t *out)
{
	return 0;
}

static void
near_distances(void *state, const void *from, const uint32_t *nodes, uint32_t count,
			   float *out)
{
	const Near *near = state;
	const void *records[HNSW_LIST_ROOM + 1];

	for (uint32 i = 0; i < count; i++)
		records[i] = near->vectors[nodes[i]];
	hnsw_form_distances(near->form, from, records, count, out);
}

static const void *
near_vector(void *state, uint32_t node)
{
	return ((const Near *) state)->vectors[node];
}

/* Which of a full list's links and one node more is to be given up: what the
 * choice of links leaves out. */
static uint32
choose_dropped(const HnswLinker *linker, const HnswList *list, uint32 node,
			   const void *vector)
{
	const HnswStore *store = &linker->store;
	Near		near = {&linker->map->shape.form};
	HnswStore	local = {&near, near_links, near_distances, near_vector, NULL, NULL};
	uint32		chosen[HNSW_LIST_ROOM + 1];
	bool		kept[HNSW_LIST_ROOM + 1] = {false};
	uint32		count = list->count + 1;

	for (uint32 i = 0; i < list->count; i++)
		near.vectors[i] = store->vector(store->state, list->links[i]);
	near.vectors[list->count] = vector;
	near.vectors[list->count + 1] = store->vector(store->state, list->owner);
	for (uint32 i = 0; i < count; i++)
		chosen[i] = i;
	hnsw_revise(linker->placer, &local, list->count + 1, chosen, &count, list->count);
	for (uint32 i = 0; i < count; i++)
		kept[chosen[i]] = true;
	for (uint32 i = 0; i < list->count; i++)
	{
		if (!kept[i])
			return list->links[i];
	}
	return node;
}

/* The list as it is, with one link replaced: little changes on the page. */
static void
replace_link(HnswChange *change, uint32 link, uint32 by)
{
	const HnswList *list = &change->list;

	change->count = list->count;
	for (uint32 i = 0; i < list->count; i++)
		change->links[i] = list->links[i] == link ? by : list->links[i];
	change->dropped = link;
}

static void
append_link(HnswChange *change, uint32 link)
{
	const HnswList *list = &change->list;

	memcpy(change->links, list->links, list->count * sizeof(uint32));
	change->links[list->count] = link;
	change->count = list->count + 1;
}

static bool
leads_to(const HnswLinker *linker, uint32 from, uint32 to)
{
	HnswList	list;

	return hnsw_list_read(linker->index, linker->map, from, 0, &list) &&
		hnsw_list_has(list.links, list.count, to);
}

/*
 * Nobody may link to a dying node: VACUUM may have passed the list already. Who
 * started before the node was marked is waited for; who starts later sees it.
 */
static bool
lives(const HnswLinker *linker, uint32 node)
{
	HnswList	list;

	return hnsw_list_read(linker->index, linker->map, node, 0, &list) &&
		list.state == HNSW_NODE_LIVE;
}

/* One of the nodes that leads to `to`, the nearest to it asked first, or
 * HNSW_NO_NODE. HNSW_NEW_NODE is not asked. */
static uint32
find_witness(const HnswLinker *linker, const uint32 *nodes, uint32 count, uint32 to)
{
	const HnswStore *store = &linker->store;
	const void *vector = store->vector(store->state, to);
	uint32		asked[HNSW_LIST_ROOM];
	float		dists[HNSW_LIST_ROOM];
	HnswKey		keys[HNSW_LIST_ROOM];
	uint32		nasked = 0;

	for (uint32 i = 0; i < count; i++)
	{
		if (nodes[i] != HNSW_NEW_NODE && nodes[i] != to)
			asked[nasked++] = nodes[i];
	}
	if (nasked == 0)
		return HNSW_NO_NODE;
	store->distances(store->state, vector, asked, nasked, dists);
	for (uint32 i = 0; i < nasked; i++)
		keys[i] = hnsw_key(dists[i], asked[i]);
	hnsw_keys_sort(keys, nasked);
	for (uint32 i = 0; i < nasked && i < WITNESSES_ASKED; i++)
	{
		if (leads_to(linker, hnsw_key_node(keys[i]), to))
			return hnsw_key_node(keys[i]);
	}
	return HNSW_NO_NODE;
}

/*
 * Links taken over stand before the node's own ones, which go from the end. One
 * of its own has to remain: through it the node leads to everywhere.
 */
static bool
take_over(const HnswLinker *linker, HnswOwnLinks *own, uint32 link)
{
	uint32		max = hnsw_max_links(linker->map->shape.m, 0);
	uint32		last;

	for (uint32 i = 0; i < own->count; i++)
	{
		if (own->links[i] != link)
			continue;
		if (i >= own->nadopted)
		{
			/* Keep it from being given up later. */
			memmove(own->links + 1, own->links, i * sizeof(uint32));
			own->links[0] = link;
			own->nadopted++;
		}
		return true;
	}
	if (own->nadopted + 1 >= max)
		return false;
	last = own->count < max ? own->count++ : max - 1;
	memmove(own->links + 1, own->links, last * sizeof(uint32));
	own->links[0] = link;
	own->nadopted++;
	return true;
}

bool
hnsw_plan_link(const HnswLinker *linker, HnswChange *change, uint32 node,
			   const void *vector, HnswOwnLinks *own)
{
	const HnswList *list = &change->list;
	uint32		max = hnsw_max_links(linker->map->shape.m, list->level);

	change->dropped = change->witness = HNSW_NO_NODE;
	change->written = false;
	if (list->state != HNSW_NODE_LIVE || list->owner == node ||
		hnsw_list_has(list->links, list->count, node))
		return false;
	if (list->count < max)
	{
		append_link(change, node);
		return true;
	}
	replace_link(change, choose_dropped(linker, list, node, vector), node);
	if (change->dropped == node)
		return false;
	if (list->level > 0)
	{
		change->dropped = HNSW_NO_NODE;
		return true;
	}
	change->witness = find_witness(linker, change->links, change->count, change->dropped);
	if (change->witness != HNSW_NO_NODE)
		return true;
	if (own == NULL || !lives(linker, change->dropped) ||
		!take_over(linker, own, change->dropped))
		return false;
	change->witness = node;
	return true;
}

void
hnsw_plan_takeover(const HnswLinker *linker, HnswChange *change, uint32 node,
				   HnswOwnLinks *own)
{
	const HnswList *list = &change->list;
	uint32		at = list->count;

	Assert(own->nadopted == 0 && list->count > 0);
	while (at > 0 && !lives(linker, list->links[at - 1]))
		at--;
	change->written = false;
	if (at > 0)
	{
		replace_link(change, list->links[at - 1], node);
		change->witness = node;
		(void) take_over(linker, own, change->dropped);
		return;
	}

	/* All are dying. What only they lead to, the VACUUM to come links again. */
	replace_link(change, list->links[list->count - 1], node);
	change->dropped = change->witness = HNSW_NO_NODE;
}

void
hnsw_verify_change(const HnswLinker *linker, const HnswChange *change)
{
	if (!change->written || change->dropped == HNSW_NO_NODE ||
		leads_to(linker, change->witness, change->dropped))
		return;
	(void) hnsw_relink(linker, change->list.owner, change->dropped);
}

/* Plan that the list leads to `to` instead of the last link that can go. */
static bool
plan_replacement(const HnswLinker *linker, HnswChange *change, uint32 to)
{
	const HnswList *list = &change->list;
	uint32		max = hnsw_max_links(linker->map->shape.m, 0);

	change->written = false;
	change->dropped = change->witness = HNSW_NO_NODE;
	if (list->count < max)
	{
		append_link(change, to);
		return true;
	}
	for (uint32 i = list->count; i > 0; i--)
	{
		replace_link(change, list->links[i - 1], to);
		change->witness = find_witness(linker, change->links, change->count, change->dropped);
		if (change->witness != HNSW_NO_NODE)
			return true;
	}
	return false;
}

bool
hnsw_relink(const HnswLinker *linker, uint32 from, uint32 to)
{
	HnswChange	change;
	HnswChange *changes = &change;

	for (int tries = 0; tries < RELINK_TRIES; tries++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!hnsw_list_read(linker->index, linker->map, from, 0, &change.list) ||
			change.list.state != HNSW_NODE_LIVE)
			return false;
		if (!lives(linker, to) ||
			hnsw_list_has(change.list.links, change.list.count, to) ||
			find_witness(linker, change.list.links, change.list.count, to) != HNSW_NO_NODE)
			return true;
		if (!plan_replacement(linker, &change, to))
			return false;
		hnsw_write_changes(linker->index, linker->map, &changes, 1);
		if (!change.written)
			continue;
		if (change.dropped == HNSW_NO_NODE ||
			leads_to(linker, change.witness, change.dropped))
			return true;
		to = change.dropped;
	}
	return false;
}

void
hnsw_force_link(const HnswLinker *linker, uint32 from, uint32 to)
{
	uint32		max = hnsw_max_links(linker->map->shape.m, 0);
	HnswChange	change;
	HnswChange *changes = &change;
	uint32		moved;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (!hnsw_list_read(linker->index, linker->map, from, 0, &change.list) ||
			change.list.state != HNSW_NODE_LIVE || change.list.count == 0)
			return;
		moved = change.list.links[change.list.count - 1];
		if (moved == to)
			return;
		if (!hnsw_list_read(linker->index, linker->map, to, 0, &change.list))
			return;
		if (hnsw_list_has(change.list.links, change.list.count, moved))
			break;
		if (change.list.count < max)
			append_link(&change, moved);
		else
			replace_link(&change, change.list.links[change.list.count - 1], moved);
		hnsw_write_changes(linker->index, linker->map, &changes, 1);
	} while (!change.written);

	if (!hnsw_list_read(linker->index, linker->map, from, 0, &change.list) ||
		!hnsw_list_has(change.list.links, change.list.count, moved))
		return;
	replace_link(&change, moved, to);
	change.witness = to;
	hnsw_write_changes(linker->index, linker->map, &changes, 1);
	hnsw_verify_change(linker, &change);
}
