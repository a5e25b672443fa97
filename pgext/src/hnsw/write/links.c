/*
 * links.c
 *	  Lists of links on pages: reading and writing.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "hnsw/write/links.h"

bool
hnsw_list_has(const uint32 *links, uint32 count, uint32 node)
{
	for (uint32 i = 0; i < count; i++)
	{
		if (links[i] == node)
			return true;
	}
	return false;
}

Buffer
hnsw_upper_read(Relation index, const HnswMap *map, uint32 owner, uint32 first,
				int level, int lock, uint32 *slot, uint32 *number)
{
	uint32		next = first;

	for (int at = 1; at <= level; at++)
	{
		Buffer		buffer = hnsw_slot_read(index, map, HNSW_SPACE_UPPER, next,
											at == level ? lock : BUFFER_LOCK_SHARE, slot);
		const HnswUpper *upper;

		if (!BufferIsValid(buffer))
			return InvalidBuffer;
		upper = hnsw_page_upper(&map->shape, BufferGetPage(buffer), *slot);
		if (upper->owner == owner && upper->level == at)
		{
			*number = next;
			next = upper->next;
			if (at == level)
				return buffer;
		}
		else
			at = level;
		UnlockReleaseBuffer(buffer);
	}
	return InvalidBuffer;
}

static void
copy_links(HnswList *list, const uint32 *links, uint32 count)
{
	list->count = count;
	memcpy(list->links, links, count * sizeof(uint32));
}

static bool
read_upper_list(Relation index, const HnswMap *map, uint32 first, HnswList *list)
{
	uint32		slot;
	HnswUpper  *upper;
	Buffer		buffer = hnsw_upper_read(index, map, list->owner, first, list->level,
										 BUFFER_LOCK_SHARE, &slot, &list->slot);

	if (!BufferIsValid(buffer))
		return false;
	upper = hnsw_page_upper(&map->shape, BufferGetPage(buffer), slot);
	copy_links(list, hnsw_upper_links(upper), hnsw_upper_nlinks(&map->shape, upper));
	UnlockReleaseBuffer(buffer);
	return true;
}

/* Leave out links to where there is nothing; others may have added pages since
 * the map was read. */
static void
bound_links(Relation index, HnswMap *map, HnswList *list)
{
	uint32		count = 0;

	for (uint32 i = 0; i < list->count; i++)
	{
		if (list->links[i] >= hnsw_map_nodes(map))
		{
			hnsw_map_read(index, map);
			break;
		}
	}
	for (uint32 i = 0; i < list->count; i++)
		count += list->links[i] < hnsw_map_nodes(map);
	if (count < list->count)
		ereport(ERROR,
				(errcode(ERRCODE_INDEX_CORRUPTED),
				 errmsg("index \"%s\" has a link of node %u to a node that does not exist",
						RelationGetRelationName(index), list->owner),
				 errhint("Please REINDEX it.")));
}

bool
hnsw_list_read(Relation index, HnswMap *map, uint32 owner, int level, HnswList *list)
{
	uint32		slot;
	uint32		first;
	HnswNode   *node;
	Buffer		buffer;
	bool		found;

	if (owner >= hnsw_map_nodes(map))
		hnsw_map_read(index, map);
	buffer = hnsw_slot_read(index, map, HNSW_SPACE_NODES, owner, BUFFER_LOCK_SHARE, &slot);
	if (!BufferIsValid(buffer))
		return false;
	node = hnsw_page_node(&map->shape, BufferGetPage(buffer), slot);
	list->owner = owner;
	list->level = level;
	list->state = hnsw_node_state(node);
	list->slot = owner;
	found = hnsw_node_in_graph(node) && level <= hnsw_node_level(node);
	first = node->upper;
	if (found && level == 0)
		copy_links(list, hnsw_node_links(node), hnsw_node_nlinks(&map->shape, node));
	UnlockReleaseBuffer(buffer);
	if (found && level > 0)
		found = read_upper_list(index, map, first, list);
	if (found)
		bound_links(index, map, list);
	return found;
}

static HnswSpace
list_space(const HnswList *list)
{
	return list->level == 0 ? HNSW_SPACE_NODES : HNSW_SPACE_UPPER;
}

/* By space, then by slot. */
static int
compare_changes(const void *left, const void *right)
{
	const HnswList *a = &(*(HnswChange *const *) left)->list;
	const HnswList *b = &(*(HnswChange *const *) right)->list;

	if (list_space(a) != list_space(b))
		return list_space(a) < list_space(b) ? -1 : 1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* Write a change to its page, if that still holds what was read. */
static bool
write_to_page(const HnswShape *shape, Page page, HnswChange *change)
{
	const HnswList *list = &change->list;
	uint32		slot = list->slot % shape->per_page[list_space(list)];
	uint16	   *count;
	uint32	   *links;

	if (list->level == 0)
	{
		HnswNode   *node = hnsw_page_node(shape, page, slot);

		if (hnsw_node_state(node) != HNSW_NODE_LIVE)
			return false;
		count = &node->nlinks;
		links = hnsw_node_links(node);
	}
	else
	{
		HnswUpper  *upper = hnsw_page_upper(shape, page, slot);

		if (upper->owner != list->owner || upper->level != list->level)
			return false;
		count = &upper->nlinks;
		links = hnsw_upper_links(upper);
	}
	if (*count != list->count || memcmp(links, list->links, list->count * sizeof(uint32)) != 0)
		return false;
	*count = change->count;
	memcpy(links, change->links, change->count * sizeof(uint32));
	return true;
}

void
hnsw_write_changes(Relation index, HnswMap *map, HnswChange **changes, uint32 nchanges)
{
	uint32		at = 0;

	qsort(changes, nchanges, sizeof(HnswChange *), compare_changes);
	while (at < nchanges)
	{
		HnswSpace	space = list_space(&changes[at]->list);
		uint32		per_page = map->shape.per_page[space];
		uint32		page = changes[at]->list.slot / per_page;
		uint32		nwritten = 0;
		GenericXLogState *wal;
		uint32		slot;
		Buffer		buffer;
		Page		copy;

		CHECK_FOR_INTERRUPTS();
		buffer = hnsw_slot_read(index, map, space, changes[at]->list.slot,
								BUFFER_LOCK_EXCLUSIVE, &slot);
		Assert(BufferIsValid(buffer));
		wal = GenericXLogStart(index);
		copy = GenericXLogRegisterBuffer(wal, buffer, 0);
		for (; at < nchanges && list_space(&changes[at]->list) == space &&
			 changes[at]->list.slot / per_page == page; at++)
		{
			changes[at]->written = write_to_page(&map->shape, copy, changes[at]);
			nwritten += changes[at]->written;
		}
		if (nwritten > 0)
			GenericXLogFinish(wal);
		else
			GenericXLogAbort(wal);
		UnlockReleaseBuffer(buffer);
	}
}
