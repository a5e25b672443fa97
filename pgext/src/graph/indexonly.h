/*
 * indexonly.h
 *	  Seeds that the vector index alone can tell.
 */
#ifndef INDEXONLY_H
#define INDEXONLY_H

#include "graph/nearest.h"

/*
 * Of a scan that has given no row: rows that are certainly among the `count`
 * nearest that the snapshot sees. `sure` gets the value of their column `id`; the
 * scan does not give them any more. Returns how many, fewer than `count`.
 */
extern uint32 indexonly_seeds(NearestScan *nearest, Relation rel,
							  const FactColumns *columns, Snapshot snapshot,
							  const FactNearest *want);

#endif							/* INDEXONLY_H */
