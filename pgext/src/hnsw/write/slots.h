/*
 * slots.h
 *	  A row's slot: writing it, its upper lists and its halves; and the entry.
 *
 * The caller holds the inserts' page lock. Nothing leads to a slot until the
 * caller has written all of it.
 */
#ifndef HNSW_SLOTS_H
#define HNSW_SLOTS_H

#include "hnsw/pageio.h"

/* A row in the forms in which an index keeps it. */
typedef struct HnswRow
{
	ItemPointerData tid;
	uint8		nulls;
	const void *record;
	const char *columns;
	const void *halves;			/* NULL where the index has no refine space */
} HnswRow;

/*
 * Write a node of level 0, or a twin that no chain leads to yet: into a free
 * slot where `number` is HNSW_NO_NODE, else into the slot of that number, which
 * is the caller's. Returns the number.
 */
extern uint32 hnsw_slot_write(Relation index, HnswMap *map, uint32 number,
							  const HnswRow *row, HnswNodeState state,
							  const uint32 *links, uint32 count);

/* Give such a node its lists of levels 1 to `level`. */
extern void hnsw_slot_raise(Relation index, HnswMap *map, uint32 number, int level,
							const HnswPlacer *placer);

/*
 * Put a twin at the head of the chain of a node. False when the node does not
 * live (any more).
 */
extern bool hnsw_slot_chain(Relation index, const HnswMap *map, uint32 head, uint32 twin);

/* Replace the entry if it is still the one expected. */
extern bool hnsw_entry_replace(Relation index, HnswEntry expected, HnswEntry entry);

#endif							/* HNSW_SLOTS_H */
