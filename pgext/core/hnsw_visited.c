/*
 * hnsw_visited.c
 *	  Clearing and growth of the set of seen nodes.
 */
#include "hnsw_visited.h"

#include <string.h>

#define SMALLEST_BITS 8
#define LARGEST_BITS 31

/* A bit for each node, where that takes no more than so many times the memory of
 * the table. */
#define BITS_FOR_TABLE 8

/* The least number of bits whose table is at most half full of `count`. */
static uint32_t
bits_for(uint64_t count)
{
	uint32_t	bits = SMALLEST_BITS;

	while (bits <= LARGEST_BITS && (UINT64_C(1) << bits) < 2 * count)
		bits++;
	return bits;
}

static CoreStatus
allocate_slots(HnswVisited *visited, const CoreAlloc *alloc, uint32_t bits)
{
	size_t		bytes;
	uint32_t   *slots;

	if (bits > LARGEST_BITS ||
		!core_mul_size((size_t) 1 << bits, sizeof(uint32_t), &bytes))
		return CORE_TOO_LARGE;
	slots = alloc->alloc(alloc->state, bytes);
	if (slots == NULL)
		return CORE_NO_MEMORY;
	memset(slots, 0xFF, bytes);
	visited->slots = slots;
	visited->mask = (UINT32_C(1) << bits) - 1;
	visited->shift = 32 - bits;
	visited->count = 0;
	return CORE_OK;
}

CoreStatus
hnsw_visited_reset(HnswVisited *visited, const CoreAlloc *alloc, uint32_t expected)
{
	uint32_t	bits = bits_for(expected);

	visited->nbits = 0;
	if (visited->slots == NULL || 32 - visited->shift < bits)
		return allocate_slots(visited, alloc, bits);
	memset(visited->slots, 0xFF, ((size_t) visited->mask + 1) * sizeof(uint32_t));
	visited->count = 0;
	return CORE_OK;
}

CoreStatus
hnsw_visited_reset_within(HnswVisited *visited, const CoreAlloc *alloc, uint32_t expected,
						  uint32_t nnodes)
{
	size_t		words = (size_t) nnodes / 64 + 1;

	if (nnodes == 0 ||
		words * sizeof(uint64_t) >
		(UINT64_C(1) << bits_for(expected)) * sizeof(uint32_t) * BITS_FOR_TABLE)
		return hnsw_visited_reset(visited, alloc, expected);
	if (words > visited->bits_room)
	{
		visited->bits = alloc->alloc(alloc->state, words * sizeof(uint64_t));
		visited->bits_room = visited->bits == NULL ? 0 : (uint32_t) words;
		if (visited->bits == NULL)
			return CORE_NO_MEMORY;
	}
	memset(visited->bits, 0, words * sizeof(uint64_t));
	visited->nbits = nnodes;
	visited->count = 0;
	return CORE_OK;
}

CoreStatus
hnsw_visited_reserve(HnswVisited *visited, const CoreAlloc *alloc, uint32_t more)
{
	uint64_t	wanted = (uint64_t) visited->count + more;
	HnswVisited old = *visited;
	CoreStatus	status;

	if (visited->nbits > 0)
		return CORE_OK;
	if (2 * wanted <= (uint64_t) visited->mask + 1)
		return CORE_OK;
	status = allocate_slots(visited, alloc, bits_for(wanted));
	if (status != CORE_OK)
		return status;
	for (uint64_t i = 0; i <= old.mask; i++)
	{
		if (old.slots[i] != HNSW_NO_NODE)
			hnsw_visited_add(visited, old.slots[i]);
	}
	core_release(alloc, old.slots);
	return CORE_OK;
}
