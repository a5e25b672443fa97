/*
 * hnsw.h
 *	  A navigable graph of nodes in levels: the vocabulary of its algorithms.
 *
 * A node is a number. What lies behind it (a row of a flat array, a slot on an
 * index page) is the affair of an HnswStore, through which all algorithms see
 * the graph; each call handles all neighbours of a node at once, so the
 * indirection is paid once per step of a walk and not once per distance.
 *
 * Distances in a walk are single precision and order nodes only: a smaller one
 * is nearer, ties are ordered by node number. A caller that owes exact distances
 * computes them for the nodes found. A distance is never NaN.
 *
 * Levels: a node of level l is on levels 0 to l. Level 0 holds at most 2m links
 * a node, the upper levels m. A link is directed.
 */
#ifndef HNSW_H
#define HNSW_H

#include "core.h"

#define HNSW_MIN_M 2
#define HNSW_MAX_M 128
#define HNSW_MAX_LEVEL 31

/* Numbers of nodes are below this. */
#define HNSW_MAX_NODES UINT32_C(0xFFFFFFFE)
#define HNSW_NO_NODE UINT32_C(0xFFFFFFFF)

/* A list read from a store holds at most this many links: the limit of level 0
 * and the slack that a store under construction may allow. */
#define HNSW_MAX_LINKS (4 * HNSW_MAX_M)

/* How many links a node may keep on a level. */
static inline uint32_t
hnsw_max_links(uint32_t m, int level)
{
	return level == 0 ? 2 * m : m;
}

/* The level of the node that is number `ordinal` of a graph: geometric, each
 * level holds one in m of those of the level below. The same seed and ordinal
 * give the same level everywhere. */
extern int	hnsw_level(uint64_t seed, uint32_t ordinal, uint32_t m);

/* A query for sketches of vectors (hnsw_sketch.h). */
typedef struct HnswSketchQuery HnswSketchQuery;

/*
 * The graph behind numbers. Callbacks may leave by a non-local jump.
 *
 * A store that others change meanwhile may give links of before or after the
 * change, or a mixture, but only numbers of nodes that exist on that level.
 */
typedef struct HnswStore
{
	void	   *state;

	/*
	 * Copy the links of a node on a level, nearest first where the store
	 * keeps that order; returns how many, at most HNSW_MAX_LINKS.
	 */
	uint32_t	(*links) (void *state, uint32_t node, int level, uint32_t *out);

	/* Distances from a vector in the store's own form to nodes. */
	void		(*distances) (void *state, const void *from,
							  const uint32_t *nodes, uint32_t count, float *out);

	/*
	 * The vector of a node in the store's own form. It stays valid during the
	 * call of the algorithm that asked for it.
	 */
	const void *(*vector) (void *state, uint32_t node);

	/*
	 * Links of the node on level 0 may be asked for soon. NULL: that is no
	 * help.
	 */
	void		(*announce) (void *state, uint32_t node);

	/*
	 * About what `distances` gives, for a part of what that costs. NULL:
	 * there is nothing cheaper.
	 */
	void		(*estimates) (void *state, const HnswSketchQuery *sketch, const void *from,
							  const uint32_t *nodes, uint32_t count, float *out);
} HnswStore;

/* Where walks start: a node of the highest level, or none in an empty graph. */
typedef struct HnswEntry
{
	uint32_t	node;			/* HNSW_NO_NODE: the graph is empty */
	int			level;
} HnswEntry;

/*
 * A node and its distance in one number whose order is that of distance, then
 * node: one comparison of integers where two of other kinds would be.
 */
typedef uint64_t HnswKey;

static inline HnswKey
hnsw_key(float dist, uint32_t node)
{
	union
	{
		float		f;
		uint32_t	bits;
	}			image = {dist + 0.0f};	/* -0 becomes 0 */

	/* Negative numbers order downwards: flip all bits, else only the sign. */
	image.bits ^= (uint32_t) ((int32_t) image.bits >> 31) | UINT32_C(0x80000000);
	return (uint64_t) image.bits << 32 | node;
}

static inline uint32_t
hnsw_key_node(HnswKey key)
{
	return (uint32_t) key;
}

static inline float
hnsw_key_dist(HnswKey key)
{
	union
	{
		uint32_t	bits;
		float		f;
	}			image = {(uint32_t) (key >> 32)};

	image.bits ^= (image.bits & UINT32_C(0x80000000)) ? UINT32_C(0x80000000)
		: UINT32_C(0xFFFFFFFF);
	return image.f;
}

#endif							/* HNSW_H */
