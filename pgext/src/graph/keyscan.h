/*
 * keyscan.h
 *	  Entities -> TIDs, through the btree led by the entity column.
 */
#ifndef KEYSCAN_H
#define KEYSCAN_H

#include "access/genam.h"
#include "graph/facts.h"

typedef struct KeyScan
{
	Relation	rel;
	Relation	index;
	Snapshot	snapshot;
	bool		relation_key;	/* the index's second column is the relation */
	IndexScanDesc scan;			/* open with nkeys keys, or NULL */
	int			nkeys;
	uint64	   *tids;			/* result of the last search */
	size_t		ntids;
	size_t		allocated;
} KeyScan;

/* A TID as a number in physical order, and back. */
static inline uint64
tid_pack(ItemPointer tid)
{
	return (uint64) ItemPointerGetBlockNumberNoCheck(tid) << 16 |
		ItemPointerGetOffsetNumberNoCheck(tid);
}

static inline void
tid_unpack(uint64 packed, ItemPointer tid)
{
	ItemPointerSet(tid, (BlockNumber) (packed >> 16),
				   (OffsetNumber) (packed & 0xFFFF));
}

/* Choose and open an index; error when the table has none that serves. */
extern void keyscan_open(KeyScan *ks, Relation rel,
						 const FactColumns *columns, Snapshot snapshot);

/*
 * TIDs of the hop's seeds, ascending and without duplicates, in ks->tids. They
 * start HOT chains, and rows of other relations are among them unless the
 * index has the relation as its second column.
 */
extern void keyscan_search(KeyScan *ks, const FactHop *hop);

extern void keyscan_close(KeyScan *ks);

#endif							/* KEYSCAN_H */
