/*
 * hnsw_visited.h
 *	  The set of nodes that a walk has seen.
 *
 * An open hash table of node numbers: a walk sees a few thousand nodes whatever
 * the size of the graph, so the table stays in the first-level cache where an
 * array with a mark for each node would miss, and costs memory by what was seen.
 *
 * Invariant: at most half of the slots are in use, so a probe ends soon, and at
 * all.
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
} HnswVisited;

/* Empty the set, with room for `expected` nodes before it must grow. */
extern CoreStatus hnsw_visited_reset(HnswVisited *visited, const CoreAlloc *alloc,
									 uint32_t expected);

/* Room for `more` nodes beyond those in the set. */
extern CoreStatus hnsw_visited_reserve(HnswVisited *visited, const CoreAlloc *alloc,
									   uint32_t more);

/* Add a node; true when it was not there. The caller has reserved the room. */
static inline bool
hnsw_visited_add(HnswVisited *visited, uint32_t node)
{
	uint32_t	at = (node * UINT32_C(0x9E3779B1)) >> visited->shift;

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
	uint32_t	at = (node * UINT32_C(0x9E3779B1)) >> visited->shift;

	while (visited->slots[at] != HNSW_NO_NODE)
	{
		if (visited->slots[at] == node)
			return true;
		at = (at + 1) & visited->mask;
	}
	return false;
}

#endif							/* HNSW_VISITED_H */
