/*
 * strays.c
 *	  Rows out of key order, by what the zone map knows of the rest.
 *
 * Bounds on the map's pages give the longest chain of blocks over the whole
 * table; it stays as it is. Blocks outside of it lie in gaps between its
 * members. Of a gap's rows, those that fit between the two members and form a
 * longest ascending series from block to block stay too; what is left is
 * strays. So one stray among the rows of a block costs one row, not a block.
 *
 * Runs, sealed blocks outside of the chain, hold rows in order that start over:
 * an earlier merge's, or those of a second sorted COPY. A lookup reads a block
 * or two of them at most. They may be left in peace.
 *
 * Memory: 41 bytes for each block of the heap, and what maintenance_work_mem
 * allows for the rows of one gap and for the strays.
 *
 * Locks: one map page at a time, shared; one heap page at a time, shared.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/rel.h"

#include "tableam/pageread.h"
#include "zone/blockkeys.h"
#include "zone/chain.h"
#include "zone/pageio.h"
#include "zone/strays.h"

/* A row of the gap being read. */
typedef struct GapRow
{
	ZoneRange	range;
	ItemPointerData tid;
} GapRow;

/* A gap's rows: its own, and copies of the ranges for chain_longest(). */
#define GAP_ROW_BYTES \
	(sizeof(GapRow) + sizeof(ZoneRange) + 2 * sizeof(uint32) + sizeof(bool))

typedef struct Finder
{
	Relation	heap;
	Relation	index;
	ZoneKey		key;
	PageReader	reader;
	StrayRows  *strays;
	uint64		allocated;		/* strays->tids */
	uint64		budget;			/* bytes, for tids and for a gap */

	BlockNumber heap_blocks;
	ZoneRange  *bounds;			/* of each block; empty where it has none */
	bool	   *empty;			/* holds no key */
	bool	   *members;		/* of the chain */

	/* The gap being read. */
	ZonePair	low;			/* end of the member before */
	GapRow	   *rows;
	uint64		nrows;
	uint64		rows_allocated;
	bool		gap_overflow;	/* too many rows to judge: all are strays */
} Finder;

static void read_bounds(Finder *finder);
static void read_gaps(Finder *finder, RunTreatment runs);
static void read_block(Finder *finder, BlockNumber block);
static void close_gap(Finder *finder, ZonePair high);
static void add_stray(Finder *finder, ItemPointer tid);

static int
tid_compare(const void *a, const void *b)
{
	return ItemPointerCompare((ItemPointer) a, (ItemPointer) b);
}

void
zone_find_strays(Relation heap, Relation index, Snapshot snapshot,
				 RunTreatment runs, StrayRows *strays)
{
	Finder	   *finder = palloc0(sizeof(Finder));
	Size		nblocks = RelationGetNumberOfBlocks(heap);

	memset(strays, 0, sizeof(*strays));
	finder->heap = heap;
	finder->index = index;
	finder->key = zone_cache(index)->key;
	finder->strays = strays;
	finder->budget = (uint64) maintenance_work_mem * 1024 / 2;
	finder->heap_blocks = nblocks;
	finder->bounds = palloc_extended(mul_size(nblocks + 1, sizeof(ZoneRange)),
									 MCXT_ALLOC_HUGE);
	finder->empty = palloc_extended(nblocks + 1, MCXT_ALLOC_HUGE);
	finder->members = palloc_extended(nblocks + 1, MCXT_ALLOC_HUGE);
	strays->blocks = palloc_extended(mul_size(nblocks + 1, sizeof(BlockNumber)),
									 MCXT_ALLOC_HUGE);

	read_bounds(finder);
	chain_longest(finder->bounds, finder->heap_blocks, finder->members);

	/*
	 * No predicate lock: what is read decides where rows lie, not what the
	 * table holds.
	 */
	pageread_begin(&finder->reader, heap, snapshot);
	finder->reader.strategy = GetAccessStrategy(BAS_BULKREAD);
	read_gaps(finder, runs);
	pageread_end(&finder->reader);
	if (!strays->overflow && strays->nrows > 1)
		qsort(strays->tids, strays->nrows, sizeof(ItemPointerData),
			  tid_compare);

	pfree(finder->members);
	pfree(finder->empty);
	pfree(finder->bounds);
	if (finder->rows != NULL)
		pfree(finder->rows);
	pfree(finder);
}

static void
read_gaps(Finder *finder, RunTreatment runs)
{
	for (BlockNumber block = 0; block < finder->heap_blocks; block++)
	{
		if (finder->members[block])
		{
			close_gap(finder, finder->bounds[block].low);
			finder->low = finder->bounds[block].high;
			finder->strays->kept_blocks = block + 1;
		}
		else if (runs == RUNS_STAY &&
				 !zone_range_is_empty(finder->bounds[block]))
			finder->strays->kept_blocks = block + 1;
		else if (!finder->empty[block])
			read_block(finder, block);
	}
	close_gap(finder, zone_range_everything.high);
}

/* The bounds of all blocks, and which blocks hold no key. */
static void
read_bounds(Finder *finder)
{
	for (uint32 zone = 0; zone < zone_count(finder->heap_blocks); zone++)
	{
		BlockNumber address = zone_leaf_address(zone);
		BlockNumber first = zone_first_block(zone);
		int			nentries = zone_entries_within(zone, finder->heap_blocks);
		Buffer		buffer = zone_pin(finder->index, address);
		const ZoneLeaf *leaf = NULL;

		CHECK_FOR_INTERRUPTS();
		if (BufferIsValid(buffer))
		{
			LockBuffer(buffer, BUFFER_LOCK_SHARE);
			if (zone_page_check(finder->index, address, BufferGetPage(buffer)))
				leaf = zone_leaf(BufferGetPage(buffer));
		}
		for (int i = 0; i < nentries; i++)
		{
			bool		bounded = leaf != NULL &&
				zone_state_is_bounded(leaf->states[i]);

			finder->bounds[first + i] =
				bounded ? leaf->bounds[i] : zone_range_nothing;
			finder->empty[first + i] = leaf != NULL && leaf->states[i] == ZONE_EMPTY;
		}
		if (BufferIsValid(buffer))
			UnlockReleaseBuffer(buffer);
	}
}

/* qsort comparator: by key, then as they lie. */
static int
row_compare(const void *a, const void *b)
{
	const GapRow *left = (const GapRow *) a;
	const GapRow *right = (const GapRow *) b;
	int			order = zone_pair_compare(left->range.low, right->range.low);

	if (order == 0)
		order = zone_pair_compare(left->range.high, right->range.high);
	return order != 0 ? order :
		(int) ItemPointerGetOffsetNumberNoCheck(&left->tid) -
		(int) ItemPointerGetOffsetNumberNoCheck(&right->tid);
}

static void
add_row(Finder *finder, const GapRow *row)
{
	if (finder->nrows == finder->rows_allocated)
	{
		finder->rows_allocated = Max(finder->rows_allocated * 2, 1024);
		finder->rows = finder->rows == NULL ?
			palloc(finder->rows_allocated * sizeof(GapRow)) :
			repalloc_huge(finder->rows,
						  finder->rows_allocated * sizeof(GapRow));
	}
	finder->rows[finder->nrows++] = *row;
}

/* Add a block's visible rows to the gap, ascending within the block. */
static void
read_block(Finder *finder, BlockNumber block)
{
	StrayRows  *strays = finder->strays;
	uint64		first = finder->nrows;
	int			nrows = pageread_scan(&finder->reader, block, NULL, NULL);

	strays->blocks[strays->nblocks++] = block;
	strays->rows_read += nrows;
	for (int i = 0; i < nrows; i++)
	{
		HeapTuple	tuple = &finder->reader.tuples[i];
		GapRow		row;

		/* Nothing is locked, so a key may be fetched. */
		block_tuple_range(finder->heap, tuple, &finder->key, &row.range);
		row.tid = tuple->t_self;

		/* No operator finds it: it may lie anywhere. */
		if (zone_range_is_empty(row.range))
			continue;
		if (finder->gap_overflow ||
			zone_pair_compare(row.range.low, finder->low) < 0)
			add_stray(finder, &row.tid);
		else
			add_row(finder, &row);
	}
	if (finder->nrows > first + 1)
		qsort(finder->rows + first, finder->nrows - first, sizeof(GapRow),
			  row_compare);

	/* So long a stretch without order is no gap in an ordered table. */
	if (finder->nrows * GAP_ROW_BYTES > finder->budget)
	{
		finder->gap_overflow = true;
		strays->overflow = true;
		for (uint64 i = 0; i < finder->nrows; i++)
			add_stray(finder, &finder->rows[i].tid);
		finder->nrows = 0;
	}
}

/* The member after the gap starts at high: decide which rows stay. */
static void
close_gap(Finder *finder, ZonePair high)
{
	StrayRows  *strays = finder->strays;
	uint32		nrows = 0;
	ZoneRange  *ranges;
	bool	   *stays;

	for (uint64 i = 0; i < finder->nrows; i++)
	{
		if (zone_pair_compare(finder->rows[i].range.high, high) > 0)
			add_stray(finder, &finder->rows[i].tid);
		else
			finder->rows[nrows++] = finder->rows[i];
	}
	finder->nrows = 0;
	finder->gap_overflow = false;
	if (nrows == 0)
		return;

	ranges = palloc_extended(mul_size(nrows, sizeof(ZoneRange)),
							 MCXT_ALLOC_HUGE);
	stays = palloc_extended(nrows, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < nrows; i++)
		ranges[i] = finder->rows[i].range;
	chain_longest(ranges, nrows, stays);
	for (uint32 i = 0; i < nrows; i++)
	{
		ItemPointer tid = &finder->rows[i].tid;

		if (stays[i])
			strays->kept_blocks = Max(strays->kept_blocks,
									  ItemPointerGetBlockNumber(tid) + 1);
		else
			add_stray(finder, tid);
	}
	pfree(stays);
	pfree(ranges);
}

static void
add_stray(Finder *finder, ItemPointer tid)
{
	StrayRows  *strays = finder->strays;

	strays->nrows++;
	if (strays->overflow)
		return;
	if (strays->nrows * sizeof(ItemPointerData) > finder->budget)
	{
		strays->overflow = true;
		return;
	}
	if (strays->nrows > finder->allocated)
	{
		finder->allocated = Max(finder->allocated * 2, 1024);
		strays->tids = strays->tids == NULL ?
			palloc(finder->allocated * sizeof(ItemPointerData)) :
			repalloc_huge(strays->tids,
						  finder->allocated * sizeof(ItemPointerData));
	}
	strays->tids[strays->nrows - 1] = *tid;
}

void
zone_reopen(Relation index, const BlockNumber *blocks, BlockNumber nblocks)
{
	BlockNumber at = 0;

	while (at < nblocks)
	{
		uint32		zone = zone_of_block(blocks[at]);
		Buffer		leaf_buffer = zone_pin(index, zone_leaf_address(zone));
		ZoneChange	change;

		CHECK_FOR_INTERRUPTS();
		/* A page that is not there says the same. */
		if (!BufferIsValid(leaf_buffer))
			return;
		zone_change_begin(&change, index, zone, leaf_buffer,
						  ZONE_CHANGE_LOGGED);
		for (; at < nblocks && zone_of_block(blocks[at]) == zone; at++)
			change.leaf->states[zone_entry_of_block(blocks[at])] = ZONE_OPEN;
		zone_change_finish(&change);
		ReleaseBuffer(leaf_buffer);
	}
}
