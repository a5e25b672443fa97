/*
 * hnsw_arrays.h
 *	  A graph in flat arrays of a size known beforehand: how an index is built.
 *
 * One block of memory from the caller holds all of the graph but the records of
 * its nodes, by offsets alone, so processes that map the block at different
 * addresses build one graph together: one formats it, all attach to it.
 *
 * While a graph is built, lists of links may be longer than the graph allows
 * (`slack`), so that a full list is revised once in many additions; finishing
 * cuts them. All nodes and their levels are known from the start, since a level
 * depends on seed and number alone; a node belongs to the graph from its
 * insertion on.
 *
 * Locks: readers take none. Words are read and written whole, and an edited
 * list holds at every moment only nodes of its level. Writers of one list
 * exclude each other through the caller's `lock` (NULL: there is one builder),
 * which is held for one list at a time, and while no callback of the caller
 * runs. The entry is raised by compare-and-swap. Nodes inserted at the same time
 * find each other by hnsw_arriving.h.
 */
#ifndef HNSW_ARRAYS_H
#define HNSW_ARRAYS_H

#include "hnsw.h"
#include "hnsw_arriving.h"
#include "hnsw_form.h"
#include "hnsw_place.h"

typedef struct HnswArraysLock
{
	void		(*lock) (void *state, uint32_t node);
	void		(*unlock) (void *state, uint32_t node);
	void	   *state;
} HnswArraysLock;

/* The head of the block. */
typedef struct HnswArraysShape
{
	uint64_t	seed;
	uint64_t	entry;			/* level + 1 above node, 0 when empty; atomic */
	uint64_t	upper_words;
	uint32_t	m;
	uint32_t	nnodes;
	uint32_t	base_room;		/* links that a list may hold on level 0 */
	uint32_t	upper_room;		/* and above */
	HnswArriving arriving;		/* only where there is a lock */
} HnswArraysShape;

typedef struct HnswArrays
{
	HnswArraysShape *shape;
	uint64_t   *upper_start;	/* of each node: where its upper lists start */
	uint32_t   *base;			/* lists: how many, then the nodes */
	uint32_t   *upper;
	uint8_t    *levels;

	HnswForm	form;
	const char *records;		/* of all nodes, `record_bytes` apart */
	size_t		record_bytes;
	const HnswArraysLock *lock;
} HnswArrays;

/* The size of a block for so many nodes. */
extern CoreStatus hnsw_arrays_bytes(uint32_t nnodes, uint32_t m, uint64_t seed, size_t *bytes);

/* Make an empty graph in a block of that size, aligned to eight bytes. */
extern void hnsw_arrays_format(void *block, uint32_t nnodes, uint32_t m, uint64_t seed);

/* Use a block that is formatted. Records may be filled in later, each before
 * its node is inserted. */
extern HnswArrays hnsw_arrays_attach(void *block, HnswForm form, const void *records,
									 size_t record_bytes, const HnswArraysLock *lock);

/* The store of these arrays, which must outlive it. */
extern HnswStore hnsw_arrays_store(HnswArrays *arrays);

extern HnswEntry hnsw_arrays_entry(const HnswArrays *arrays);

/* Insert a node that is not in the graph. One placer for each builder. */
extern CoreStatus hnsw_arrays_insert(HnswArrays *arrays, HnswPlacer *placer, uint32_t node);

/* Cut all lists to what the graph allows. Nobody else inserts any more. */
extern CoreStatus hnsw_arrays_finish(HnswArrays *arrays, HnswPlacer *placer);

/* Replace a list of links, under the lock. */
extern void hnsw_arrays_set_links(HnswArrays *arrays, uint32_t node, int level,
								  const uint32_t *links, uint32_t count);

/* A new entry, or none; for those who take nodes out of the graph. */
extern void hnsw_arrays_set_entry(HnswArrays *arrays, HnswEntry entry);

#endif							/* HNSW_ARRAYS_H */
