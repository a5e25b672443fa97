/*
 * hnsw_keys.h
 *	  Growing arrays of keys, as lists and as heaps.
 *
 * The heap's root is its smallest key. A heap of complements has its largest at
 * the root, which is how a walk bounds what it keeps.
 *
 * Room doubles, so all that was outgrown is together smaller than what is in use,
 * where the CoreAlloc does not take it back.
 */
#ifndef HNSW_KEYS_H
#define HNSW_KEYS_H

#include <string.h>

#include "hnsw.h"

typedef struct HnswKeys
{
	HnswKey    *items;
	uint32_t	count;
	uint32_t	room;
} HnswKeys;

/* Room for at least `wanted` keys; what is there stays. */
static inline CoreStatus
hnsw_keys_reserve(HnswKeys *keys, const CoreAlloc *alloc, uint64_t wanted)
{
	uint64_t	room = keys->room < 64 ? 64 : keys->room;
	HnswKey    *items;

	if (wanted <= keys->room)
		return CORE_OK;
	while (room < wanted)
		room *= 2;
	if (room > UINT32_MAX / 2)
		return CORE_TOO_LARGE;
	items = alloc->alloc(alloc->state, (size_t) room * sizeof(HnswKey));
	if (items == NULL)
		return CORE_NO_MEMORY;
	if (keys->count > 0)
		memcpy(items, keys->items, keys->count * sizeof(HnswKey));
	core_release(alloc, keys->items);
	keys->items = items;
	keys->room = (uint32_t) room;
	return CORE_OK;
}

/* The caller has reserved the room. */
static inline void
hnsw_keys_append(HnswKeys *keys, HnswKey key)
{
	keys->items[keys->count++] = key;
}

static inline void
hnsw_heap_sift_down(HnswKey *items, uint32_t count, uint32_t at, HnswKey moved)
{
	for (;;)
	{
		uint32_t	child = 2 * at + 1;

		if (child >= count)
			break;
		child += child + 1 < count && items[child + 1] < items[child];
		if (moved <= items[child])
			break;
		items[at] = items[child];
		at = child;
	}
	items[at] = moved;
}

/* The caller has reserved the room. */
static inline void
hnsw_heap_push(HnswKeys *heap, HnswKey key)
{
	uint32_t	at = heap->count++;

	while (at > 0)
	{
		uint32_t	parent = (at - 1) / 2;

		if (heap->items[parent] <= key)
			break;
		heap->items[at] = heap->items[parent];
		at = parent;
	}
	heap->items[at] = key;
}

/* Of a heap that is not empty. */
static inline HnswKey
hnsw_heap_pop(HnswKeys *heap)
{
	HnswKey		root = heap->items[0];

	heap->count--;
	if (heap->count > 0)
		hnsw_heap_sift_down(heap->items, heap->count, 0, heap->items[heap->count]);
	return root;
}

static inline void
hnsw_heap_replace_root(HnswKeys *heap, HnswKey key)
{
	hnsw_heap_sift_down(heap->items, heap->count, 0, key);
}

/* Ascending, in place. */
extern void hnsw_keys_sort(HnswKey *items, uint32_t count);

/* Bring the `first` smallest, at least one of them, before all others, the largest of
 * them last. Else they have no order. */
extern void hnsw_keys_select(HnswKey *items, uint32_t count, uint32_t first);

#endif							/* HNSW_KEYS_H */
