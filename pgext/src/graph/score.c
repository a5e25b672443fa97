/*
 * score.c
 *	  What becomes of a hop's rows: the next hop's seeds, or the best k.
 *
 * Both structures take any number of rows in any order and give a result that
 * does not depend on that order.
 */
#include "postgres.h"

#include "executor/nodeHash.h"
#include "utils/memutils.h"

#include "graph/score.h"

#define FIRST_ITEMS 64

/* Least cost first within an id, so that the first of equals is kept. */
static inline int
frontier_compare(const FrontierItem *a, const FrontierItem *b)
{
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return 0;
}

#define ST_SORT sort_frontier
#define ST_ELEMENT_TYPE FrontierItem
#define ST_COMPARE(a, b) frontier_compare(a, b)
#define ST_SCOPE static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "miscadmin.h"
#include "lib/sort_template.h"

/* topk_sort() cannot be interrupted, and k is the caller's. */
#define ST_SORT sort_ranking
#define ST_ELEMENT_TYPE TopkItem
#define ST_COMPARE(a, b) topk_compare(a, b)
#define ST_SCOPE static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

void
frontier_init(Frontier *frontier)
{
	memset(frontier, 0, sizeof(*frontier));
	frontier->context = CurrentMemoryContext;
}

/* Keep one item of each id, that of the least cost. */
static void
frontier_compact(Frontier *frontier)
{
	size_t		n = 0;

	sort_frontier(frontier->items, frontier->count);
	for (size_t i = 0; i < frontier->count; i++)
	{
		if (n == 0 || frontier->items[n - 1].id != frontier->items[i].id)
			frontier->items[n++] = frontier->items[i];
	}
	frontier->count = n;
}

/*
 * Make room for one more. Rows that lead to the same id take no memory for
 * long, so what counts is the number of different ids.
 */
static void
frontier_grow(Frontier *frontier)
{
	size_t		limit = get_hash_memory_limit();

	frontier_compact(frontier);
	if (frontier->count <= frontier->allocated / 2)
		return;
	if (frontier->allocated * 2 * sizeof(FrontierItem) > Max(limit, 65536))
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("too many entities to expand"),
				 errdetail("More than %zu distinct entities do not fit into \"work_mem\" times \"hash_mem_multiplier\", which is %zu kB.",
						   frontier->count, limit / 1024),
				 errhint("Raise \"work_mem\", or narrow the search by relations, seeds or \"limit_rows\".")));
	frontier->allocated *= 2;
	frontier->items = (FrontierItem *)
		repalloc_huge(frontier->items,
					  frontier->allocated * sizeof(FrontierItem));
}

void
frontier_add(Frontier *frontier, int32 id, double cost)
{
	Assert(frontier->ids == NULL);
	if (frontier->count == frontier->allocated)
	{
		if (frontier->items == NULL)
		{
			frontier->allocated = FIRST_ITEMS;
			frontier->items = (FrontierItem *)
				MemoryContextAlloc(frontier->context,
								   FIRST_ITEMS * sizeof(FrontierItem));
		}
		else
			frontier_grow(frontier);
	}
	frontier->items[frontier->count].id = id;
	frontier->items[frontier->count++].cost = cost;
}

void
frontier_seal(Frontier *frontier)
{
	size_t		n = 0;

	Assert(frontier->ids == NULL);
	if (frontier->count > 1)
		sort_frontier(frontier->items, frontier->count);
	frontier->ids = (int32 *)
		MemoryContextAllocHuge(frontier->context,
							   Max(frontier->count, 1) * sizeof(int32));
	frontier->costs = (double *)
		MemoryContextAllocHuge(frontier->context,
							   Max(frontier->count, 1) * sizeof(double));
	for (size_t i = 0; i < frontier->count; i++)
	{
		if (n > 0 && frontier->ids[n - 1] == frontier->items[i].id)
			continue;
		frontier->ids[n] = frontier->items[i].id;
		frontier->costs[n++] = frontier->items[i].cost;
	}
	frontier->count = n;
	if (frontier->items != NULL)
		pfree(frontier->items);
	frontier->items = NULL;
}

double
frontier_cost(const Frontier *frontier, int32 id)
{
	size_t		low = 0;
	size_t		high = frontier->count;

	/* ids[0 .. low-1] < id <= ids[high ..] */
	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (frontier->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low >= frontier->count || frontier->ids[low] != id)
		elog(ERROR, "entity %d was not asked for", id);
	return frontier->costs[low];
}

/* Order-preserving image of an int4. */
static inline uint64
image_int32(int32 value)
{
	return (uint32) value ^ UINT32_C(0x80000000);
}

/*
 * The row's columns as two images: null entity, entity, null relation,
 * relation; then null target, target. Nulls compare above every value.
 */
static inline void
tie_images(const FactKey *key, TopkItem *item)
{
	item->tie_hi = image_int32(key->entity) << 17 |
		(uint64) ((uint16) key->relation ^ 0x8000);
	if (key->nulls & FACT_NULL(FACT_ENTITY))
		item->tie_hi |= UINT64_C(1) << 49;
	if (key->nulls & FACT_NULL(FACT_RELATION))
		item->tie_hi |= UINT64_C(1) << 16;
	item->tie_lo = image_int32(key->target);
	if (key->nulls & FACT_NULL(FACT_TARGET))
		item->tie_lo |= UINT64_C(1) << 32;
}

FactKey
ranking_key(const TopkItem *item)
{
	FactKey		key;

	key.entity = (int32) ((uint32) (item->tie_hi >> 17) ^ UINT32_C(0x80000000));
	key.relation = (int16) ((uint16) item->tie_hi ^ 0x8000);
	key.target = (int32) ((uint32) item->tie_lo ^ UINT32_C(0x80000000));
	key.nulls = 0;
	if (item->tie_hi >> 49 & 1)
		key.nulls |= FACT_NULL(FACT_ENTITY);
	if (item->tie_hi >> 16 & 1)
		key.nulls |= FACT_NULL(FACT_RELATION);
	if (item->tie_lo >> 32 & 1)
		key.nulls |= FACT_NULL(FACT_TARGET);
	return key;
}

void
ranking_init(Ranking *ranking, uint32 k, FactSource *source)
{
	uint32		capacity = Min(k, FIRST_ITEMS);

	ranking->context = CurrentMemoryContext;
	ranking->source = source;
	ranking->k = k;
	topk_init(&ranking->heap,
			  (TopkItem *) palloc(capacity * sizeof(TopkItem)), capacity);
}

/* Make room for one more while the heap holds fewer than k. */
static void
ranking_grow(Ranking *ranking)
{
	Topk	   *heap = &ranking->heap;
	uint32		capacity = (uint32) Min((uint64) heap->capacity * 2,
										(uint64) ranking->k);

	heap->items = (TopkItem *)
		repalloc_huge(heap->items, (Size) capacity * sizeof(TopkItem));
	heap->capacity = capacity;
}

void
ranking_offer(Ranking *ranking, const FactRow *row, double score)
{
	Topk	   *heap = &ranking->heap;
	TopkItem	item;

	item.dist = score;
	tie_images(&row->key, &item);
	item.ref = row->ref;
	if (heap->count == heap->capacity && heap->capacity < ranking->k)
		ranking_grow(ranking);
	if (!topk_would_accept(heap, &item))
		return;
	if (ranking->source != NULL)
	{
		if (heap->count == heap->capacity)
			ranking->source->drop(ranking->source, heap->items[0].ref);
		item.ref = ranking->source->keep(ranking->source, row);
	}
	topk_push(heap, &item);
}

void
ranking_finish(Ranking *ranking)
{
	if (ranking->heap.count > 1)
		sort_ranking(ranking->heap.items, ranking->heap.count);
}
