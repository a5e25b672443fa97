/*
 * hnsw_visited.h
 *	  The set of nodes that a walk has seen.
 *
 * A bit for each node where their number is known and the bits are not much
 * larger than the other form: to test and set one costs neither a probe nor a
 * branch that is hard to foresee. Else an open hash table of node numbers: a walk
 * sees a few thousand nodes whatever the size of the graph, so the table stays
 * small where bits would miss every cache.
 *
 * Invariant of the table: at most half of the slots are in use, so a probe ends
 * soon, and at all.
 */
#ifndef HNSW_VISITED_H
#define HNSW_VISITED_H

#include "hnsw.h"

typedef struct HnswVisited
{
	uint32_t   *slots;			/* HNSW_NO_NODE where free */
	uint32_t	mask;			/* number of slots less one */
	uint32_t	shift;			/* 32 less the bits of the number of slots */
	uint32_t	count;

	/* The other form: in use where nbits is not 0 */
	uint64_t   *bits;
	uint32_t	nbits;			/* numbers are below */
	uint32_t	bits_room;
} HnswVisited;

/* Empty the set, with room for `expected` nodes before it must grow. */
extern CoreStatus hnsw_visited_reset(HnswVisited *visited, const CoreAlloc *alloc,
									 uint32_t expected);

/* The same for nodes of numbers below `nnodes`; 0: that is not known. */
extern CoreStatus hnsw_visited_reset_within(HnswVisited *visited, const CoreAlloc *alloc,
											uint32_t expected, uint32_t nnodes);

/* Room for `more` nodes beyond those in the set. */
extern CoreStatus hnsw_visited_reserve(HnswVisited *visited, const CoreAlloc *alloc,
									   uint32_t more);

/* A number that is none of a node counts as seen. */
static inline bool
hnsw_visited_add_bit(HnswVisited *visited, uint32_t node)
{
	uint64_t	word;
	uint64_t	bit = UINT64_C(1) << (node % 64);

	if (node >= visited->nbits)
		return false;
	word = visited->bits[node / 64];
	visited->bits[node / 64] = word | bit;
	visited->count += (word & bit) == 0;
	return (word & bit) == 0;
}

/* Add a node; true when it was not there. The caller has reserved the room. */
static inline bool
hnsw_visited_add(HnswVisited *visited, uint32_t node)
{
	uint32_t	at;

	if (visited->nbits > 0)
		return hnsw_visited_add_bit(visited, node);
	at = (node * UINT32_C(0x9E3779B1)) >> visited->shift;

	while (visited->slots[at] != HNSW_NO_NODE)
	{
		if (visited->slots[at] == node)
			return false;
		at = (at + 1) & visited->mask;
	}
	visited->slots[at] = node;
	visited->count++;
	return true;
}

static inline bool
hnsw_visited_contains(const HnswVisited *visited, uint32_t node)
{
	uint32_t	at;

	if (visited->nbits > 0)
		return node >= visited->nbits ||
			(visited->bits[node / 64] >> (node % 64) & 1) != 0;
	at = (node * UINT32_C(0x9E3779B1)) >> visited->shift;

	while (visited->slots[at] != HNSW_NO_NODE)
	{
		if (visited->slots[at] == node)
			return true;
		at = (at + 1) & visited->mask;
	}
	return false;
}

/* Add nodes, of which those that were not there move to the front, in order; returns
 * how many. The caller has reserved the room. */
static inline uint32_t
hnsw_visited_add_all(HnswVisited *visited, uint32_t *nodes, uint32_t count)
{
	uint64_t   *bits = visited->bits;
	uint32_t	nbits = visited->nbits;
	uint32_t	added = 0;

	if (nbits == 0)
	{
		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t	node = nodes[i];

			nodes[added] = node;
			added += hnsw_visited_add(visited, node);
		}
		return added;
	}
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	node = nodes[i];
		uint64_t	bit = UINT64_C(1) << (node % 64);
		uint64_t	word;

		if (node >= nbits)
			continue;
		word = bits[node / 64];
		bits[node / 64] = word | bit;
		nodes[added] = node;
		added += (word & bit) == 0;
	}
	visited->count += added;
	return added;
}

#endif							/* HNSW_VISITED_H */
