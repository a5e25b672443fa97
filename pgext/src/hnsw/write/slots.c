/*
 * slots.c
 *	  A row's slot: writing it, its upper lists and its halves; and the entry.
 *
 * A crash between the records leaves, in this order: a node of level 0 that
 * nothing leads to, upper slots that their owner does not lead to, a twin
 * outside of every chain. The row of each is dead then, and vacuum takes them
 * back.
 */
#include "postgres.h"

#include "hnsw/write/slots.h"

static void
fill_node(const HnswShape *shape, HnswNode *node, const HnswRow *row,
		  HnswNodeState state, const uint32 *links, uint32 count)
{
	Assert(count <= hnsw_max_links(shape->m, 0));
	node->tid = row->tid;
	hnsw_node_set(node, state, 0);
	node->nulls = row->nulls;
	node->nlinks = count;
	node->upper = HNSW_NO_SLOT;
	node->twin = HNSW_NO_NODE;
	if (count > 0)
		memcpy(hnsw_node_links(node), links, count * sizeof(uint32));
	memcpy(hnsw_node_columns(shape, node), row->columns,
		   shape->record_at - shape->columns_at);
	memcpy(hnsw_node_record(shape, node), row->record, shape->record_bytes);
}

static void
write_halves(Relation index, HnswMap *map, uint32 number, const void *halves)
{
	uint32		per_page = map->shape.per_page[HNSW_SPACE_REFINE];
	GenericXLogState *wal;
	uint32		slot;
	Buffer		buffer;
	Page		page;

	while (map->npages[HNSW_SPACE_REFINE] <= number / per_page)
		hnsw_space_grow(index, map, HNSW_SPACE_REFINE, map->npages[HNSW_SPACE_REFINE]);
	buffer = hnsw_slot_read(index, map, HNSW_SPACE_REFINE, number,
							BUFFER_LOCK_EXCLUSIVE, &slot);
	wal = GenericXLogStart(index);
	page = GenericXLogRegisterBuffer(wal, buffer, 0);
	memcpy(hnsw_page_halves(&map->shape, page, slot), halves, map->shape.refine_bytes);
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
}

uint32
hnsw_slot_write(Relation index, HnswMap *map, uint32 number, const HnswRow *row,
				HnswNodeState state, const uint32 *links, uint32 count)
{
	bool		is_new = number == HNSW_NO_NODE;
	GenericXLogState *wal;
	uint32		slot;
	Buffer		buffer;
	Page		page;

	if (is_new)
		buffer = hnsw_slot_find_free(index, map, HNSW_SPACE_NODES, &slot, &number);
	else
		buffer = hnsw_slot_read(index, map, HNSW_SPACE_NODES, number,
								BUFFER_LOCK_EXCLUSIVE, &slot);
	wal = GenericXLogStart(index);
	page = GenericXLogRegisterBuffer(wal, buffer, 0);
	fill_node(&map->shape, hnsw_page_node(&map->shape, page, slot), row, state, links, count);
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
	if (is_new && row->halves != NULL)
		write_halves(index, map, number, row->halves);
	return number;
}

/* A slot with a node's list of a level above 0; returns its number. */
static uint32
write_upper(Relation index, HnswMap *map, uint32 owner, int level, uint32 next,
			const uint32 *links, uint32 count)
{
	GenericXLogState *wal;
	HnswUpper  *upper;
	uint32		slot;
	uint32		number;
	Buffer		buffer = hnsw_slot_find_free(index, map, HNSW_SPACE_UPPER, &slot, &number);

	wal = GenericXLogStart(index);
	upper = hnsw_page_upper(&map->shape, GenericXLogRegisterBuffer(wal, buffer, 0), slot);
	upper->owner = owner;
	upper->next = next;
	upper->level = level;
	upper->nlinks = count;
	memcpy(hnsw_upper_links(upper), links, count * sizeof(uint32));
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
	return number;
}

void
hnsw_slot_raise(Relation index, HnswMap *map, uint32 number, int level,
				const HnswPlacer *placer)
{
	uint32		first = HNSW_NO_SLOT;
	GenericXLogState *wal;
	HnswNode   *node;
	uint32		slot;
	Buffer		buffer;

	for (int at = level; at > 0; at--)
		first = write_upper(index, map, number, at, first, hnsw_placer_links(placer, at),
							placer->counts[at]);
	buffer = hnsw_slot_read(index, map, HNSW_SPACE_NODES, number, BUFFER_LOCK_EXCLUSIVE,
							&slot);
	wal = GenericXLogStart(index);
	node = hnsw_page_node(&map->shape, GenericXLogRegisterBuffer(wal, buffer, 0), slot);
	hnsw_node_set(node, hnsw_node_state(node), level);
	node->upper = first;
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
}

bool
hnsw_slot_chain(Relation index, const HnswMap *map, uint32 head, uint32 twin)
{
	uint32		head_slot;
	uint32		twin_slot;
	HnswPagePair pair;
	HnswNode   *first;
	HnswNode   *second;
	bool		lives;

	if (!hnsw_pair_open(index, map, head, twin, &pair, &head_slot, &twin_slot))
		return false;
	first = hnsw_page_node(&map->shape, pair.pages[0], head_slot);
	second = hnsw_page_node(&map->shape, pair.pages[1], twin_slot);
	lives = hnsw_node_state(first) == HNSW_NODE_LIVE;
	if (lives)
	{
		second->twin = first->twin;
		first->twin = twin;
	}
	hnsw_pair_close(&pair, lives);
	return lives;
}

bool
hnsw_entry_replace(Relation index, HnswEntry expected, HnswEntry entry)
{
	Buffer		buffer = hnsw_meta_read(index, BUFFER_LOCK_EXCLUSIVE);
	bool		replace = hnsw_page_meta(BufferGetPage(buffer))->entry == expected.node;

	if (replace)
	{
		GenericXLogState *wal = GenericXLogStart(index);
		HnswMeta   *meta = hnsw_page_meta(GenericXLogRegisterBuffer(wal, buffer, 0));

		meta->entry = entry.node;
		meta->entry_level = entry.level;
		GenericXLogFinish(wal);
	}
	UnlockReleaseBuffer(buffer);
	return replace;
}
