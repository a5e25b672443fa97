/*
 * validatescan.c
 *	  Second pass of a concurrent index build: insert what the first missed.
 *
 * Core hands over the TIDs in the index, sorted, and a reference snapshot. The
 * table is read in block order and merged with them; a visible row whose root
 * TID is absent is inserted. Rows of one page come in offset order while their
 * roots need not, so the TIDs passed over on the current page are remembered.
 *
 * Locks: ShareUpdateExclusiveLock on the table; writers go on and insert into
 * the index themselves. The snapshot is older than the list of TIDs: a row that
 * it shows and that its writer indexed is in the list, so none enters twice.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/tableam.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "utils/backend_progress.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "tableam/indexrow.h"
#include "tableam/rootmap.h"
#include "tableam/sorted_heap.h"

/* The sorted TIDs of the index, read once from front to back. */
typedef struct IndexedTids
{
	Tuplesortstate *sort;
	bool		exhausted;
	bool		has_next;
	ItemPointerData next;		/* valid if has_next; not yet passed */
	BlockNumber block;			/* whose passed TIDs are in seen */
	bool		seen[MaxHeapTuplesPerPage];
} IndexedTids;

static void tids_enter_block(IndexedTids *tids, BlockNumber block);
static bool tids_contain(IndexedTids *tids, ItemPointer tid);
static bool next_tid(IndexedTids *tids);

void
sorted_heap_index_validate_scan(Relation rel, Relation index,
								IndexInfo *index_info, Snapshot snapshot,
								ValidateIndexState *state)
{
	TableScanDesc scan;
	IndexRow	row;
	RootMap		roots = {.block = InvalidBlockNumber};
	IndexedTids tids = {
		.sort = state->tuplesort,
		.block = InvalidBlockNumber,
	};

	indexrow_begin(&row, rel, index_info);

	/* The merge needs block order from zero on: no synchronized scan. */
	scan = table_beginscan_strat(rel, snapshot, 0, NULL, true, false);
	pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_TOTAL,
								 ((HeapScanDesc) scan)->rs_nblocks);

	while (table_scan_getnextslot(scan, ForwardScanDirection, row.slot))
	{
		HeapTuple	tuple = ExecFetchSlotHeapTuple(row.slot, false, NULL);
		Buffer		buffer = ((BufferHeapTupleTableSlot *) row.slot)->buffer;
		ItemPointerData tid;

		CHECK_FOR_INTERRUPTS();
		state->htups += 1;

		if (rootmap_visit(&roots, buffer))
		{
			tids_enter_block(&tids, roots.block);
			pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE,
										 roots.block);
		}
		tid = rootmap_index_tid(&roots, tuple, buffer, rel);
		if (tids_contain(&tids, &tid) || !indexrow_form(&row))
			continue;

		/*
		 * Uniqueness is checked even if this version died meanwhile: it
		 * stands for its whole chain, and the index looks at all of it.
		 */
		index_insert(index, row.values, row.isnull, &tid, rel,
					 index_info->ii_Unique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO,
					 false, index_info);
		state->tups_inserted += 1;
	}

	table_endscan(scan);
	indexrow_end(&row);
}

static void
tids_enter_block(IndexedTids *tids, BlockNumber block)
{
	memset(tids->seen, 0, sizeof(tids->seen));
	tids->block = block;
}

/*
 * Is tid, which is on the current block, in the index? Passes every smaller
 * TID. A TID with an offset that no heap page has cannot be asked for, so it
 * need not be remembered.
 */
static bool
tids_contain(IndexedTids *tids, ItemPointer tid)
{
	OffsetNumber offset;

	Assert(ItemPointerGetBlockNumber(tid) == tids->block);
	while (!tids->exhausted)
	{
		if (tids->has_next)
		{
			if (ItemPointerCompare(&tids->next, tid) > 0)
				break;
			offset = ItemPointerGetOffsetNumber(&tids->next);
			if (ItemPointerGetBlockNumber(&tids->next) == tids->block &&
				offset <= MaxHeapTuplesPerPage)
				tids->seen[offset - 1] = true;
		}
		tids->has_next = next_tid(tids);
		tids->exhausted = !tids->has_next;
	}
	return tids->seen[ItemPointerGetOffsetNumber(tid) - 1];
}

/* Core sorts TIDs encoded as int8, which our platforms pass by value. */
static bool
next_tid(IndexedTids *tids)
{
	Datum		encoded;
	bool		isnull;

	StaticAssertStmt(SIZEOF_DATUM == 8, "int8 must be passed by value");
	if (!tuplesort_next_datum(tids->sort, &encoded, &isnull))
		return false;
	Assert(!isnull);
	itemptr_decode(&tids->next, DatumGetInt64(encoded));
	return true;
}
