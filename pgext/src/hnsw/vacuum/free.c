/*
 * free.c
 *	  VACUUM, last part: slots become free, and their pages are listed.
 *
 * Upper slots go before the node that leads to them: a crash in between leaves a
 * dying node whose chain of them ends early, never a slot that is lost. Those
 * that a broken insert left are freed when they have been seen twice, with a
 * barrier for inserts in between.
 */
#include "postgres.h"

#include "commands/vacuum.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "compat.h"
#include "hnsw/vacuum/vacuum.h"

/* Does the chain of its owner lead to an upper slot? */
static bool
upper_has_owner(HnswVacuum *vacuum, uint32 number, uint32 owner, int level)
{
	HnswMap    *map = &vacuum->map;
	uint32		first;
	uint32		slot;
	uint32		at;
	bool		in_graph;
	HnswNode   *node;
	Buffer		buffer;

	if (owner >= hnsw_map_nodes(map))
		hnsw_map_read(vacuum->index, map);
	buffer = hnsw_slot_read(vacuum->index, map, HNSW_SPACE_NODES, owner, BUFFER_LOCK_SHARE, &slot);
	if (!BufferIsValid(buffer))
		return false;
	node = hnsw_page_node(&map->shape, BufferGetPage(buffer), slot);
	in_graph = hnsw_node_in_graph(node) && level <= hnsw_node_level(node);
	first = node->upper;
	UnlockReleaseBuffer(buffer);
	if (!in_graph)
		return false;
	buffer = hnsw_upper_read(vacuum->index, map, owner, first, level, BUFFER_LOCK_SHARE,
							 &slot, &at);
	if (!BufferIsValid(buffer))
		return false;
	UnlockReleaseBuffer(buffer);
	return at == number;
}

void
hnsw_vacuum_find_orphans(HnswVacuum *vacuum)
{
	const HnswShape *shape = &vacuum->map.shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_UPPER];
	HnswUpper  *uppers = palloc(per_page * sizeof(HnswUpper));
	uint32		room = 64;

	vacuum->orphans = palloc(room * sizeof(uint32));
	for (uint32 page = 0; page < vacuum->map.npages[HNSW_SPACE_UPPER]; page++)
	{
		Buffer		buffer = hnsw_vacuum_page(vacuum, HNSW_SPACE_UPPER, page, BUFFER_LOCK_SHARE);

		for (uint32 slot = 0; slot < per_page; slot++)
			uppers[slot] = *hnsw_page_upper(shape, BufferGetPage(buffer), slot);
		UnlockReleaseBuffer(buffer);
		for (uint32 slot = 0; slot < per_page; slot++)
		{
			uint32		number = page * per_page + slot;

			if (uppers[slot].owner == HNSW_NO_NODE ||
				upper_has_owner(vacuum, number, uppers[slot].owner, uppers[slot].level))
				continue;
			if (vacuum->norphans == room)
			{
				room *= 2;
				vacuum->orphans = repalloc_huge(vacuum->orphans, room * sizeof(uint32));
			}
			vacuum->orphans[vacuum->norphans++] = number;
		}
	}
	pfree(uppers);
}

/*
 * Open a page with slots to be freed, and the metapage, for one record in which
 * the page enters the list, if it is not there.
 */
typedef struct Freeing
{
	GenericXLogState *wal;
	Buffer		meta_buffer;
	Buffer		buffer;
	Page		page;
} Freeing;

static void
begin_freeing(HnswVacuum *vacuum, HnswSpace space, uint32 page, Freeing *freeing)
{
	HnswFreeLink link;
	uint32		slot;

	vacuum_pause();
	freeing->meta_buffer = hnsw_meta_read(vacuum->index, BUFFER_LOCK_EXCLUSIVE);
	freeing->buffer = hnsw_slot_read(vacuum->index, &vacuum->map, space,
									 page * vacuum->map.shape.per_page[space],
									 BUFFER_LOCK_EXCLUSIVE, &slot);
	freeing->wal = GenericXLogStart(vacuum->index);
	freeing->page = GenericXLogRegisterBuffer(freeing->wal, freeing->buffer, 0);
	link = hnsw_page_free_link(freeing->page);
	if (!link.listed)
	{
		HnswMeta   *meta;

		meta = hnsw_page_meta(GenericXLogRegisterBuffer(freeing->wal, freeing->meta_buffer, 0));
		link.listed = true;
		link.next = meta->free_page[space];
		meta->free_page[space] = page;
		hnsw_page_set_free_link(freeing->page, link);
	}
}

static void
end_freeing(Freeing *freeing)
{
	GenericXLogFinish(freeing->wal);
	UnlockReleaseBuffer(freeing->buffer);
	UnlockReleaseBuffer(freeing->meta_buffer);
}

/* Free an upper slot of an owner; returns the next of the chain. */
static uint32
free_upper(HnswVacuum *vacuum, uint32 number, uint32 owner)
{
	uint32		per_page = vacuum->map.shape.per_page[HNSW_SPACE_UPPER];
	uint32		next = HNSW_NO_SLOT;
	HnswUpper  *upper;
	Freeing		freeing;

	if (number / per_page >= vacuum->map.npages[HNSW_SPACE_UPPER])
		return HNSW_NO_SLOT;
	begin_freeing(vacuum, HNSW_SPACE_UPPER, number / per_page, &freeing);
	upper = hnsw_page_upper(&vacuum->map.shape, freeing.page, number % per_page);
	if (upper->owner == owner)
	{
		next = upper->next;
		upper->owner = HNSW_NO_NODE;
		upper->next = HNSW_NO_SLOT;
		upper->nlinks = 0;
	}
	end_freeing(&freeing);
	return next;
}

/* The first upper slots of the dying nodes of a page; returns how many, in
 * `owners` and `firsts`. */
static uint32
find_uppers(HnswVacuum *vacuum, uint32 page, uint32 *owners, uint32 *firsts)
{
	uint32		per_page = vacuum->map.shape.per_page[HNSW_SPACE_NODES];
	uint32		count = 0;
	Buffer		buffer = hnsw_vacuum_page(vacuum, HNSW_SPACE_NODES, page, BUFFER_LOCK_SHARE);

	for (uint32 slot = 0; slot < per_page; slot++)
	{
		const HnswNode *node = hnsw_page_node(&vacuum->map.shape, BufferGetPage(buffer), slot);

		if (!hnsw_bits_has(&vacuum->dying, page * per_page + slot) || node->upper == HNSW_NO_SLOT)
			continue;
		owners[count] = page * per_page + slot;
		firsts[count++] = node->upper;
	}
	UnlockReleaseBuffer(buffer);
	return count;
}

static void
free_nodes(HnswVacuum *vacuum, uint32 page)
{
	uint32		per_page = vacuum->map.shape.per_page[HNSW_SPACE_NODES];
	Freeing		freeing;

	begin_freeing(vacuum, HNSW_SPACE_NODES, page, &freeing);
	for (uint32 slot = 0; slot < per_page; slot++)
	{
		HnswNode   *node = hnsw_page_node(&vacuum->map.shape, freeing.page, slot);

		if (!hnsw_bits_has(&vacuum->dying, page * per_page + slot))
			continue;
		Assert(hnsw_node_state(node) == HNSW_NODE_DYING);
		ItemPointerSetInvalid(&node->tid);
		node->version++;
		hnsw_node_set(node, HNSW_NODE_FREE, 0);
		node->nlinks = 0;
		node->upper = HNSW_NO_SLOT;
		node->twin = HNSW_NO_NODE;
	}
	end_freeing(&freeing);
}

static void
free_page_nodes(HnswVacuum *vacuum, uint32 page)
{
	uint32		per_page = vacuum->map.shape.per_page[HNSW_SPACE_NODES];
	uint32	   *owners = palloc(per_page * sizeof(uint32));
	uint32	   *firsts = palloc(per_page * sizeof(uint32));
	uint32		count = find_uppers(vacuum, page, owners, firsts);

	for (uint32 i = 0; i < count; i++)
	{
		uint32		next = firsts[i];

		while (next != HNSW_NO_SLOT)
			next = free_upper(vacuum, next, owners[i]);
	}
	free_nodes(vacuum, page);
	pfree(owners);
	pfree(firsts);
}

static void
free_orphans(HnswVacuum *vacuum)
{
	const HnswShape *shape = &vacuum->map.shape;

	for (uint32 i = 0; i < vacuum->norphans; i++)
	{
		uint32		number = vacuum->orphans[i];
		uint32		slot;
		HnswUpper	upper;
		Buffer		buffer;

		CHECK_FOR_INTERRUPTS();
		buffer = hnsw_slot_read(vacuum->index, &vacuum->map, HNSW_SPACE_UPPER, number,
								BUFFER_LOCK_SHARE, &slot);
		upper = *hnsw_page_upper(shape, BufferGetPage(buffer), slot);
		UnlockReleaseBuffer(buffer);
		if (upper.owner != HNSW_NO_NODE &&
			!upper_has_owner(vacuum, number, upper.owner, upper.level))
			(void) free_upper(vacuum, number, upper.owner);
	}
}

/* From the last page to the first, so that the list begins with the first. */
void
hnsw_vacuum_free(HnswVacuum *vacuum)
{
	uint32		per_page = vacuum->map.shape.per_page[HNSW_SPACE_NODES];

	free_orphans(vacuum);
	for (uint32 page = vacuum->dying.count / per_page; page > 0; page--)
	{
		if (hnsw_bits_next(&vacuum->dying, (page - 1) * per_page) < page * per_page)
			free_page_nodes(vacuum, page - 1);
	}
}
