/*
 * rowfetch.h
 *	  Rows of a table by TID: does a snapshot see one, and how far is it?
 */
#ifndef HNSW_ROWFETCH_H
#define HNSW_ROWFETCH_H

#include "access/tableam.h"

#include "hnsw/shape.h"

typedef struct RowFetch RowFetch;

/* In the current memory context, for rows of the index's table. The shape must
 * outlive it. */
extern RowFetch *rowfetch_begin(Relation heap, Relation index, Snapshot snapshot,
								const HnswShape *shape);

/*
 * Distance of the row that an index entry leads to, NaN where the value has
 * none or there is no query; false when the snapshot sees no row there.
 */
extern bool rowfetch_distance(RowFetch *fetch, const ItemPointerData *tid,
							  const DistQuery *query, double *distance);

/* Rows at these TIDs will be asked for: start reading when reads miss. */
extern void rowfetch_announce(RowFetch *fetch, const ItemPointerData *tids, int count);

/* Give back pins; goes on at the next row. */
extern void rowfetch_rest(RowFetch *fetch);

extern uint64 rowfetch_count(const RowFetch *fetch);

extern void rowfetch_end(RowFetch *fetch);

#endif							/* HNSW_ROWFETCH_H */
