/*
 * indexonly.h
 *	  Seeds that the vector index alone can tell.
 */
#ifndef INDEXONLY_H
#define INDEXONLY_H

#include "graph/nearest.h"

/*
 * Of rows that are certainly among the nearest: `sure` gets the value of those that the
 * index knows and all see. The others stay, to be read. Returns how many it told.
 */
extern uint32 indexonly_tell(NearestScan *nearest, Relation rel, Snapshot snapshot,
							 const FactNearest *want, SeedEntry *entries, int *count);

#endif							/* INDEXONLY_H */
