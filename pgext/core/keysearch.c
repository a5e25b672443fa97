/*
 * keysearch.c
 *	  Sort a set of keys; find keys in it.
 *
 * The sort is quicksort on an explicit stack, insertion sort for short ranges,
 * and heapsort for a range that quicksort has split badly too often. It needs
 * no memory, its stack has a fixed size, and no input makes it quadratic.
 */
#include "keysearch.h"

/* Ranges this short go to insertion sort. */
#define SHORT_RANGE 24

/* Half of what remains goes on the stack: never more ranges than bits. */
#define STACK_RANGES 64

typedef struct Range
{
	int32_t    *keys;
	size_t		count;
	int			splits_left;	/* then heapsort */
} Range;

static inline void
swap_keys(int32_t *a, int32_t *b)
{
	int32_t		kept = *a;

	*a = *b;
	*b = kept;
}

static void
insertion_sort(int32_t *keys, size_t count)
{
	for (size_t i = 1; i < count; i++)
	{
		int32_t		key = keys[i];
		size_t		at = i;

		for (; at > 0 && keys[at - 1] > key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

static void
sift_down(int32_t *keys, size_t count, size_t at)
{
	int32_t		key = keys[at];

	while (at < count / 2)
	{
		size_t		child = 2 * at + 1;

		if (child + 1 < count && keys[child + 1] > keys[child])
			child++;
		if (keys[child] <= key)
			break;
		keys[at] = keys[child];
		at = child;
	}
	keys[at] = key;
}

static void
heap_sort(int32_t *keys, size_t count)
{
	for (size_t i = count / 2; i > 0; i--)
		sift_down(keys, count, i - 1);
	for (size_t last = count - 1; last > 0; last--)
	{
		swap_keys(&keys[0], &keys[last]);
		sift_down(keys, last, 0);
	}
}

/*
 * Split around the median of first, middle and last: every key before the
 * returned position is <= every key from it on, and both sides are shorter
 * than the whole. Equal keys are swapped as well, so that a range of equals
 * splits in the middle.
 */
static size_t
partition(int32_t *keys, size_t count)
{
	size_t		middle = count / 2;
	size_t		low = 0;
	size_t		high = count - 1;
	int32_t		pivot;

	if (keys[middle] < keys[0])
		swap_keys(&keys[middle], &keys[0]);
	if (keys[high] < keys[middle])
	{
		swap_keys(&keys[high], &keys[middle]);
		if (keys[middle] < keys[0])
			swap_keys(&keys[middle], &keys[0]);
	}
	pivot = keys[middle];

	for (;;)
	{
		do
			low++;
		while (keys[low] < pivot);
		do
			high--;
		while (keys[high] > pivot);
		if (low >= high)
			return low;
		swap_keys(&keys[low], &keys[high]);
	}
}

static void
sort_keys(int32_t *keys, size_t count)
{
	Range		stack[STACK_RANGES];
	int			depth = 0;
	Range		range = {keys, count, 0};

	for (size_t rest = count; rest > 1; rest /= 2)
		range.splits_left += 2;

	for (;;)
	{
		while (range.count > SHORT_RANGE && range.splits_left > 0)
		{
			size_t		at = partition(range.keys, range.count);
			Range		low = {range.keys, at, range.splits_left - 1};
			Range		high = {range.keys + at, range.count - at, low.splits_left};

			/* Keep the longer side for later: the stack stays logarithmic. */
			range = low.count < high.count ? low : high;
			stack[depth++] = low.count < high.count ? high : low;
		}
		if (range.count > SHORT_RANGE)
			heap_sort(range.keys, range.count);
		else
			insertion_sort(range.keys, range.count);
		if (depth == 0)
			return;
		range = stack[--depth];
	}
}

/* First position that breaks strict ascent, or count: seeds often come sorted. */
static size_t
ascending_prefix(const int32_t *keys, size_t count)
{
	size_t		i = 1;

	while (i < count && keys[i - 1] < keys[i])
		i++;
	return i;
}

size_t
keys_sort_unique(int32_t *keys, size_t count)
{
	size_t		kept = 1;

	if (count < 2 || ascending_prefix(keys, count) == count)
		return count;
	sort_keys(keys, count);
	for (size_t i = 1; i < count; i++)
	{
		if (keys[i] != keys[kept - 1])
			keys[kept++] = keys[i];
	}
	return kept;
}

/* Position of the first element >= key within [low, high), or high. */
static size_t
binary_lower_bound(const int32_t *keys, size_t low, size_t high, int32_t key)
{
	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t
keys_lower_bound(const int32_t *keys, size_t count, size_t from, int32_t key)
{
	size_t		step = 1;
	size_t		low = from;

	if (from >= count || keys[from] >= key)
		return from < count ? from : count;

	/* keys[low] < key holds throughout. */
	while (step < count - low && keys[low + step] < key)
	{
		low += step;
		step *= 2;
	}
	return binary_lower_bound(keys, low + 1,
							  step < count - low ? low + step : count, key);
}

bool
keys_contain(const int32_t *keys, size_t count, int32_t key)
{
	size_t		at = binary_lower_bound(keys, 0, count, key);

	return at < count && keys[at] == key;
}
