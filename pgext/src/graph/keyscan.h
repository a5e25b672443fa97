/*
 * keyscan.h
 *	  Entities -> TIDs, through the btree led by the entity column.
 */
#ifndef KEYSCAN_H
#define KEYSCAN_H

#include "access/genam.h"
#include "graph/facts.h"
#include "graph/indexes.h"

typedef struct KeyScan
{
	Relation	rel;
	Relation	index;
	Snapshot	snapshot;
	bool		relation_key;	/* the index's second column is the relation */
	AttrNumber	relation_at;	/* index column of the relation, or 0 */
	AttrNumber	target_at;		/* index column of the target, or 0 */
	IndexScanDesc scan;			/* open with nkeys keys, or NULL */
	int			nkeys;
	bool		keeps_tuples;	/* scan returns index tuples, too */
	Buffer		vmbuffer;		/* page of the visibility map, or invalid */
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

/* Into physical order. */
extern void tids_sort(uint64 *tids, size_t count);

/* The btree of the indexes is there, and stays open. */
extern void keyscan_begin(KeyScan *ks, Relation rel,
						  const FactIndexes *indexes,
						  const FactColumns *columns, Snapshot snapshot);

/* Gets the key of a visible row that the index alone answered. */
typedef void (*KeyScanRow) (void *state, const FactKey *key);

/*
 * TIDs of the hop's seeds, ascending and without duplicates, in ks->tids. They
 * start HOT chains, and rows of other relations are among them unless the
 * index has the relation as its second column.
 *
 * Where `row` is given and the index covers relation and target, rows on
 * all-visible pages go to `row` instead, in no particular order.
 */
extern void keyscan_search(KeyScan *ks, const FactHop *hop, KeyScanRow row,
						   void *state);

extern void keyscan_end(KeyScan *ks);

#endif							/* KEYSCAN_H */
