/*
 * build.h
 *	  How an index comes to be: rows, then a graph in flat arrays, then pages.
 *
 * While an index is built, a node is known by its place in the order of the
 * scan, and a twin by its own; build/pages.c gives them their numbers.
 */
#ifndef HNSW_BUILD_H
#define HNSW_BUILD_H

#include "common/relpath.h"
#include "nodes/execnodes.h"
#include "port/atomics.h"

#include "hnsw_arrays.h"
#include "hnsw/build/memory.h"
#include "hnsw/page.h"

/* Items of one size in blocks of memory: it grows without moving what is there. */
typedef struct BuildList
{
	MemoryContext context;
	BuildMemory *memory;		/* of the items */
	Size		item_bytes;
	uint32		per_chunk;
	char	  **chunks;
	uint32		nchunks;
	uint32		room;			/* for chunks */
	uint32		count;
} BuildList;

/* In the current memory context. */
extern void build_list_init(BuildList *list, BuildMemory *memory, Size item_bytes);

/* A new item, not cleared. */
extern void *build_list_append(BuildList *list);

static inline void *
build_list_item(const BuildList *list, uint32 i)
{
	return list->chunks[i / list->per_chunk] + (i % list->per_chunk) * list->item_bytes;
}

/* Copy all items to where there is room for them, and forget them. */
extern void build_list_move(BuildList *list, char *to);

/* What is kept of a row beside its record. After it: columns, halves. */
typedef struct BuildRow
{
	ItemPointerData tid;
	uint8		nulls;
	uint32		twin;			/* the twin that follows, or HNSW_NO_NODE */
	uint32		head;			/* of a twin: the node with its record */
} BuildRow;

typedef struct BuildRows
{
	const HnswShape *shape;
	uint64		seed;			/* of levels */
	BuildMemory *memory;
	BuildList	records;		/* of nodes */
	BuildList	nodes;			/* BuildRow */
	BuildList	twins;			/* BuildRow */
	uint32	   *table;			/* nodes by hash of record, open addressing */
	uint32		mask;			/* places of the table less one */

	Size		columns_bytes;
	Size		node_cost;		/* memory for a node, also what the graph
								 * needs */
	Size		twin_cost;
	Size		budget;			/* in all */
	uint64		within;			/* rows when it was used up */

	/* Of the scan */
	Relation	index;
	MemoryContext row_context;
	float	   *room;			/* for the components of a row */
	void	   *record;			/* for one */
} BuildRows;

/* Read the table; returns how many rows it has. */
extern double build_rows_gather(BuildRows *rows, const HnswShape *shape, uint64 seed,
								Relation heap, Relation index, IndexInfo *info);

/* Those with a place in the index. */
static inline uint64
build_rows_count(const BuildRows *rows)
{
	return (uint64) rows->nodes.count + rows->twins.count;
}

static inline char *
build_row_columns(const BuildRow *row)
{
	return (char *) (row + 1);
}

static inline char *
build_row_halves(const BuildRows *rows, const BuildRow *row)
{
	return build_row_columns(row) + rows->columns_bytes;
}

/* What memory a build without a file would take, in bytes. */
extern Size build_rows_needed(const BuildRows *rows);

/* A graph of all nodes, finished. */
typedef struct BuildGraph
{
	HnswArrays	arrays;
	uint32		nnodes;
	uint32	   *order;			/* nodes, breadth first */
	uint32	   *place;			/* of each node in that order */
	struct BuildTeam *team;		/* whose memory it is, or NULL */
} BuildGraph;

/* The records move into it. */
extern void build_graph_make(BuildGraph *graph, BuildRows *rows, int nworkers);

/* Give back what is not the memory context's. */
extern void build_graph_end(BuildGraph *graph);

/* The queue of nodes that those who build a graph share. */
typedef struct BuildQueue
{
	pg_atomic_uint32 next;		/* node to be taken */
	pg_atomic_uint32 done;		/* nodes inserted */
} BuildQueue;

/* Insert nodes until the queue is empty. */
extern void build_graph_work(HnswArrays *arrays, HnswParams params, BuildQueue *queue,
							 bool report);

/* Parallel workers, and the shared memory in which they build: a block for the
 * arrays, which the caller formats, and room for the records. */
typedef struct BuildTeam BuildTeam;

/* NULL where no shared memory is to be had. Parallel mode until the end. Where the
 * build's memory is of a file already, the block and the records are. */
extern BuildTeam *build_team_begin(const HnswShape *shape, BuildMemory *memory, int nworkers,
								   Size block_bytes, Size records_bytes);
extern char *build_team_block(BuildTeam *team);
extern char *build_team_records(BuildTeam *team);
extern const HnswArraysLock *build_team_lock(BuildTeam *team);

/* Insert all nodes into the arrays, which are attached to the block. */
extern void build_team_work(BuildTeam *team, HnswArrays *arrays);
extern void build_team_end(BuildTeam *team);

/* Write all pages of a new index, and their WAL. */
extern void build_pages_write(Relation index, const BuildRows *rows,
							  const BuildGraph *graph, uint64 nonce);

/* The metapage of an index without nodes, in a fork. */
extern void build_pages_empty(Relation index, ForkNumber fork, const HnswShape *shape,
							  uint64 nonce);

#endif							/* HNSW_BUILD_H */
