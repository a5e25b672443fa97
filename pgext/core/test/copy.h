/*
 * copy.h
 *	  Images made of test graphs, as a host makes them.
 */
#ifndef COPY_H
#define COPY_H

#include "../hnsw_image.h"
#include "graph.h"

/* A host's slot: a mark, links, and the record. */
typedef struct CopySlot
{
	uint16_t	is_row;
	uint16_t	nlinks;
	uint32_t	next;
} CopySlot;

typedef struct Copy
{
	const Graph *graph;
	void	   *block;
	size_t		bytes;
	HnswImage	image;
	HnswStore	store;			/* over `image` of this very struct */
} Copy;

/* Room for an image. */
extern void *copy_block(size_t bytes);

/* An image of the nodes that are not left out (NULL: none is), not finished. */
extern Copy *copy_new(const Graph *graph, const bool *left_out, uint32_t max_strays);

extern CoreStatus copy_finish(Copy *copy, HnswEntry entry, Arena *arena);

/* The same, ended by `stop`. */
extern CoreStatus copy_finish_or_stop(Copy *copy, HnswEntry entry, Arena *arena,
									  CoreStopFn stop, void *stop_state);

extern void copy_drop(Copy *copy);

#endif							/* COPY_H */
