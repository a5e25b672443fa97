/*
 * store.c
 *	  The graph on pages as the core sees it.
 *
 * Links are read under the page's share lock. Records and halves are read
 * under a pin alone: they do not change while their slot is in use, and a
 * writer that copies a whole page back over itself writes the same bytes there.
 * Should a slot be freed and used again meanwhile, which only replay on a
 * standby does under a walk, a distance may be of a mixture, and ranks one node
 * wrongly. So nothing is decided by a record: whoever takes a row from a slot
 * reads its head under the lock.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "bufferhint.h"
#include "compat.h"
#include "hnsw/store.h"

/* Pages pinned at a time for records: two batches of the kernels for four, and
 * as many as core counts without a hash table. */
#define GROUP 8

struct HnswPageStore
{
	Relation	index;
	HnswMap    *map;
	Snapshot	snapshot;		/* or NULL */
	MemoryContext parent;
	MemoryContext copies;		/* of vectors; NULL until one is asked for */
	uint64		evaluated;
	uint64		pages;
	const HnswImage *image;		/* or NULL */
	const HnswVisited *filled;	/* slots that it has not, though they were
								 * there */

	/* The page of hnsw_store_lock, and that of hnsw_store_halves. */
	Buffer		locked;
	BlockNumber locked_block;
	Buffer		halves;
};

HnswPageStore *
hnsw_store_make(Relation index, HnswMap *map)
{
	HnswPageStore *store = palloc0(sizeof(HnswPageStore));

	store->index = index;
	store->map = map;
	store->parent = CurrentMemoryContext;
	store->locked = InvalidBuffer;
	store->halves = InvalidBuffer;
	return store;
}

void
hnsw_store_watch(HnswPageStore *store, Snapshot snapshot)
{
	Buffer		buffer;

	store->snapshot = snapshot;
	/* A walk of an empty graph reads no page that could tell. */
	if (store->map->entry.node != HNSW_NO_NODE)
		return;
	buffer = hnsw_meta_read(store->index, BUFFER_LOCK_SHARE);
	TestForOldSnapshot(snapshot, store->index, BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
}

void
hnsw_store_use(HnswPageStore *store, const HnswImage *image, const HnswVisited *filled)
{
	store->image = image;
	store->filled = filled;
}

static inline bool
in_image(const HnswPageStore *store, uint32 number)
{
	return store->image != NULL && hnsw_image_has(store->image, number);
}

/* Where a node's record is: block, and offset on the page. */
static inline BlockNumber
record_place(const HnswMap *map, uint32 node, Size *at)
{
	const HnswShape *shape = &map->shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];
	uint32		page = node / per_page;

	*at = MAXALIGN(SizeOfPageHeaderData) +
		(Size) (node - page * per_page) * shape->node_bytes + shape->record_at;
	return hnsw_map_block(map, HNSW_SPACE_NODES, page);
}

/* Pins of one group of records. */
typedef struct Pins
{
	int			count;
	BlockNumber blocks[GROUP];
	Buffer		buffers[GROUP];
} Pins;

static inline Page
pins_page(HnswPageStore *store, Pins *pins, BlockNumber block)
{
	Buffer		buffer;

	for (int i = pins->count - 1; i >= 0; i--)
	{
		if (pins->blocks[i] == block)
			return BufferGetPage(pins->buffers[i]);
	}
	buffer = bufferhint_read(store->index, block);
	pins->blocks[pins->count] = block;
	pins->buffers[pins->count] = buffer;
	pins->count++;
	store->pages++;
	return BufferGetPage(buffer);
}

static inline void
pins_release(Pins *pins)
{
	while (pins->count > 0)
		ReleaseBuffer(pins->buffers[--pins->count]);
}

/* Distances to at most GROUP nodes. */
static void
group_distances(HnswPageStore *store, const void *from, const BlockNumber *blocks,
				const Size *at, uint32 count, float *out)
{
	const HnswForm *form = &store->map->shape.form;
	const void *records[GROUP];
	Pins		pins = {0};

	for (uint32 i = 0; i < count; i++)
		records[i] = blocks[i] == InvalidBlockNumber ? from
			: pins_page(store, &pins, blocks[i]) + at[i];
	hnsw_form_distances(form, from, records, count, out);
	pins_release(&pins);

	/*
	 * A number that leads nowhere is infinitely far; and never NaN, which a
	 * damaged record may give.
	 */
	for (uint32 i = 0; i < count; i++)
	{
		if (blocks[i] == InvalidBlockNumber || isnan(out[i]))
			out[i] = INFINITY;
	}
}

static void
page_distances(HnswPageStore *store, const void *from, const uint32_t *nodes,
			   uint32_t count, float *out)
{
	BlockNumber blocks[HNSW_MAX_LINKS];
	Size		at[HNSW_MAX_LINKS];

	for (uint32_t i = 0; i < count; i++)
	{
		blocks[i] = record_place(store->map, nodes[i], &at[i]);
		if (blocks[i] != InvalidBlockNumber)
			bufferhint_prefetch(store->index, blocks[i], at[i],
								store->map->shape.record_bytes);
	}
	for (uint32_t i = 0; i < count; i += GROUP)
		group_distances(store, from, blocks + i, at + i, Min(count - i, GROUP), out + i);
}

/* To a node of the image: its distance, or what a sketch tells of it. */
static inline void
image_distance(HnswPageStore *store, const HnswSketchQuery *sketch, const void *from,
			   uint32_t node, float *out)
{
	if (sketch != NULL)
		hnsw_image_estimates(store->image, sketch, &node, 1, out);
	else
		hnsw_image_distances(store->image, from, &node, 1, out);
}

/* Some of the nodes are in the image, some on pages. */
static void
mixed_distances(HnswPageStore *store, const HnswSketchQuery *sketch, const void *from,
				const uint32_t *nodes, uint32_t count, float *out)
{
	uint32_t	rest[HNSW_MAX_LINKS];
	float		dists[HNSW_MAX_LINKS];
	uint32_t	nrest = 0;
	uint32_t	at = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		if (in_image(store, nodes[i]))
			image_distance(store, sketch, from, nodes[i], &out[i]);
		else
			rest[nrest++] = nodes[i];
	}
	if (nrest > 0)
		page_distances(store, from, rest, nrest, dists);
	for (uint32_t i = 0; i < count; i++)
	{
		if (!in_image(store, nodes[i]))
			out[i] = dists[at++];
	}
}

static bool
all_in_image(const HnswPageStore *store, const uint32_t *nodes, uint32_t count)
{
	bool		all = store->image != NULL;

	for (uint32_t i = 0; i < count && all; i++)
		all = hnsw_image_has(store->image, nodes[i]);
	return all;
}

static void
store_distances(void *state, const void *from, const uint32_t *nodes, uint32_t count,
				float *out)
{
	HnswPageStore *store = state;

	Assert(count <= HNSW_MAX_LINKS);
	if (all_in_image(store, nodes, count))
		hnsw_image_distances(store->image, from, nodes, count, out);
	else if (store->image != NULL)
		mixed_distances(store, NULL, from, nodes, count, out);
	else
		page_distances(store, from, nodes, count, out);
	store->evaluated += count;
}

/* Of an image with sketches. */
static void
store_estimates(void *state, const HnswSketchQuery *sketch, const void *from,
				const uint32_t *nodes, uint32_t count, float *out)
{
	HnswPageStore *store = state;

	Assert(count <= HNSW_MAX_LINKS);
	if (all_in_image(store, nodes, count))
		hnsw_image_estimates(store->image, sketch, nodes, count, out);
	else
		mixed_distances(store, sketch, from, nodes, count, out);
	store->evaluated += count;
}

static HnswNode *
lock_slot(HnswPageStore *store, uint32 number, bool check)
{
	const HnswShape *shape = &store->map->shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];
	uint32		page = number / per_page;
	BlockNumber block = hnsw_map_block(store->map, HNSW_SPACE_NODES, page);

	if (block == InvalidBlockNumber)
		return NULL;
	if (store->locked == InvalidBuffer || store->locked_block != block)
	{
		hnsw_store_unlock(store);
		store->locked = bufferhint_read(store->index, block);
		store->locked_block = block;
		store->pages++;
		LockBuffer(store->locked, BUFFER_LOCK_SHARE);
		if (check)
			hnsw_page_check(store->index, block, BufferGetPage(store->locked),
							HNSW_PAGE_NODES, page);
		TestForOldSnapshot(store->snapshot, store->index, BufferGetPage(store->locked));
	}
	return hnsw_page_node(shape, BufferGetPage(store->locked), number % per_page);
}

/* A slot of the image; one that was free is as good there as on its page, unless
 * it has been filled. */
static inline HnswNode *
image_slot(const HnswPageStore *store, uint32 number)
{
	if (store->image == NULL || number >= store->image->shape.nnodes)
		return NULL;
	if (!hnsw_image_has(store->image, number) && store->filled->count > 0 &&
		hnsw_visited_contains(store->filled, number))
		return NULL;
	return (HnswNode *) hnsw_image_slot(store->image, number);
}

/* A pass is as fast as memory comes. */
static void
prefetch_page(HnswPageStore *store, uint32 page)
{
	BlockNumber block = hnsw_map_block(store->map, HNSW_SPACE_NODES, page);

	if (block != InvalidBlockNumber)
		bufferhint_prefetch(store->index, block, 0, BLCKSZ);
}

HnswNode *
hnsw_store_lock(HnswPageStore *store, uint32 number)
{
	HnswNode   *slot = image_slot(store, number);

	if (slot != NULL)
		return slot;
	return lock_slot(store, number, true);
}

HnswNode *
hnsw_store_lock_linked(HnswPageStore *store, uint32 number)
{
	if (number >= hnsw_map_nodes(store->map))
	{
		hnsw_store_unlock(store);
		hnsw_map_grow(store->index, store->map);
	}
	return hnsw_store_lock(store, number);
}

const HnswImage *
hnsw_store_image_of(const HnswPageStore *store, uint32 page)
{
	uint32		per_page = store->map->shape.per_page[HNSW_SPACE_NODES];

	if (store->image == NULL || store->filled->count > 0 ||
		(page + 1) * per_page > store->image->shape.nnodes)
		return NULL;
	return store->image;
}

uint32
hnsw_store_lock_page(HnswPageStore *store, uint32 page, HnswNode **slots)
{
	const HnswShape *shape = &store->map->shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];
	uint32		first = page * per_page;
	uint32		imaged = store->image == NULL ? 0 : store->image->shape.nnodes;
	HnswNode   *slot;

	if (hnsw_store_image_of(store, page) != NULL)
	{
		for (uint32 i = 0; i < per_page; i++)
			slots[i] = (HnswNode *) hnsw_image_slot(store->image, first + i);
		return per_page;
	}
	if (first < imaged)
	{
		/* Those that are on pages are all on this one. */
		for (uint32 i = 0; i < per_page; i++)
			slots[i] = hnsw_store_lock(store, first + i);
		return per_page;
	}
	prefetch_page(store, page + 1);
	slot = lock_slot(store, first, true);
	for (uint32 i = 0; i < per_page; i++)
	{
		slots[i] = slot;
		slot = (HnswNode *) ((char *) slot + shape->node_bytes);
	}
	return per_page;
}

void
hnsw_store_unlock(HnswPageStore *store)
{
	if (store->locked != InvalidBuffer)
		UnlockReleaseBuffer(store->locked);
	store->locked = InvalidBuffer;
}

/* Links that lead somewhere, of a list on a locked page. */
static uint32
copy_links(const HnswMap *map, const uint32 *links, uint32 count, uint32_t *out)
{
	uint32		nodes = hnsw_map_nodes(map);
	uint32		copied = 0;

	for (uint32 i = 0; i < count; i++)
	{
		out[copied] = links[i];
		copied += links[i] < nodes;
	}
	return copied;
}

/* The list of an upper level: along the chain from the slot of level 1. */
static uint32
upper_links(HnswPageStore *store, uint32 owner, int level, uint32 slot, uint32_t *out)
{
	const HnswMap *map = store->map;

	for (int at = 1; at <= level && slot != HNSW_NO_SLOT; at++)
	{
		uint32		on_page;
		uint32		copied = 0;
		HnswUpper  *upper;
		bool		is_it;
		Buffer		buffer = hnsw_slot_read(store->index, map, HNSW_SPACE_UPPER, slot,
											BUFFER_LOCK_SHARE, &on_page);

		if (!BufferIsValid(buffer))
			break;
		store->pages++;
		TestForOldSnapshot(store->snapshot, store->index, BufferGetPage(buffer));
		upper = hnsw_page_upper(&map->shape, BufferGetPage(buffer), on_page);
		is_it = upper->owner == owner && upper->level == at;
		slot = is_it ? upper->next : HNSW_NO_SLOT;
		if (is_it && at == level)
			copied = copy_links(map, hnsw_upper_links(upper),
								hnsw_upper_nlinks(&map->shape, upper), out);
		UnlockReleaseBuffer(buffer);
		if (at == level)
			return copied;
	}
	return 0;
}

static uint32_t
page_links(HnswPageStore *store, uint32_t number, int level, uint32_t *out)
{
	const HnswShape *shape = &store->map->shape;

	/*
	 * Unchecked: both ends of the page are memory that nothing else needs,
	 * and links may be wrong anyhow.
	 */
	HnswNode   *node = lock_slot(store, number, false);
	uint32		count = 0;
	uint32		upper = HNSW_NO_SLOT;

	if (node != NULL && hnsw_node_in_graph(node) && hnsw_node_level(node) >= level)
	{
		upper = node->upper;
		if (level == 0)
			count = copy_links(store->map, hnsw_node_links(node),
							   hnsw_node_nlinks(shape, node), out);
	}
	hnsw_store_unlock(store);
	return level == 0 ? count : upper_links(store, number, level, upper, out);
}

/* Of links on a page, those to nodes of the image. */
static uint32_t
keep_imaged(const HnswImage *image, uint32_t *links, uint32_t count)
{
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		links[kept] = links[i];
		kept += hnsw_image_has_node(image, links[i]);
	}
	return kept;
}

static uint32_t
store_links(void *state, uint32_t number, int level, uint32_t *out)
{
	HnswPageStore *store = state;
	uint32_t	count;

	if (in_image(store, number))
		return hnsw_image_links(store->image, number, level, out);
	count = page_links(store, number, level, out);
	return store->image == NULL ? count : keep_imaged(store->image, out, count);
}

static const void *
store_vector(void *state, uint32_t number)
{
	HnswPageStore *store = state;
	Size		bytes = store->map->shape.record_bytes;
	BlockNumber block;
	Size		at;
	void	   *copy;

	if (in_image(store, number))
		return hnsw_image_record(store->image, number);
	if (store->copies == NULL)
		store->copies = AllocSetContextCreate(store->parent, "sorted_hnsw records",
											  ALLOCSET_DEFAULT_SIZES);
	copy = MemoryContextAllocZero(store->copies, bytes);
	block = record_place(store->map, number, &at);
	if (block != InvalidBlockNumber)
	{
		Buffer		buffer = bufferhint_read(store->index, block);

		memcpy(copy, BufferGetPage(buffer) + at, bytes);
		ReleaseBuffer(buffer);
		store->pages++;
	}
	return copy;
}

/* On pages a pin would cost more than the hint is worth. */
void
hnsw_store_hint(const HnswPageStore *store, uint32 number)
{
	if (in_image(store, number))
		dist_prefetch(hnsw_image_slot(store->image, number), 1);
}

static void
store_announce(void *state, uint32_t number)
{
	HnswPageStore *store = state;

	if (in_image(store, number))
		hnsw_image_announce(store->image, number);
}

HnswStore
hnsw_store_of(HnswPageStore *store)
{
	HnswStore	result = {store, store_links, store_distances, store_vector, store_announce,
	store_estimates};

	return result;
}

bool
hnsw_store_node(HnswPageStore *store, uint32 number, HnswNode *head, char *columns)
{
	const HnswShape *shape = &store->map->shape;
	HnswNode   *node = hnsw_store_lock(store, number);
	bool		found = node != NULL && hnsw_node_in_graph(node);

	if (found)
	{
		*head = *node;
		if (columns != NULL)
			memcpy(columns, hnsw_node_columns(shape, node),
				   shape->record_at - shape->columns_at);
	}
	hnsw_store_unlock(store);
	return found;
}

const DistHalf *
hnsw_store_halves(HnswPageStore *store, uint32 number)
{
	const HnswShape *shape = &store->map->shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_REFINE];
	uint32		page = per_page > 0 ? number / per_page : HNSW_NO_PAGE;
	BlockNumber block = hnsw_map_block(store->map, HNSW_SPACE_REFINE, page);

	if (BufferIsValid(store->halves))
		ReleaseBuffer(store->halves);
	store->halves = InvalidBuffer;
	if (block == InvalidBlockNumber)
		return NULL;
	store->halves = bufferhint_read(store->index, block);
	store->pages++;
	return hnsw_page_halves(shape, BufferGetPage(store->halves), number % per_page);
}

bool
hnsw_store_is_current(const HnswPageStore *store)
{
	return hnsw_map_is_current(store->index, store->map);
}

void
hnsw_store_prefetch_halves(HnswPageStore *store, uint32 number)
{
	const HnswShape *shape = &store->map->shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_REFINE];
	uint32		page = per_page > 0 ? number / per_page : HNSW_NO_PAGE;
	BlockNumber block = hnsw_map_block(store->map, HNSW_SPACE_REFINE, page);

	if (block != InvalidBlockNumber)
		bufferhint_prefetch(store->index, block, MAXALIGN(SizeOfPageHeaderData) +
							(Size) (number % per_page) * shape->refine_bytes,
							shape->refine_bytes);
}

void
hnsw_store_forget(HnswPageStore *store)
{
	hnsw_store_unlock(store);
	if (BufferIsValid(store->halves))
		ReleaseBuffer(store->halves);
	store->halves = InvalidBuffer;
	if (store->copies != NULL)
		MemoryContextReset(store->copies);
}

const HnswMap *
hnsw_store_map(const HnswPageStore *store)
{
	return store->map;
}

uint64
hnsw_store_pages(const HnswPageStore *store)
{
	return store->pages;
}

uint64
hnsw_store_evaluated(const HnswPageStore *store)
{
	return store->evaluated;
}
