/*
 * block.c
 *	  From pages to the memory of a version.
 *
 * Order: the map, the list of pages with free slots, all node pages, upper
 * lists, the map again. A slot that is free when its page is read was free when
 * the list was, or is on the last page or beyond; so where the counters are the
 * same at the end, whoever looks at those pages later finds all slots that were
 * filled since.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "corehost.h"
#include "hnsw/cache/block.h"
#include "hnsw/store.h"
#include "status.h"

/* Strays are compared by every scan: more than these, and pages are better. */
#define MIN_STRAYS 1024
#define STRAYS_SHARE 100

/* Pages, and nodes, after which it is asked whether others are waiting. */
#define PAGES_AT_A_TIME 64
#define NODES_AT_A_TIME 4096

/* The list is read from its start so often when others take pages from it. */
#define LIST_TRIES 100

static HnswImageShape
image_shape(const HnswMap *map)
{
	const HnswShape *shape = &map->shape;
	HnswImageShape image = {0};

	image.nnodes = hnsw_map_nodes(map);
	image.m = shape->m;
	image.slot_bytes = shape->node_bytes;
	image.nlinks_at = offsetof(HnswNode, nlinks);
	image.links_at = sizeof(HnswNode);
	image.next_at = offsetof(HnswNode, twin);
	image.record_at = shape->record_at;
	image.upper_lists = map->npages[HNSW_SPACE_UPPER] * shape->per_page[HNSW_SPACE_UPPER];
	image.max_strays = Max(MIN_STRAYS, image.nnodes / STRAYS_SHARE);
	return image;
}

/* Where the image starts, after so many pages of the list. */
static Size
image_place(uint32 nlisted)
{
	return TYPEALIGN(HNSW_IMAGE_LINE, sizeof(HnswBlock) + (Size) nlisted * sizeof(HnswListed));
}

Size
hnsw_block_estimate(const HnswMap *map)
{
	HnswImageShape shape = image_shape(map);
	size_t		bytes;

	if (hnsw_image_bytes(&shape, &map->shape.form, &bytes) != CORE_OK ||
		bytes > SIZE_MAX / 2)
		return SIZE_MAX;
	return image_place(0) + bytes;
}

/* The list of pages with free slots, in order; false when it was never still. */
static bool
read_list(Relation index, HnswBlockPlan *plan)
{
	HnswMap    *map = &plan->map;

	for (int tries = 0; tries < LIST_TRIES; tries++)
	{
		uint32		page;
		uint32		room = 64;

		hnsw_map_read(index, map);
		page = map->free_page[HNSW_SPACE_NODES];
		plan->listed = palloc(room * sizeof(uint32));
		plan->nlisted = 0;
		while (page < map->npages[HNSW_SPACE_NODES] &&
			   plan->nlisted <= map->npages[HNSW_SPACE_NODES])
		{
			HnswFreeLink link;
			uint32		slot;
			Buffer		buffer;

			CHECK_FOR_INTERRUPTS();
			buffer = hnsw_slot_read(index, map, HNSW_SPACE_NODES,
									page * map->shape.per_page[HNSW_SPACE_NODES],
									BUFFER_LOCK_SHARE, &slot);
			link = hnsw_page_free_link(BufferGetPage(buffer));
			UnlockReleaseBuffer(buffer);
			if (!link.listed)
				break;
			if (plan->nlisted == room)
			{
				room *= 2;
				plan->listed = repalloc_huge(plan->listed, (Size) room * sizeof(uint32));
			}
			plan->listed[plan->nlisted++] = page;
			page = link.next;
		}
		if (page >= map->npages[HNSW_SPACE_NODES])
			return true;
		pfree(plan->listed);
	}
	return false;
}

bool
hnsw_block_plan(Relation index, HnswBlockPlan *plan)
{
	size_t		bytes;

	plan->index = index;
	if (!read_list(index, plan) || hnsw_map_in_change(&plan->map) ||
		plan->map.entry.node == HNSW_NO_NODE)
		return false;
	plan->shape = image_shape(&plan->map);
	core_check(hnsw_image_bytes(&plan->shape, &plan->map.shape.form, &bytes));
	plan->image_at = image_place(plan->nlisted);
	plan->bytes = add_size(plan->image_at, bytes);
	return true;
}

static bool
gives_way(HnswBlockPlan *plan)
{
	CHECK_FOR_INTERRUPTS();
	if (plan->give_way != NULL && plan->give_way(plan->index))
		plan->gave_way = true;
	return plan->gave_way;
}

/* Slots of a page as they are, links and all. */
static void
copy_page(HnswBlockPlan *plan, HnswImage *image, uint32 page)
{
	const HnswShape *shape = &plan->map.shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];
	uint32		slot;
	Buffer		buffer = hnsw_slot_read(plan->index, &plan->map, HNSW_SPACE_NODES,
										page * per_page, BUFFER_LOCK_SHARE, &slot);

	for (slot = 0; slot < per_page; slot++)
	{
		HnswNode   *node = hnsw_page_node(shape, BufferGetPage(buffer), slot);
		uint32		number = page * per_page + slot;
		char	   *copy = hnsw_image_slot(image, number);

		if (hnsw_node_state(node) == HNSW_NODE_FREE)
		{
			memset(copy, 0, sizeof(HnswNode));
			continue;
		}
		memcpy(copy, node, shape->node_bytes);
		hnsw_image_add(image, number, hnsw_node_in_graph(node));
	}
	UnlockReleaseBuffer(buffer);
}

/* Lists above level 0; false when there are more than there were, or others wait. */
static bool
copy_uppers(HnswBlockPlan *plan, HnswImage *image, const HnswStore *pages)
{
	uint32		links[HNSW_MAX_LINKS];

	for (uint32 number = 0; number < plan->shape.nnodes; number++)
	{
		HnswNode   *node = (HnswNode *) hnsw_image_slot(image, number);
		int			level = hnsw_node_level(node);

		if (number % NODES_AT_A_TIME == 0 && gives_way(plan))
			return false;
		if (level == 0 || !hnsw_image_has_node(image, number))
			continue;
		CHECK_FOR_INTERRUPTS();
		if (!hnsw_image_raise(image, number, level))
			return false;
		for (int at = 1; at <= level; at++)
			hnsw_image_set_links(image, number, at, links,
								 pages->links(pages->state, number, at, links));
	}
	return true;
}

static uint32
free_slots(const HnswImage *image, uint32 page, uint32 per_page)
{
	uint32		count = 0;

	for (uint32 slot = 0; slot < per_page; slot++)
		count += !hnsw_image_has(image, page * per_page + slot);
	return count;
}

static void
write_head(const HnswBlockPlan *plan, HnswBlock *block, const HnswImage *image)
{
	const HnswMap *map = &plan->map;
	uint32		per_page = map->shape.per_page[HNSW_SPACE_NODES];
	HnswListed *listed = hnsw_block_listed(block);
	uint32		sum = 0;

	memset(block, 0, sizeof(HnswBlock));
	block->nonce = map->nonce;
	block->vacuums = map->vacuums;
	block->repairs = map->repairs;
	block->bytes = plan->bytes;
	block->image_at = plan->image_at;
	block->npages = map->npages[HNSW_SPACE_NODES];
	block->last_free = free_slots(image, block->npages - 1, per_page);
	block->nlisted = plan->nlisted;
	for (uint32 i = 0; i < plan->nlisted; i++)
	{
		sum += free_slots(image, plan->listed[i], per_page);
		listed[i].page = plan->listed[i];
		listed[i].free_slots = sum;
	}
}

static bool
is_row(const void *slot)
{
	HnswNodeState state = hnsw_node_state(slot);

	return state == HNSW_NODE_LIVE || state == HNSW_NODE_TWIN;
}

static bool
finish(HnswBlockPlan *plan, HnswImage *image)
{
	CoreStatus	status;
	const char *fault;

	if (!hnsw_image_has_node(image, plan->map.entry.node))
		return false;
	status = hnsw_image_finish(image, plan->map.entry, is_row,
							   core_alloc_in(CurrentMemoryContext), core_interruptible, NULL);
	if (status == CORE_TOO_LARGE)
		return false;			/* too many strays */
	core_check(status);
	fault = hnsw_image_fault(image);
	if (fault != NULL)
		elog(ERROR, "image of an index is not sound: %s", fault);
	return true;
}

bool
hnsw_block_fill(HnswBlockPlan *plan, void *memory)
{
	HnswBlock  *block = memory;
	void	   *image_memory = (char *) memory + plan->image_at;
	HnswPageStore *store = hnsw_store_make(plan->index, &plan->map);
	HnswStore	pages = hnsw_store_of(store);
	HnswMap    *after;
	HnswImage	image;

	hnsw_image_format(image_memory, &plan->shape, &plan->map.shape.form);
	image = hnsw_image_attach(image_memory, &plan->map.shape.form);
	for (uint32 page = 0; page < plan->map.npages[HNSW_SPACE_NODES]; page++)
	{
		CHECK_FOR_INTERRUPTS();
		if (page % PAGES_AT_A_TIME == 0 && gives_way(plan))
			return false;
		copy_page(plan, &image, page);
	}
	if (!copy_uppers(plan, &image, &pages))
		return false;
	hnsw_store_forget(store);
	write_head(plan, block, &image);
	after = palloc(sizeof(HnswMap));
	hnsw_map_read(plan->index, after);
	return hnsw_block_is_current(block, after) && finish(plan, &image);
}
