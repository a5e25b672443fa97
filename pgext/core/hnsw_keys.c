/*
 * hnsw_keys.c
 *	  Keys in order: by parting them around one of them again and again.
 *
 * Keys are about distances, so a branch on which of two is smaller is a coin that
 * no processor can foresee: to part keys takes none. Where parts stay uneven, as they
 * may by bad luck or by intent, a heap does the rest.
 */
#include "hnsw_keys.h"

/* So few keys are put in order one by one. */
#define FEW 12

static void
insertion_sort(HnswKey *items, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
	{
		HnswKey		key = items[i];
		uint32_t	at = i;

		for (; at > 0 && items[at - 1] > key; at--)
			items[at] = items[at - 1];
		items[at] = key;
	}
}

static void
heap_sort(HnswKey *items, uint32_t count)
{
	/* A heap of complements has the largest key at its root. */
	for (uint32_t i = 0; i < count; i++)
		items[i] = ~items[i];
	for (uint32_t i = count / 2; i > 0; i--)
		hnsw_heap_sift_down(items, count, i - 1, items[i - 1]);
	for (uint32_t n = count; n > 1; n--)
	{
		HnswKey		last = items[n - 1];

		items[n - 1] = items[0];
		hnsw_heap_sift_down(items, n - 1, 0, last);
	}
	for (uint32_t i = 0; i < count; i++)
		items[i] = ~items[i];
}

static inline void
swap(HnswKey *a, HnswKey *b)
{
	HnswKey		key = *a;

	*a = *b;
	*b = key;
}

/* The middle one of the first, the last and the one between goes last. */
static void
choose(HnswKey *items, uint32_t count)
{
	HnswKey    *middle = &items[count / 2];
	HnswKey    *last = &items[count - 1];

	if (*middle < items[0])
		swap(middle, &items[0]);
	if (*last < items[0])
		swap(last, &items[0]);
	if (*middle < *last)
		swap(middle, last);
}

/* Part three keys or more around one of them: before it is what is smaller. Returns
 * its place. */
static uint32_t
part(HnswKey *items, uint32_t count)
{
	uint32_t	place = 0;
	HnswKey		pivot;

	choose(items, count);
	pivot = items[count - 1];
	for (uint32_t i = 0; i < count - 1; i++)
	{
		HnswKey		key = items[i];

		items[i] = items[place];
		items[place] = key;
		place += key < pivot;
	}
	swap(&items[place], &items[count - 1]);
	return place;
}

/* How often keys are parted before a heap takes over: even parts want half of it. */
static uint32_t
patience(uint32_t count)
{
	uint32_t	rounds = 8;

	for (; count > 1; count /= 2)
		rounds += 2;
	return rounds;
}

static void
sort_patiently(HnswKey *items, uint32_t count, uint32_t rounds)
{
	while (count > FEW)
	{
		uint32_t	place;
		uint32_t	behind;

		if (rounds-- == 0)
		{
			heap_sort(items, count);
			return;
		}
		place = part(items, count);
		behind = count - place - 1;

		/*
		 * the shorter part by a call: calls stand no deeper than count has
		 * bits
		 */
		if (place < behind)
		{
			sort_patiently(items, place, rounds);
			items += place + 1;
			count = behind;
		}
		else
		{
			sort_patiently(items + place + 1, behind, rounds);
			count = place;
		}
	}
	insertion_sort(items, count);
}

void
hnsw_keys_sort(HnswKey *items, uint32_t count)
{
	sort_patiently(items, count, patience(count));
}

void
hnsw_keys_select(HnswKey *items, uint32_t count, uint32_t first)
{
	uint32_t	rounds = patience(count);

	if (first > count)
		first = count;
	while (count > FEW)
	{
		uint32_t	place;

		if (rounds-- == 0)
		{
			heap_sort(items, count);
			return;
		}
		place = part(items, count);
		if (place + 1 == first)
			return;
		if (place + 1 > first)
		{
			count = place;
			continue;
		}
		items += place + 1;
		count -= place + 1;
		first -= place + 1;
	}
	insertion_sort(items, count);
}
