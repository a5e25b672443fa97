/*
 * test_keysearch.c
 *	  Sort and search against plain loops.
 *
 * Includes the source, to reach the heapsort that ordinary input never needs.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"
#include "../keysearch.c"

typedef enum Pattern
{
	PATTERN_RANDOM, PATTERN_FEW, PATTERN_EQUAL, PATTERN_RISING,
	PATTERN_FALLING, PATTERN_PIPE, PATTERN_SAW, PATTERN_EXTREMES,
	PATTERN_NEARLY_SORTED
} Pattern;

#define NPATTERNS (PATTERN_NEARLY_SORTED + 1)

static int32_t
pattern_key(Pattern pattern, Random *random, size_t i, size_t count)
{
	switch (pattern)
	{
		case PATTERN_RANDOM:
			return (int32_t) (uint32_t) random_u64(random);
		case PATTERN_FEW:
			return (int32_t) random_below(random, 7) - 3;
		case PATTERN_EQUAL:
			return -5;
		case PATTERN_RISING:
			return (int32_t) i - 10;
		case PATTERN_FALLING:
			return -(int32_t) i;
		case PATTERN_PIPE:
			return (int32_t) (i < count / 2 ? i : count - i);
		case PATTERN_SAW:
			return (int32_t) (i % 17);
		case PATTERN_EXTREMES:
			return random_below(random, 2) ? INT32_MAX : INT32_MIN;
		case PATTERN_NEARLY_SORTED:
			return (int32_t) i * 2 - (int32_t) random_below(random, 5);
	}
	return 0;
}

static int
oracle_order(const void *left, const void *right)
{
	int64_t		difference = (int64_t) *(const int32_t *) left - *(const int32_t *) right;

	return (difference > 0) - (difference < 0);
}

static void
check_sort(Pattern pattern, Random *random, size_t count)
{
	/* Exactly sized, so that ASan sees an access past either end. */
	int32_t    *keys = malloc(count * sizeof(int32_t));
	int32_t    *oracle = malloc(count * sizeof(int32_t));
	size_t		want = 0;
	size_t		got;

	for (size_t i = 0; i < count; i++)
		keys[i] = pattern_key(pattern, random, i, count);
	memcpy(oracle, keys, count * sizeof(int32_t));
	qsort(oracle, count, sizeof(int32_t), oracle_order);
	for (size_t i = 0; i < count; i++)
	{
		if (i == 0 || oracle[i] != oracle[want - 1])
			oracle[want++] = oracle[i];
	}
	got = keys_sort_unique(keys, count);
	CHECK(got == want, "pattern %d count %zu: %zu, want %zu", pattern, count, got, want);
	CHECK(got != want || memcmp(keys, oracle, want * sizeof(int32_t)) == 0,
		  "pattern %d count %zu", pattern, count);
	free(keys);
	free(oracle);
}

static void
sorts_every_pattern(void)
{
	Random		random = {23};

	for (int pattern = 0; pattern < NPATTERNS; pattern++)
	{
		for (size_t count = 1; count <= 200; count++)
			check_sort((Pattern) pattern, &random, count);
		check_sort((Pattern) pattern, &random, 1000);
		check_sort((Pattern) pattern, &random, 100000);
	}
	CHECK(keys_sort_unique(NULL, 0) == 0, "no keys");
}

static void
heapsort_sorts(void)
{
	Random		random = {29};

	for (int pattern = 0; pattern < NPATTERNS; pattern++)
	{
		for (size_t count = 1; count <= 300; count++)
		{
			int32_t    *keys = malloc(count * sizeof(int32_t));
			int32_t    *oracle = malloc(count * sizeof(int32_t));

			for (size_t i = 0; i < count; i++)
				keys[i] = pattern_key((Pattern) pattern, &random, i, count);
			memcpy(oracle, keys, count * sizeof(int32_t));
			qsort(oracle, count, sizeof(int32_t), oracle_order);
			heap_sort(keys, count);
			CHECK(memcmp(keys, oracle, count * sizeof(int32_t)) == 0,
				  "pattern %d count %zu", pattern, count);
			free(keys);
			free(oracle);
		}
	}
}

static void
partition_splits(void)
{
	Random		random = {31};

	for (int pattern = 0; pattern < NPATTERNS; pattern++)
	{
		for (size_t count = 3; count <= 100; count++)
		{
			int32_t		keys[100];
			int32_t		largest = INT32_MIN;
			size_t		at;

			for (size_t i = 0; i < count; i++)
				keys[i] = pattern_key((Pattern) pattern, &random, i, count);
			at = partition(keys, count);
			CHECK(at > 0 && at < count, "pattern %d: %zu of %zu", pattern, at, count);
			for (size_t i = 0; i < at; i++)
				largest = keys[i] > largest ? keys[i] : largest;
			for (size_t i = at; i < count; i++)
				CHECK(keys[i] >= largest, "pattern %d count %zu", pattern, count);
			if (pattern == PATTERN_EQUAL)
				CHECK(at >= count / 2 - 1 && at <= count / 2 + 1,
					  "equal keys split at %zu of %zu", at, count);
		}
	}
}

static void
lower_bound_from_everywhere(void)
{
	Random		random = {37};

	for (size_t count = 0; count <= 60; count++)
	{
		int32_t    *keys = malloc(count * sizeof(int32_t) + 1);

		for (size_t i = 0; i < count; i++)
			keys[i] = (int32_t) (i * 3) - 50 + (int32_t) random_below(&random, 3);
		for (size_t from = 0; from <= count + 1; from++)
		{
			for (int32_t key = -55; key < 140; key++)
			{
				size_t		want = from < count ? from : count;
				size_t		got = keys_lower_bound(keys, count, from, key);

				while (want < count && keys[want] < key)
					want++;
				CHECK(got == want, "key %d from %zu of %zu: %zu, want %zu", key,
					  from, count, got, want);
			}
		}
		free(keys);
	}
}

static void
contain_is_membership(void)
{
	Random		random = {41};

	for (size_t count = 0; count <= 60; count++)
	{
		int32_t    *keys = malloc(count * sizeof(int32_t) + 1);

		for (size_t i = 0; i < count; i++)
			keys[i] = (int32_t) (i * 3) - 50 + (int32_t) random_below(&random, 3);
		for (int32_t key = -55; key < 140; key++)
		{
			bool		want = false;

			for (size_t i = 0; i < count; i++)
				want = want || keys[i] == key;
			CHECK(keys_contain(keys, count, key) == want, "key %d in %zu", key, count);
		}
		CHECK(!keys_contain(keys, count, INT32_MIN), "smallest");
		CHECK(!keys_contain(keys, count, INT32_MAX), "largest");
		free(keys);
	}
	CHECK(!keys_contain(NULL, 0, 0), "no keys");
	CHECK(keys_lower_bound(NULL, 0, 0, 0) == 0, "no keys");
}

static void
images_keep_order(void)
{
	static const int64_t ascending[] = {
		INT64_MIN, INT64_MIN + 1, INT32_MIN, -1, 0, 1, INT32_MAX, INT64_MAX - 1,
		INT64_MAX
	};
	const int	count = (int) (sizeof(ascending) / sizeof(ascending[0]));

	for (int i = 0; i < count; i++)
	{
		uint64_t	image = key_image_int64(ascending[i]);

		CHECK(key_value_int64(image) == ascending[i], "round trip %d", i);
		CHECK(i == 0 || key_image_int64(ascending[i - 1]) < image, "order at %d", i);
	}
}

void
test_keysearch(void)
{
	RUN_CASE(sorts_every_pattern);
	RUN_CASE(heapsort_sorts);
	RUN_CASE(partition_splits);
	RUN_CASE(lower_bound_from_everywhere);
	RUN_CASE(contain_is_membership);
	RUN_CASE(images_keep_order);
}
