/*
 * test_topk.c
 *	  The heap against a full sort, with many ties.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"
#include "../topk.h"

#define MAX_ITEMS 300

/* An order of its own: the tested one must not judge itself. */
static int
oracle_order(const void *left, const void *right)
{
	const TopkItem *a = left;
	const TopkItem *b = right;

	if (a->dist < b->dist || a->dist > b->dist)
		return a->dist < b->dist ? -1 : 1;
	if (a->tie_hi != b->tie_hi)
		return a->tie_hi < b->tie_hi ? -1 : 1;
	if (a->tie_lo != b->tie_lo)
		return a->tie_lo < b->tie_lo ? -1 : 1;
	return (a->ref > b->ref) - (a->ref < b->ref);
}

static bool
same_item(const TopkItem *a, const TopkItem *b)
{
	return a->dist == b->dist && a->tie_hi == b->tie_hi &&
		a->tie_lo == b->tie_lo && a->ref == b->ref;
}

/* Few distinct values in every part of the order; refs all differ. */
static void
fill_items(Random *random, TopkItem *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		items[i].dist = (double) random_below(random, 5) - 2.0;
		if (random_below(random, 50) == 0)
			items[i].dist = random_below(random, 2) ? INFINITY : -INFINITY;
		items[i].tie_hi = random_below(random, 3) ? UINT64_MAX - random_below(random, 2) : 0;
		items[i].tie_lo = random_below(random, 2);
		items[i].ref = UINT64_C(0xFFFFFFFF00000000) + i;
	}
	for (uint32_t i = count; i > 1; i--)
	{
		uint32_t	other = random_below(random, i);
		TopkItem	kept = items[other];

		items[other] = items[i - 1];
		items[i - 1] = kept;
	}
}

static void
check_against_sort(Random *random, uint32_t count, uint32_t k)
{
	TopkItem	items[MAX_ITEMS];
	TopkItem   *room = malloc(k * sizeof(TopkItem));	/* exact, for ASan */
	Topk		heap;

	fill_items(random, items, count);
	topk_init(&heap, room, k);
	for (uint32_t i = 0; i < count; i++)
	{
		bool		expected = topk_would_accept(&heap, &items[i]);

		CHECK(topk_push(&heap, &items[i]) == expected, "item %u of %u, k=%u", i,
			  count, k);
	}
	qsort(items, count, sizeof(TopkItem), oracle_order);
	CHECK(heap.count == (count < k ? count : k), "%u items, k=%u", count, k);
	topk_sort(&heap);
	for (uint32_t i = 0; i < heap.count; i++)
		CHECK(same_item(&room[i], &items[i]), "rank %u of %u, k=%u", i, count, k);
	free(room);
}

static void
keeps_what_a_sort_would(void)
{
	Random		random = {17};

	for (uint32_t k = 1; k <= 40; k++)
	{
		for (uint32_t count = 0; count <= MAX_ITEMS; count += 1 + count / 4)
			check_against_sort(&random, count, k);
	}
	check_against_sort(&random, MAX_ITEMS, MAX_ITEMS);
	check_against_sort(&random, MAX_ITEMS, MAX_ITEMS - 1);
	check_against_sort(&random, MAX_ITEMS, 1000);
}

static void
sorted_arrivals(void)
{
	for (int direction = -1; direction <= 1; direction += 2)
	{
		TopkItem	room[10];
		Topk		heap;

		topk_init(&heap, room, 10);
		for (int i = 0; i < 100; i++)
		{
			TopkItem	item = {direction > 0 ? i : 99 - i, 0, 0, 0};

			topk_push(&heap, &item);
		}
		topk_sort(&heap);
		for (int i = 0; i < 10; i++)
			CHECK(room[i].dist == i, "rank %d: %g", i, room[i].dist);
	}
}

static void
order_is_total(void)
{
	static const TopkItem ascending[] = {
		{-INFINITY, 9, 9, 9}, {-1.0, 9, 9, 9}, {0.0, 0, 9, 9}, {0.0, 1, 0, 9},
		{0.0, 1, 1, 0}, {0.0, 1, 1, 1}, {1.0, 0, 0, 0}, {INFINITY, 0, 0, 0}
	};
	const int	count = (int) (sizeof(ascending) / sizeof(ascending[0]));
	const TopkItem minus_zero = {-0.0, 1, 1, 0};

	for (int i = 0; i < count; i++)
	{
		for (int j = 0; j < count; j++)
		{
			int			order = topk_compare(&ascending[i], &ascending[j]);

			CHECK((order > 0) - (order < 0) == (i > j) - (i < j), "%d and %d", i, j);
		}
	}
	CHECK(topk_compare(&minus_zero, &ascending[4]) == 0, "-0 equals 0");
}

void
test_topk(void)
{
	RUN_CASE(keeps_what_a_sort_would);
	RUN_CASE(sorted_arrivals);
	RUN_CASE(order_is_total);
}
