/*
 * keysearch.h
 *	  Key images and search in sorted arrays of them.
 *
 * An image is an unsigned 64-bit number in the order of the key it stands for.
 * Signed integers map by flipping the sign bit.
 */
#ifndef KEYSEARCH_H
#define KEYSEARCH_H

#include "core.h"

/* Order-preserving image of a signed 64-bit integer, and back. */
static inline uint64_t
key_image_int64(int64_t value)
{
	return (uint64_t) value ^ (UINT64_C(1) << 63);
}

static inline int64_t
key_value_int64(uint64_t image)
{
	return (int64_t) (image ^ (UINT64_C(1) << 63));
}

/* Sort ascending and drop duplicates in place; returns the new count. */
extern size_t keys_sort_unique(int32_t *keys, size_t count);

/* Position of the first element >= key, from `from` on (gallops, so a walk in
 * ascending order costs the distance moved, not log n of the whole). */
extern size_t keys_lower_bound(const int32_t *keys, size_t count, size_t from, int32_t key);

/* Is key an element? keys is sorted ascending. */
extern bool keys_contain(const int32_t *keys, size_t count, int32_t key);

#endif							/* KEYSEARCH_H */
