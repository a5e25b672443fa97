/*
 * pageread.c
 *	  (relation, block, snapshot, key test) -> visible tuples.
 *
 * Key first: on a page, the test is asked of every normal tuple and visibility
 * only of those that pass, because the test costs a few instructions and the
 * visibility of a tuple without hint bits costs a look into the commit log.
 *
 * Locks: the share lock only while visibility is decided, one page at a time.
 * Serializable transactions: a conflict is noted for each version that passes
 * the test, visible or not; versions that fail it are not part of what was
 * read.
 *
 * Nothing is written but hint bits, and pruning where heap's own scans would
 * prune.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/valid.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "bufferhint.h"
#include "compat.h"
#include "tableam/pageread.h"

/* The stride of hints; a smaller real line only leaves some to the hardware. */
#define CACHE_LINE 64

/* Where in a tuple keys lie, as a rule: behind its header. */
#define HINT_KEYS 36

/* The header of a page that is not pinned yet. */
#define HINT_BLOCK CACHE_LINE

/* The header and the first line pointers; the hardware sees the rest coming. */
#define HINT_ITEMS (4 * CACHE_LINE)

/* Into the second cache, which can wait for more lines at a time than the first. */
static inline void
prefetch(const char *line)
{
	__builtin_prefetch(line, 0, 2);
}

void
pageread_begin(PageReader *reader, Relation rel, Snapshot snapshot)
{
	if (!IsMVCCSnapshot(snapshot))
		elog(ERROR, "page reader needs an MVCC snapshot");
	reader->rel = rel;
	reader->snapshot = snapshot;
	reader->strategy = NULL;
	reader->buffer = InvalidBuffer;
	reader->pages = 0;
	reader->ntuples = 0;
}

BlockNumber
pageread_start_scan(PageReader *reader)
{
	BlockNumber nblocks;

	/*
	 * The lock comes before the size, as in heap's scans: a writer who finds
	 * no lock to conflict with must not then add a block that is not read.
	 */
	PredicateLockRelation(reader->rel, reader->snapshot);
	nblocks = RelationGetNumberOfBlocks(reader->rel);
	pgstat_count_heap_scan(reader->rel);

	/* The bound at which heap's own sequential scans turn to a ring. */
	if (reader->strategy == NULL &&
		!RelationUsesLocalBuffers(reader->rel) &&
		nblocks > (BlockNumber) NBuffers / 4)
		reader->strategy = GetAccessStrategy(BAS_BULKREAD);
	return nblocks;
}

void
pageread_hint_block(PageReader *reader, BlockNumber block)
{
	bufferhint_prefetch(reader->rel, block, 0, HINT_BLOCK);
}

Buffer
pageread_pin(PageReader *reader, BlockNumber block)
{
	CHECK_FOR_INTERRUPTS();

	reader->pages++;
	if (reader->strategy == NULL)
		return bufferhint_read(reader->rel, block);
	return ReadBufferExtended(reader->rel, MAIN_FORKNUM, block, RBM_NORMAL,
							  reader->strategy);
}

/* An index may hold anything; hints must not leave the page. */
static inline bool
hintable(OffsetNumber offset)
{
	return offset >= FirstOffsetNumber && offset <= MaxHeapTuplesPerPage;
}

void
pageread_hint_item(Buffer buffer, OffsetNumber offset)
{
	Page		page = BufferGetPage(buffer);

	if (!hintable(offset))
		return;
	__builtin_prefetch(page);
	__builtin_prefetch(&((PageHeader) page)->pd_linp[offset - 1]);
}

void
pageread_hint_tuple(Buffer buffer, OffsetNumber offset, Size bytes)
{
	const char *page = (const char *) BufferGetPage(buffer);
	ItemIdData	item;
	Size		from;
	Size		end;

	if (!hintable(offset))
		return;
	item = ((PageHeader) page)->pd_linp[offset - 1];
	from = ItemIdGetOffset(&item);
	end = Min(from + Min(ItemIdGetLength(&item), bytes), BLCKSZ);
	for (Size at = from; at < end; at += CACHE_LINE)
		prefetch(page + at);
}

void
pageread_hint_items(Buffer buffer)
{
	const char *page = (const char *) BufferGetPage(buffer);

	for (Size at = 0; at < HINT_ITEMS; at += CACHE_LINE)
		prefetch(page + at);
}

void
pageread_hint_keys(Buffer buffer)
{
	const char *page = (const char *) BufferGetPage(buffer);
	Size		lower = ((const PageHeaderData *) page)->pd_lower;
	int			nitems = 0;

	if (lower > SizeOfPageHeaderData)
		nitems = (lower - SizeOfPageHeaderData) / sizeof(ItemIdData);
	nitems = Min(nitems, MaxHeapTuplesPerPage);
	for (int i = 0; i < nitems; i++)
	{
		ItemIdData	item = ((PageHeader) page)->pd_linp[i];
		Size		at = ItemIdGetOffset(&item) % (BLCKSZ - HINT_KEYS);

		prefetch(page + at);
		prefetch(page + at + HINT_KEYS);
	}
}

/* Make a pinned page the current one, and give pruning its chance. */
static Page
take_page(PageReader *reader, Buffer buffer)
{
	if (BufferIsValid(reader->buffer))
		ReleaseBuffer(reader->buffer);
	reader->buffer = buffer;
	reader->ntuples = 0;
	heap_page_prune_opt(reader->rel, buffer);
	return BufferGetPage(buffer);
}

/* Point a tuple at a normal line pointer of the pinned page. */
static inline void
point_tuple(PageReader *reader, HeapTuple tuple, Page page,
			BlockNumber block, OffsetNumber offset, ItemId item)
{
	tuple->t_tableOid = RelationGetRelid(reader->rel);
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, item);
	tuple->t_len = ItemIdGetLength(item);
	ItemPointerSet(&tuple->t_self, block, offset);
}

/* All tuples of a page, where there is no test. */
static int
normal_items(Page page, OffsetNumber last, OffsetNumber *matches)
{
	int			n = 0;

	for (OffsetNumber offset = FirstOffsetNumber; offset <= last; offset++)
		if (ItemIdIsNormal(PageGetItemId(page, offset)))
			matches[n++] = offset;
	return n;
}

int
pageread_scan(PageReader *reader, BlockNumber block,
			  PageKeyTest test, void *state)
{
	return pageread_scan_pinned(reader, pageread_pin(reader, block), test,
								state);
}

int
pageread_scan_pinned(PageReader *reader, Buffer buffer, PageKeyTest test,
					 void *state)
{
	Page		page = take_page(reader, buffer);
	BlockNumber block = BufferGetBlockNumber(buffer);
	OffsetNumber matches[MaxHeapTuplesPerPage];
	OffsetNumber last;
	bool		all_visible;
	int			nmatches;
	int			n = 0;

	LockBuffer(reader->buffer, BUFFER_LOCK_SHARE);
	TestForOldSnapshot(reader->snapshot, reader->rel, page);

	/*
	 * On a standby the page's flag may be ahead of what the snapshot may see,
	 * as heapgetpage explains.
	 */
	all_visible = PageIsAllVisible(page) &&
		!reader->snapshot->takenDuringRecovery;

	/* No sound page has more line pointers; a corrupt one must do no harm. */
	last = Min(PageGetMaxOffsetNumber(page), MaxHeapTuplesPerPage);
	nmatches = test != NULL ? test(state, page, last, matches) :
		normal_items(page, last, matches);
	for (int i = 0; i < nmatches; i++)
	{
		HeapTuple	tuple = &reader->tuples[n];
		bool		visible;

		point_tuple(reader, tuple, page, block, matches[i],
					PageGetItemId(page, matches[i]));
		visible = all_visible ||
			HeapTupleSatisfiesVisibility(tuple, reader->snapshot,
										 reader->buffer);
		HeapCheckForSerializableConflictOut(visible, reader->rel, tuple,
											reader->buffer, reader->snapshot);
		if (visible)
			n++;
	}
	LockBuffer(reader->buffer, BUFFER_LOCK_UNLOCK);

	reader->ntuples = n;
	return n;
}

int
pageread_members(PageReader *reader, Buffer buffer,
				 const OffsetNumber *offsets, int noffsets)
{
	Page		page = take_page(reader, buffer);
	BlockNumber block = BufferGetBlockNumber(buffer);
	int			n = 0;

	LockBuffer(reader->buffer, BUFFER_LOCK_SHARE);
	TestForOldSnapshot(reader->snapshot, reader->rel, page);
	for (int i = 0; i < noffsets && n < MaxHeapTuplesPerPage; i++)
	{
		ItemPointerData tid;
		HeapTupleData tuple;
		int			at;

		ItemPointerSet(&tid, block, offsets[i]);
		if (!heap_hot_search_buffer(&tid, reader->rel, reader->buffer,
									reader->snapshot, &tuple, NULL, true))
			continue;
		/* on return t_self is the member's own TID, not the chain's */
		tuple.t_tableOid = RelationGetRelid(reader->rel);

		/* A chain's member may lie before an earlier one: keep page order. */
		for (at = n++; at > 0; at--)
		{
			if (ItemPointerGetOffsetNumber(&reader->tuples[at - 1].t_self) <
				ItemPointerGetOffsetNumber(&tuple.t_self))
				break;
			reader->tuples[at] = reader->tuples[at - 1];
		}
		reader->tuples[at] = tuple;
	}
	LockBuffer(reader->buffer, BUFFER_LOCK_UNLOCK);

	pgstat_count_heap_fetch(reader->rel);
	reader->ntuples = n;
	return n;
}

HeapTuple
pageread_refetch(PageReader *reader, ItemPointer tid)
{
	BlockNumber block = ItemPointerGetBlockNumber(tid);
	OffsetNumber offset = ItemPointerGetOffsetNumber(tid);
	HeapTuple	tuple = &reader->tuples[0];
	Page		page = take_page(reader, pageread_pin(reader, block));
	ItemId		item;
	bool		visible;

	LockBuffer(reader->buffer, BUFFER_LOCK_SHARE);
	TestForOldSnapshot(reader->snapshot, reader->rel, page);
	if (offset < FirstOffsetNumber || offset > PageGetMaxOffsetNumber(page) ||
		!ItemIdIsNormal(item = PageGetItemId(page, offset)))
		elog(ERROR, "tuple (%u,%u) of relation \"%s\" has disappeared",
			 block, offset, RelationGetRelationName(reader->rel));
	point_tuple(reader, tuple, page, block, offset, item);
	visible = HeapTupleSatisfiesVisibility(tuple, reader->snapshot,
										   reader->buffer);
	LockBuffer(reader->buffer, BUFFER_LOCK_UNLOCK);
	if (!visible)
		elog(ERROR, "tuple (%u,%u) of relation \"%s\" is no longer visible",
			 block, offset, RelationGetRelationName(reader->rel));
	reader->ntuples = 1;
	return tuple;
}

void
pageread_prefetch(PageReader *reader, BlockNumber block)
{
	(void) PrefetchBuffer(reader->rel, MAIN_FORKNUM, block);
}

void
pageread_end(PageReader *reader)
{
	if (BufferIsValid(reader->buffer))
		ReleaseBuffer(reader->buffer);
	reader->buffer = InvalidBuffer;
	if (reader->strategy != NULL)
		FreeAccessStrategy(reader->strategy);
	reader->strategy = NULL;
	reader->ntuples = 0;
}
