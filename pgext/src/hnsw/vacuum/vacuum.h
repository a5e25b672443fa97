/*
 * vacuum.h
 *	  The parts of VACUUM's work on an index, in the order in which they are done.
 *
 * Sets hold the slots that there were when it began. Slots that were added or
 * used again since belong to rows that are not dead; VACUUM alone frees slots,
 * and one at a time works on an index (core's lock on the table).
 */
#ifndef HNSW_VACUUM_H
#define HNSW_VACUUM_H

#include "access/genam.h"

#include "hnsw/bits.h"
#include "hnsw/store.h"
#include "hnsw/write/links.h"

typedef struct HnswVacuum
{
	Relation	index;
	BufferAccessStrategy strategy;
	HnswMap		map;
	bool		resumed;		/* another began and did not end */
	HnswBits	dead;			/* slots whose row is dead and that still have
								 * it */
	HnswBits	dying;			/* slots to be freed in the end */
	HnswBits	heads;			/* nodes with a chain of twins */
	uint32		norphans;		/* upper slots that no node leads to */
	uint32	   *orphans;

	HnswPageStore *store;
	HnswPlacer	placer;
	HnswLinker	linker;

	/* What it found */
	double		removed;		/* rows */
	double		remaining;
} HnswVacuum;

/* A page of a space, locked; naps before if it must. Its contents are checked. */
extern Buffer hnsw_vacuum_page(HnswVacuum *vacuum, HnswSpace space, uint32 page, int lock);

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
