/*
 * work.h
 *	  What the parts of VACUUM's work on an index share.
 *
 * Sets hold the slots that there were when it began. Slots that were added or
 * used again since belong to rows that are not dead; VACUUM alone frees slots,
 * and one at a time works on an index (core's lock on the table).
 */
#ifndef HNSW_VACUUM_WORK_H
#define HNSW_VACUUM_WORK_H

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

#endif							/* HNSW_VACUUM_WORK_H */
