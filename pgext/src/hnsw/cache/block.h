/*
 * block.h
 *	  A version's memory: the facts it goes with, the pages whose slots may be
 *	  filled since, and the image of the graph.
 *
 * Made from pages that others write meanwhile, by reading each once under its
 * share lock. What was added while that went on is a stray of the image or on one
 * of the pages named; and if a VACUUM changes slots in between, the block is
 * thrown away. So no lock is held beyond that of one buffer, and it is the
 * same on a standby.
 */
#ifndef HNSW_CACHE_BLOCK_H
#define HNSW_CACHE_BLOCK_H

#include "hnsw/pageio.h"
#include "hnsw_image.h"

/* A page that was in the list of pages with free slots, in the list's order. */
typedef struct HnswListed
{
	uint32		page;
	uint32		free_slots;		/* on this and the pages before it */
} HnswListed;

typedef struct HnswBlock
{
	uint64		nonce;
	uint64		vacuums;
	uint64		repairs;
	uint64		bytes;			/* of the whole block */
	uint64		image_at;
	uint32		npages;			/* of the space of nodes */
	uint32		last_free;		/* slots of the last page not in use */
	uint32		nlisted;
	uint32		filler;
	/* HnswListed follows */
} HnswBlock;

static inline HnswListed *
hnsw_block_listed(const HnswBlock *block)
{
	return (HnswListed *) (block + 1);
}

static inline void *
hnsw_block_image(const HnswBlock *block)
{
	return (char *) block + block->image_at;
}

/* VACUUM moves rows or frees slots while the counter is odd. */
static inline bool
hnsw_map_in_change(const HnswMap *map)
{
	return (map->repairs & 1) != 0;
}

/* Does the block describe the index that the map is of, as it is? */
static inline bool
hnsw_block_is_current(const HnswBlock *block, const HnswMap *map)
{
	return block->nonce == map->nonce && block->vacuums == map->vacuums &&
		block->repairs == map->repairs && !hnsw_map_in_change(map);
}

/* About how many bytes a block for the index would have; SIZE_MAX where no
 * memory could hold it. */
extern Size hnsw_block_estimate(const HnswMap *map);

/* What a block will be made of. */
typedef struct HnswBlockPlan
{
	Relation	index;
	HnswMap		map;
	HnswImageShape shape;
	uint32		nlisted;
	uint32	   *listed;
	Size		image_at;
	Size		bytes;

	/* Asked now and then while a block is filled, if there is one: true gives it
	 * up. */
	bool		(*give_way) (Relation index);
	bool		gave_way;
} HnswBlockPlan;

/* In the current memory context. False when the index is in change, or there is
 * nothing to put in a block. */
extern bool hnsw_block_plan(Relation index, HnswBlockPlan *plan);

/*
 * Make the block, in plan->bytes of memory that start at a multiple of
 * HNSW_IMAGE_LINE. False when the index has changed too much meanwhile, or others
 * are given way; the memory is to be thrown away then.
 */
extern bool hnsw_block_fill(HnswBlockPlan *plan, void *memory);

#endif							/* HNSW_CACHE_BLOCK_H */
