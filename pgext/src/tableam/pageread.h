/*
 * pageread.h
 *	  (relation, block, snapshot, key test) -> visible tuples.
 *
 * The only place that turns heap-format pages into visible tuples outside the
 * table access method's own callbacks. A reader pins the page of its last result.
 * What it returns points into that page and stays good until the next call on the
 * reader: the pin keeps pruning from moving tuples, and a tuple found visible
 * stays so for the snapshot. No buffer lock is held on return, so the caller
 * may detoast, compute and raise errors.
 */
#ifndef PAGEREAD_H
#define PAGEREAD_H

#include "access/htup.h"
#include "access/htup_details.h"
#include "storage/bufmgr.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

/*
 * Which tuples of a page have the key looked for? Puts their offsets, of
 * normal line pointers, ascending, into `matches`, which has room for
 * MaxHeapTuplesPerPage, and returns their number; `last` is no more than that.
 * A whole page at a time, so that the loop over its tuples is in one function
 * with the test. Called under the page's share lock, before visibility is
 * known, so also on dead and on uncommitted tuples: it may look at inline
 * columns only, and must neither detoast nor read pages.
 */
typedef int (*PageKeyTest) (void *state, Page page, OffsetNumber last,
							OffsetNumber *matches);

/*
 * Point a tuple at a normal line pointer, for such a test: data and length
 * only. False where the line pointer is another.
 */
static inline bool
pageread_tuple_at(Page page, OffsetNumber offset, HeapTuple tuple)
{
	ItemId		item = PageGetItemId(page, offset);

	if (!ItemIdIsNormal(item))
		return false;
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, item);
	tuple->t_len = ItemIdGetLength(item);
	return true;
}

typedef struct PageReader
{
	Relation	rel;			/* locked by the caller, AccessShare at least */
	Snapshot	snapshot;		/* MVCC, active or registered */
	BufferAccessStrategy strategy;	/* of a scan of a big table, or NULL */
	Buffer		buffer;			/* the pinned page, or InvalidBuffer */
	uint64		pages;			/* pages read so far */
	int			ntuples;		/* result of the last call, in page order */
	HeapTupleData tuples[MaxHeapTuplesPerPage];
} PageReader;

extern void pageread_begin(PageReader *reader, Relation rel, Snapshot snapshot);

/*
 * Prepare to read every page: takes the predicate lock on the whole relation,
 * chooses a ring of buffers for a big table, and returns the number of blocks
 * there are. Rows added later are not visible to the snapshot.
 */
extern BlockNumber pageread_start_scan(PageReader *reader);

/*
 * Visible tuples of a block that pass the test; test NULL takes all. The
 * caller holds a predicate lock that covers the search (see
 * pageread_start_scan).
 */
extern int	pageread_scan(PageReader *reader, BlockNumber block,
						  PageKeyTest test, void *state);

/* The same of a page that the caller has pinned; takes over the pin. */
extern int	pageread_scan_pinned(PageReader *reader, Buffer buffer,
								 PageKeyTest test, void *state);

/* Ask the CPU for a page that will be pinned soon, where it was last time. */
extern void pageread_hint_block(PageReader *reader, BlockNumber block);

/*
 * Pin a block that will be visited soon. The caller owns the pin until it
 * gives it to pageread_members or pageread_scan_pinned, or releases it.
 */
extern Buffer pageread_pin(PageReader *reader, BlockNumber block);

/*
 * Ask the CPU for the line pointer, then for up to `bytes` of the tuple, at an
 * offset of a pinned page. Only hints: no lock is taken, and whatever is found
 * there is not believed. Ask for all line pointers of a group of pages before
 * the first tuple, so that the misses overlap.
 */
extern void pageread_hint_item(Buffer buffer, OffsetNumber offset);
extern void pageread_hint_tuple(Buffer buffer, OffsetNumber offset,
								Size bytes);

/*
 * Hints for a scan of a whole page: its line pointers, then the beginning of
 * each tuple. The same order serves.
 */
extern void pageread_hint_items(Buffer buffer);
extern void pageread_hint_keys(Buffer buffer);

/*
 * Visible members of the HOT chains that start at the given offsets of a
 * pinned page, as an index returned them; takes over the pin. The predicate
 * locks are those of an index scan: the index's own for the gaps, and the
 * tuples returned here.
 */
extern int	pageread_members(PageReader *reader, Buffer buffer,
							 const OffsetNumber *offsets, int noffsets);

/*
 * One tuple that this snapshot already saw, by its own TID (not its chain's).
 * The snapshot keeps the version in place, so anything else is an error.
 */
extern HeapTuple pageread_refetch(PageReader *reader, ItemPointer tid);

/* Hint that a block will be read soon. */
extern void pageread_prefetch(PageReader *reader, BlockNumber block);

/* Drop the pin and the ring. */
extern void pageread_end(PageReader *reader);

#endif							/* PAGEREAD_H */
