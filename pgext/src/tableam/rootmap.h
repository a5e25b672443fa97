/*
 * rootmap.h
 *	  Heap-only tuples are indexed under the line pointer of their chain's
 *	  root. This maps one page's tuples to their roots.
 */
#ifndef ROOTMAP_H
#define ROOTMAP_H

#include "access/htup_details.h"
#include "storage/buf.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"

typedef struct RootMap
{
	BlockNumber block;			/* page described, or InvalidBlockNumber */
	OffsetNumber roots[MaxHeapTuplesPerPage];	/* by offset number - 1 */
} RootMap;

/*
 * Describe the page of buffer if the map does not already. The caller pins
 * the buffer and holds no lock on it; the pin must last as long as the map is
 * used, since pruning needs the page without other pins. Returns true when
 * the map moved to another page.
 */
extern bool rootmap_visit(RootMap *map, Buffer buffer);

/*
 * The TID under which an index holds tuple, which is on the page described.
 * Reads the page again if the tuple joined a chain after the visit.
 */
extern ItemPointerData rootmap_index_tid(RootMap *map, HeapTuple tuple,
										 Buffer buffer, Relation rel);

#endif							/* ROOTMAP_H */
