/*
 * delta.c
 *	  Rows that a version does not lead to.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "hnsw/cache/delta.h"

/* A scan compares this many, or this share of all, one by one. */
#define LIMIT_NODES 2000
#define LIMIT_SHARE 50

/* How many pages of the list inserts may have got to: those up to the one that
 * it begins with now. */
static uint32
listed_in_use(const HnswBlock *block, const HnswMap *map)
{
	const HnswListed *listed = hnsw_block_listed(block);
	uint32		head = map->free_page[HNSW_SPACE_NODES];

	for (uint32 i = 0; i < block->nlisted; i++)
	{
		if (listed[i].page == head)
			return i + 1;
	}
	return block->nlisted;
}

uint32
hnsw_delta_bound(const HnswBlock *block, const HnswMap *map)
{
	uint32		nlisted = listed_in_use(block, map);
	uint64		bound = block->last_free;

	if (nlisted > 0)
		bound += hnsw_block_listed(block)[nlisted - 1].free_slots;

	/*
	 * a map from before the version has fewer, and what came since is too
	 * young
	 */
	if (map->npages[HNSW_SPACE_NODES] > block->npages)
		bound += (uint64) (map->npages[HNSW_SPACE_NODES] - block->npages) *
			map->shape.per_page[HNSW_SPACE_NODES];
	return Min(bound, PG_UINT32_MAX);
}

uint32
hnsw_delta_limit(const HnswBlock *block, const HnswMap *map)
{
	return Max(LIMIT_NODES,
			   block->npages / LIMIT_SHARE * map->shape.per_page[HNSW_SPACE_NODES]);
}

typedef struct Finder
{
	const HnswVersion *version;
	HnswPageStore *store;
	uint32		per_page;
	uint32	   *numbers;
	uint32		count;
	uint32		room;
} Finder;

static void
add(Finder *finder, uint32 number)
{
	if (finder->count == finder->room)
	{
		finder->room *= 2;
		finder->numbers = repalloc_huge(finder->numbers,
										(Size) finder->room * sizeof(uint32));
	}
	finder->numbers[finder->count++] = number;
}

/* False when VACUUM has marked a slot that was filled since: then its row may have
 * moved to a slot that the version has with another. */
static bool
look_at_page(Finder *finder, uint32 page)
{
	CHECK_FOR_INTERRUPTS();
	for (uint32 slot = 0; slot < finder->per_page; slot++)
	{
		uint32		number = page * finder->per_page + slot;
		const HnswNode *node;
		HnswNodeState state;

		if (hnsw_image_has(&finder->version->image, number))
			continue;
		node = hnsw_store_lock(finder->store, number);
		if (node == NULL)
			break;
		state = hnsw_node_state(node);
		if (state == HNSW_NODE_DYING)
		{
			hnsw_store_unlock(finder->store);
			return false;
		}
		if (state != HNSW_NODE_FREE)
			add(finder, number);
	}
	hnsw_store_unlock(finder->store);
	return true;
}

uint32 *
hnsw_delta_find(const HnswVersion *version, HnswPageStore *store, uint32 *nfilled,
				uint32 *count)
{
	const HnswBlock *block = version->block;
	const HnswListed *listed = hnsw_block_listed(block);
	const HnswMap *map = hnsw_store_map(store);
	uint32		nlisted = listed_in_use(block, map);
	uint32		last = block->npages - 1;
	bool		last_listed = false;
	Finder		finder = {version, store, map->shape.per_page[HNSW_SPACE_NODES]};

	finder.room = 64;
	finder.numbers = palloc(finder.room * sizeof(uint32));
	for (uint32 i = 0; i < nlisted; i++)
	{
		last_listed |= listed[i].page == last;
		if (!look_at_page(&finder, listed[i].page))
			return NULL;
	}
	for (uint32 page = last_listed ? last + 1 : last; page < map->npages[HNSW_SPACE_NODES]; page++)
	{
		if (!look_at_page(&finder, page))
			return NULL;
	}
	*nfilled = finder.count;
	for (uint32 i = 0; i < version->image.head->nstrays; i++)
		add(&finder, version->image.strays[i]);
	*count = finder.count;
	return finder.numbers;
}
