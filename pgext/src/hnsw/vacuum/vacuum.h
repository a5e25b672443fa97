/*
 * vacuum.h
 *	  The parts of VACUUM's work on an index, in the order in which they are done.
 */
#ifndef HNSW_VACUUM_H
#define HNSW_VACUUM_H

#include "hnsw/vacuum/work.h"

/* Which rows are dead; false when there is nothing to do. */
extern bool hnsw_vacuum_find_dead(HnswVacuum *vacuum, IndexBulkDeleteCallback callback,
								  void *callback_state);

/* Take dead rows out of chains, put twins in the place of dead heads, mark the
 * rest DYING. */
extern void hnsw_vacuum_mark(HnswVacuum *vacuum);

/* Upper slots that no node leads to. */
extern void hnsw_vacuum_find_orphans(HnswVacuum *vacuum);

/* After the barrier for inserts: no entry and no list leads to the dying. */
extern void hnsw_vacuum_repair(HnswVacuum *vacuum);

/* Links lead to every living node. */
extern void hnsw_vacuum_reach(HnswVacuum *vacuum);

/* After the barrier for inserts and walks: free the slots. */
extern void hnsw_vacuum_free(HnswVacuum *vacuum);

#endif							/* HNSW_VACUUM_H */
