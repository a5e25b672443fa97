/*
 * bits.h
 *	  Sets of slots, a bit for each number.
 */
#ifndef HNSW_BITS_H
#define HNSW_BITS_H

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

typedef struct HnswBits
{
	uint64	   *words;
	uint32		count;			/* numbers are below it */
} HnswBits;

/* Empty, in the current memory context. */
static inline HnswBits
hnsw_bits_make(uint32 count)
{
	HnswBits	bits;

	bits.count = count;
	bits.words = MemoryContextAllocExtended(CurrentMemoryContext,
											((Size) count / 64 + 1) * sizeof(uint64),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return bits;
}

/* False for numbers beyond the set. */
static inline bool
hnsw_bits_has(const HnswBits *bits, uint32 number)
{
	return number < bits->count && (bits->words[number / 64] >> (number % 64) & 1) != 0;
}

static inline void
hnsw_bits_add(HnswBits *bits, uint32 number)
{
	Assert(number < bits->count);
	bits->words[number / 64] |= UINT64CONST(1) << (number % 64);
}

static inline void
hnsw_bits_remove(HnswBits *bits, uint32 number)
{
	bits->words[number / 64] &= ~(UINT64CONST(1) << (number % 64));
}

/* The first member that is not below `from`, or bits->count. */
static inline uint32
hnsw_bits_next(const HnswBits *bits, uint32 from)
{
	while (from < bits->count)
	{
		uint64		word = bits->words[from / 64] >> (from % 64);

		if (word != 0)
		{
			from += pg_rightmost_one_pos64(word);
			return Min(from, bits->count);
		}
		if (from / 64 == (bits->count - 1) / 64)
			break;
		from = (from / 64 + 1) * 64;
	}
	return bits->count;
}

#endif							/* HNSW_BITS_H */
