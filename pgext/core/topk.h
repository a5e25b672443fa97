/*
 * topk.h
 *	  A bounded heap that keeps the k smallest items seen.
 *
 * Order: distance, then tie_hi, tie_lo, ref, all ascending, so the result does
 * not depend on the order of arrival. Distances must not be NaN: callers leave
 * such rows out before they come here.
 *
 * The heap is a max-heap on that order: the root is the worst item kept, so
 * one comparison refuses most candidates once the heap is full.
 */
#ifndef TOPK_H
#define TOPK_H

#include "core.h"

typedef struct TopkItem
{
	double		dist;
	uint64_t	tie_hi;
	uint64_t	tie_lo;
	uint64_t	ref;			/* what the item stands for, last in the order */
} TopkItem;

typedef struct Topk
{
	TopkItem   *items;			/* room for `capacity` items, owned by the
								 * caller */
	uint32_t	capacity;		/* k >= 1 */
	uint32_t	count;
} Topk;

/* <0, 0, >0 as a comes before, equals, comes after b. */
static inline int
topk_compare(const TopkItem *a, const TopkItem *b)
{
	if (a->dist != b->dist)
		return a->dist < b->dist ? -1 : 1;
	if (a->tie_hi != b->tie_hi)
		return a->tie_hi < b->tie_hi ? -1 : 1;
	if (a->tie_lo != b->tie_lo)
		return a->tie_lo < b->tie_lo ? -1 : 1;
	if (a->ref != b->ref)
		return a->ref < b->ref ? -1 : 1;
	return 0;
}

static inline void
topk_init(Topk *heap, TopkItem *items, uint32_t capacity)
{
	heap->items = items;
	heap->capacity = capacity;
	heap->count = 0;
}

/* Would an item with this key enter? Lets a caller skip costly work. */
static inline bool
topk_would_accept(const Topk *heap, const TopkItem *item)
{
	return heap->count < heap->capacity || topk_compare(item, &heap->items[0]) < 0;
}

static inline void
topk_sift_down(TopkItem *items, uint32_t count, uint32_t at)
{
	TopkItem	moved = items[at];

	for (;;)
	{
		uint64_t	child = 2 * (uint64_t) at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && topk_compare(&items[child], &items[child + 1]) < 0)
			child++;
		if (topk_compare(&moved, &items[child]) >= 0)
			break;
		items[at] = items[child];
		at = (uint32_t) child;
	}
	items[at] = moved;
}

/* Offer an item; true when it was kept. */
static inline bool
topk_push(Topk *heap, const TopkItem *item)
{
	if (heap->count < heap->capacity)
	{
		uint32_t	at = heap->count++;

		while (at > 0)
		{
			uint32_t	parent = (at - 1) / 2;

			if (topk_compare(item, &heap->items[parent]) <= 0)
				break;
			heap->items[at] = heap->items[parent];
			at = parent;
		}
		heap->items[at] = *item;
		return true;
	}
	if (topk_compare(item, &heap->items[0]) >= 0)
		return false;
	heap->items[0] = *item;
	topk_sift_down(heap->items, heap->count, 0);
	return true;
}

/* Sort what was kept, best first; the heap is then no longer a heap. */
static inline void
topk_sort(Topk *heap)
{
	for (uint32_t n = heap->count; n > 1; n--)
	{
		TopkItem	last = heap->items[n - 1];

		heap->items[n - 1] = heap->items[0];
		heap->items[0] = last;
		topk_sift_down(heap->items, n - 1, 0);
	}
}

#endif							/* TOPK_H */
