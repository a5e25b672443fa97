/*
 * hnsw_arriving.h
 *	  Nodes on their way into a graph that several build.
 *
 * Links lead to a node only once it is placed, so two nodes that are placed at
 * the same time would not find each other, and rows that lie side by side, as a
 * build reads them, are often each other's nearest. So a node is announced
 * before its walk, and then sees who else is: of two whose walks overlap, one at
 * least knows of the other. All orderings are sequentially consistent for that.
 *
 * The places are few. A builder that finds none free is not seen by the others,
 * which costs a link at worst. A place that an error leaves taken is harmless:
 * it stands for a node without links, and the build is over.
 */
#ifndef HNSW_ARRIVING_H
#define HNSW_ARRIVING_H

#include "hnsw.h"

#define HNSW_MAX_ARRIVING 64

/* In memory that the builders share; all zero when nobody arrives. */
typedef struct HnswArriving
{
	uint32_t	places[HNSW_MAX_ARRIVING];	/* node + 1, or 0 where free */
} HnswArriving;

/* Announce a node; returns its place, or HNSW_MAX_ARRIVING if there is none. */
static inline uint32_t
hnsw_arriving_enter(HnswArriving *arriving, uint32_t node)
{
	for (uint32_t i = 0; i < HNSW_MAX_ARRIVING; i++)
	{
		uint32_t	place = (node + i) % HNSW_MAX_ARRIVING;
		uint32_t	none = 0;

		if (__atomic_compare_exchange_n(&arriving->places[place], &none, node + 1, false,
										__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return place;
	}
	return HNSW_MAX_ARRIVING;
}

static inline void
hnsw_arriving_leave(HnswArriving *arriving, uint32_t place)
{
	if (place < HNSW_MAX_ARRIVING)
		__atomic_store_n(&arriving->places[place], 0, __ATOMIC_SEQ_CST);
}

/* Who else arrives; `out` has room for HNSW_MAX_ARRIVING. */
static inline uint32_t
hnsw_arriving_others(const HnswArriving *arriving, uint32_t node, uint32_t *out)
{
	uint32_t	count = 0;

	for (uint32_t i = 0; i < HNSW_MAX_ARRIVING; i++)
	{
		uint32_t	taken = __atomic_load_n(&arriving->places[i], __ATOMIC_SEQ_CST);

		if (taken != 0 && taken != node + 1)
			out[count++] = taken - 1;
	}
	return count;
}

#endif							/* HNSW_ARRIVING_H */
