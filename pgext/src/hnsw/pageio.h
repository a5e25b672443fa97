/*
 * pageio.h
 *	  Pages of one index: from numbers to blocks, new pages, new slots.
 */
#ifndef HNSW_PAGEIO_H
#define HNSW_PAGEIO_H

#include "access/generic_xlog.h"
#include "storage/bufmgr.h"

#include "hnsw/page.h"

/* What the metapage said when it was read, for one walk or one insert. */
typedef struct HnswMap
{
	HnswShape	shape;
	HnswEntry	entry;
	uint64		nonce;
	bool		unfinished;		/* see HnswMeta */
	uint64		vacuums;
	uint64		repairs;
	uint32		npages[HNSW_NSPACES];
	uint32		free_page[HNSW_NSPACES];
	uint32		nextents[HNSW_NSPACES];
	uint32		extents[HNSW_NSPACES][HNSW_MAX_EXTENTS];
} HnswMap;

/* The metapage, pinned and locked; its contents have no fault. */
extern Buffer hnsw_meta_read(Relation index, int lock);

extern void hnsw_map_read(Relation index, HnswMap *map);

/* Where pages are now, in a map whose counters stay as they were read. */
extern void hnsw_map_grow(Relation index, HnswMap *map);

/*
 * Has no VACUUM changed links since the map was read, and none begun that has not
 * ended, and are there no more slots than a walk knew of? Otherwise nodes that live may
 * be out of reach for it: links that led to them may lead there over new slots now.
 */
extern bool hnsw_map_is_settled(Relation index, const HnswMap *map, uint32 nnodes);

/*
 * Has no VACUUM marked or freed slots since the map was read? Else rows may have
 * moved from twins to heads, and slots may have got other rows.
 */
extern bool hnsw_map_is_current(Relation index, const HnswMap *map);

/* Where a page of a space is; InvalidBlockNumber when the map has no such. */
extern BlockNumber hnsw_map_block(const HnswMap *map, HnswSpace space, uint32 page);

/* Numbers of nodes are below this. */
static inline uint32
hnsw_map_nodes(const HnswMap *map)
{
	return map->npages[HNSW_SPACE_NODES] * map->shape.per_page[HNSW_SPACE_NODES];
}

/*
 * Pin the page of a slot, check that it is the one, and lock it (or not, with
 * BUFFER_LOCK_UNLOCK); *slot becomes the slot's number on its page.
 * InvalidBuffer when the map has no such slot.
 */
extern Buffer hnsw_slot_read(Relation index, const HnswMap *map, HnswSpace space,
							 uint32 number, int lock, uint32 *slot);

/* Which extent a page of a space is in, and where. */
extern uint32 hnsw_page_extent(uint32 page, uint32 *offset);

static inline uint32
hnsw_extent_pages(uint32 extent)
{
	return UINT32_C(1) << (extent / HNSW_EXTENTS_EACH);
}

/*
 * A page of a space for new slots, beyond those there are: the first that is not in use, of a
 * new extent where the last is used up. Nothing happens when the space has more
 * than `npages` pages meanwhile. The map is read again.
 */
extern void hnsw_space_grow(Relation index, HnswMap *map, HnswSpace space, uint32 npages);

/*
 * The page with a free slot that new slots go to, locked exclusively, and the slot's number
 * on it and in the space. The slot is taken when the caller has filled it and
 * given the lock back.
 */
extern Buffer hnsw_slot_find_free(Relation index, HnswMap *map, HnswSpace space,
								  uint32 *slot, uint32 *number);

/*
 * The pages of two node slots, locked exclusively, the lower block first, and
 * open for one record; they may be one page.
 */
typedef struct HnswPagePair
{
	GenericXLogState *wal;
	Buffer		buffers[2];		/* the second is InvalidBuffer for one page */
	Page		pages[2];
} HnswPagePair;

extern bool hnsw_pair_open(Relation index, const HnswMap *map, uint32 first,
						   uint32 second, HnswPagePair *pair,
						   uint32 *first_slot, uint32 *second_slot);

/* Write the record, or forget it; give locks and pins back. */
extern void hnsw_pair_close(HnswPagePair *pair, bool write);

/* Add an empty page at the end of a fork; pinned and locked exclusively. */
extern Buffer hnsw_append_block(Relation index, ForkNumber fork);

#endif							/* HNSW_PAGEIO_H */
