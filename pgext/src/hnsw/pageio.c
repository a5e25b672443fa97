/*
 * pageio.c
 *	  From numbers to blocks, new pages, new slots.
 */
#include "postgres.h"

#include "access/xloginsert.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/lmgr.h"
#include "utils/rel.h"

#include "bufferhint.h"
#include "hnsw/pageio.h"

uint32
hnsw_page_extent(uint32 page, uint32 *offset)
{
	uint32		group = pg_leftmost_one_pos32(page / HNSW_EXTENTS_EACH + 1);
	uint32		in_group = page - HNSW_PAGES_BEFORE_GROUP(group);

	*offset = in_group & ((UINT32_C(1) << group) - 1);
	return group * HNSW_EXTENTS_EACH + (in_group >> group);
}

BlockNumber
hnsw_map_block(const HnswMap *map, HnswSpace space, uint32 page)
{
	uint32		offset;
	uint32		extent;

	if (page >= map->npages[space])
		return InvalidBlockNumber;
	extent = hnsw_page_extent(page, &offset);
	return map->extents[space][extent] + offset;
}

Buffer
hnsw_meta_read(Relation index, int lock)
{
	Buffer		buffer = bufferhint_read(index, HNSW_META_BLOCK);
	const char *fault;

	LockBuffer(buffer, lock);
	hnsw_page_check(index, HNSW_META_BLOCK, BufferGetPage(buffer), HNSW_PAGE_META, 0);
	fault = hnsw_meta_fault(hnsw_page_meta(BufferGetPage(buffer)));
	if (fault != NULL)
		hnsw_report_corrupted(index, HNSW_META_BLOCK, fault);
	return buffer;
}

static void
read_places(const HnswMeta *meta, HnswMap *map)
{
	for (int space = 0; space < HNSW_NSPACES; space++)
	{
		map->npages[space] = meta->npages[space];
		map->free_page[space] = meta->free_page[space];
		map->nextents[space] = meta->nextents[space];
		memcpy(map->extents[space], meta->extents[space],
			   meta->nextents[space] * sizeof(uint32));
	}
}

void
hnsw_map_grow(Relation index, HnswMap *map)
{
	Buffer		buffer = hnsw_meta_read(index, BUFFER_LOCK_SHARE);

	read_places(hnsw_page_meta(BufferGetPage(buffer)), map);
	UnlockReleaseBuffer(buffer);
}

void
hnsw_map_read(Relation index, HnswMap *map)
{
	Buffer		buffer = hnsw_meta_read(index, BUFFER_LOCK_SHARE);
	const HnswMeta *meta = hnsw_page_meta(BufferGetPage(buffer));
	const char *fault;

	map->nonce = meta->nonce;
	map->entry.node = meta->entry;
	map->entry.level = meta->entry_level;
	map->unfinished = meta->unfinished;
	map->vacuums = meta->vacuums;
	map->repairs = meta->repairs;
	read_places(meta, map);
	hnsw_shape_of_meta(meta, &map->shape);
	UnlockReleaseBuffer(buffer);
	fault = hnsw_shape_fault(index, &map->shape);
	if (fault != NULL)
		hnsw_report_corrupted(index, HNSW_META_BLOCK, fault);
}

bool
hnsw_map_is_settled(Relation index, const HnswMap *map, uint32 nnodes)
{
	Buffer		buffer = hnsw_meta_read(index, BUFFER_LOCK_SHARE);
	const HnswMeta *meta = hnsw_page_meta(BufferGetPage(buffer));
	bool		settled = !map->unfinished && !meta->unfinished &&
		meta->repairs == map->repairs &&
		meta->npages[HNSW_SPACE_NODES] <= nnodes / map->shape.per_page[HNSW_SPACE_NODES];

	UnlockReleaseBuffer(buffer);
	return settled;
}

bool
hnsw_map_is_current(Relation index, const HnswMap *map)
{
	Buffer		buffer = hnsw_meta_read(index, BUFFER_LOCK_SHARE);
	const HnswMeta *meta = hnsw_page_meta(BufferGetPage(buffer));
	bool		current = meta->vacuums == map->vacuums && meta->repairs == map->repairs;

	UnlockReleaseBuffer(buffer);
	return current;
}

Buffer
hnsw_slot_read(Relation index, const HnswMap *map, HnswSpace space,
			   uint32 number, int lock, uint32 *slot)
{
	uint32		per_page = map->shape.per_page[space];
	uint32		page = per_page > 0 ? number / per_page : HNSW_NO_PAGE;
	BlockNumber block = hnsw_map_block(map, space, page);
	Buffer		buffer;

	if (block == InvalidBlockNumber)
		return InvalidBuffer;
	buffer = bufferhint_read(index, block);
	if (lock != BUFFER_LOCK_UNLOCK)
		LockBuffer(buffer, lock);
	hnsw_page_check(index, block, BufferGetPage(buffer), hnsw_space_page_kind(space), page);
	*slot = number % per_page;
	return buffer;
}

Buffer
hnsw_append_block(Relation index, ForkNumber fork)
{
	Buffer		buffer = ReadBufferExtended(index, fork, P_NEW, RBM_NORMAL, NULL);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	return buffer;
}

/* A new extent at the end of the index, logged; returns its first block. The
 * caller keeps others from extending the index. */
static BlockNumber
append_extent(Relation index, HnswSpace space, uint32 first_page, uint32 npages)
{
	BlockNumber first = InvalidBlockNumber;

	for (uint32 i = 0; i < npages; i++)
	{
		Buffer		buffer = hnsw_append_block(index, MAIN_FORKNUM);

		if (i == 0)
			first = BufferGetBlockNumber(buffer);
		else if (BufferGetBlockNumber(buffer) != first + i)
			elog(ERROR, "unexpected end of index \"%s\": block %u instead of %u",
				 RelationGetRelationName(index), BufferGetBlockNumber(buffer), first + i);
		START_CRIT_SECTION();
		hnsw_page_init(BufferGetPage(buffer), hnsw_space_page_kind(space), first_page + i);
		MarkBufferDirty(buffer);
		if (RelationNeedsWAL(index))
			log_newpage_buffer(buffer, true);
		END_CRIT_SECTION();
		UnlockReleaseBuffer(buffer);
	}
	return first;
}

/*
 * Extents are added under the extension lock, pages are put into use under the
 * metapage's. A crash in between leaves blocks that belong to nothing.
 */
void
hnsw_space_grow(Relation index, HnswMap *map, HnswSpace space, uint32 npages)
{
	BlockNumber extent = InvalidBlockNumber;
	GenericXLogState *wal;
	HnswMeta   *meta;
	Buffer		buffer;

	LockRelationForExtension(index, ExclusiveLock);
	hnsw_map_read(index, map);
	if (map->npages[space] != npages)
	{
		UnlockRelationForExtension(index, ExclusiveLock);
		return;
	}
	if ((uint64) (npages + 1) * map->shape.per_page[space] > HNSW_MAX_NODES ||
		npages == hnsw_extents_room(HNSW_MAX_EXTENTS))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("index \"%s\" has reached its largest size",
						RelationGetRelationName(index))));
	if (npages == hnsw_extents_room(map->nextents[space]))
		extent = append_extent(index, space, npages, hnsw_extent_pages(map->nextents[space]));

	buffer = hnsw_meta_read(index, BUFFER_LOCK_EXCLUSIVE);
	wal = GenericXLogStart(index);
	meta = hnsw_page_meta(GenericXLogRegisterBuffer(wal, buffer, 0));
	if (extent != InvalidBlockNumber)
		meta->extents[space][meta->nextents[space]++] = extent;
	meta->npages[space]++;
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
	UnlockRelationForExtension(index, ExclusiveLock);
	hnsw_map_read(index, map);
}

static bool
slot_is_free(const HnswShape *shape, HnswSpace space, Page page, uint32 slot)
{
	if (space == HNSW_SPACE_NODES)
		return hnsw_node_state(hnsw_page_node(shape, page, slot)) == HNSW_NODE_FREE;
	return hnsw_page_upper(shape, page, slot)->owner == HNSW_NO_NODE;
}

static bool
has_free_slot(const HnswShape *shape, HnswSpace space, Page page)
{
	for (uint32 slot = 0; slot < shape->per_page[space]; slot++)
	{
		if (slot_is_free(shape, space, page, slot))
			return true;
	}
	return false;
}

/*
 * Take a page from the head of the list, unless it has got free slots again. A
 * page that is not marked was taken from it before: the list is a circle.
 */
static void
unlist_page(Relation index, HnswMap *map, HnswSpace space, uint32 page)
{
	HnswFreeLink none = {false, HNSW_NO_PAGE};
	GenericXLogState *wal;
	Buffer		meta_buffer = hnsw_meta_read(index, BUFFER_LOCK_EXCLUSIVE);
	HnswMeta   *meta = hnsw_page_meta(BufferGetPage(meta_buffer));
	Buffer		buffer;
	Page		copy;
	uint32		slot;

	if (meta->free_page[space] == page)
	{
		buffer = hnsw_slot_read(index, map, space, page * map->shape.per_page[space],
								BUFFER_LOCK_EXCLUSIVE, &slot);
		if (!has_free_slot(&map->shape, space, BufferGetPage(buffer)))
		{
			if (!hnsw_page_free_link(BufferGetPage(buffer)).listed)
				hnsw_report_corrupted(index, BufferGetBlockNumber(buffer),
									  "it is in the list of pages with free slots, but not marked");
			wal = GenericXLogStart(index);
			meta = hnsw_page_meta(GenericXLogRegisterBuffer(wal, meta_buffer, 0));
			copy = GenericXLogRegisterBuffer(wal, buffer, 0);
			meta->free_page[space] = hnsw_page_free_link(copy).next;
			hnsw_page_set_free_link(copy, none);
			GenericXLogFinish(wal);
		}
		UnlockReleaseBuffer(buffer);
	}
	UnlockReleaseBuffer(meta_buffer);
	hnsw_map_read(index, map);
}

Buffer
hnsw_slot_find_free(Relation index, HnswMap *map, HnswSpace space,
					uint32 *slot, uint32 *number)
{
	uint32		per_page = map->shape.per_page[space];

	for (;;)
	{
		bool		listed = map->free_page[space] < map->npages[space];
		uint32		npages = map->npages[space];
		uint32		page = listed ? map->free_page[space] : npages - 1;
		Buffer		buffer;

		CHECK_FOR_INTERRUPTS();
		if (npages == 0)
		{
			hnsw_space_grow(index, map, space, 0);
			continue;
		}
		buffer = hnsw_slot_read(index, map, space, page * per_page,
								BUFFER_LOCK_EXCLUSIVE, slot);
		for (*slot = 0; *slot < per_page; (*slot)++)
		{
			if (!slot_is_free(&map->shape, space, BufferGetPage(buffer), *slot))
				continue;
			*number = page * per_page + *slot;
			return buffer;
		}
		UnlockReleaseBuffer(buffer);
		if (listed)
			unlist_page(index, map, space, page);
		else
			hnsw_space_grow(index, map, space, npages);
	}
}

bool
hnsw_pair_open(Relation index, const HnswMap *map, uint32 first, uint32 second,
			   HnswPagePair *pair, uint32 *first_slot, uint32 *second_slot)
{
	uint32		numbers[2] = {first, second};
	uint32	   *slots[2] = {first_slot, second_slot};
	uint32		per_page = map->shape.per_page[HNSW_SPACE_NODES];
	bool		one = first / per_page == second / per_page;
	BlockNumber blocks[2];
	int			lower;

	for (int i = 0; i < 2; i++)
	{
		blocks[i] = hnsw_map_block(map, HNSW_SPACE_NODES, numbers[i] / per_page);
		if (blocks[i] == InvalidBlockNumber)
			return false;
		*slots[i] = numbers[i] % per_page;
		pair->buffers[i] = InvalidBuffer;
	}
	lower = blocks[0] <= blocks[1] ? 0 : 1;
	for (int i = 0; i < (one ? 1 : 2); i++)
	{
		int			at = i == 0 ? lower : 1 - lower;

		pair->buffers[at] = hnsw_slot_read(index, map, HNSW_SPACE_NODES, numbers[at],
										   BUFFER_LOCK_EXCLUSIVE, slots[at]);
	}
	pair->wal = GenericXLogStart(index);
	pair->pages[0] = GenericXLogRegisterBuffer(pair->wal, pair->buffers[0], 0);
	pair->pages[1] = one ? pair->pages[0]
		: GenericXLogRegisterBuffer(pair->wal, pair->buffers[1], 0);
	return true;
}

void
hnsw_pair_close(HnswPagePair *pair, bool write)
{
	if (write)
		GenericXLogFinish(pair->wal);
	else
		GenericXLogAbort(pair->wal);
	for (int i = 0; i < 2; i++)
	{
		if (BufferIsValid(pair->buffers[i]))
			UnlockReleaseBuffer(pair->buffers[i]);
	}
}
