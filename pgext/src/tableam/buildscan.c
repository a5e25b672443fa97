/*
 * buildscan.c
 *	  Read the table for an index build.
 *
 * Two kinds of scan. A plain build sees every tuple (SnapshotAny) and judges
 * each itself, because the index must hold what any running transaction may
 * still see: live and recently dead tuples. A concurrent build, and a check
 * that brings its own scan, see what an MVCC snapshot shows.
 *
 * Heap-only tuples enter the index under the TID of their chain's root. Of a
 * chain with an older version that somebody may still see only the newest is
 * indexed; ii_BrokenHotChain then tells core to keep older snapshots away.
 *
 * Locks: a plain build holds ShareLock on the table or a stronger one, so
 * another transaction's change in progress is unexpected and is reported; BRIN
 * summarization (anyvisible) holds ShareUpdateExclusiveLock and runs beside
 * writers. The page of the current tuple stays pinned; its content lock is
 * held only while a tuple is judged, never across the callback or a wait.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/relscan.h"
#include "access/xact.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/procarray.h"
#include "utils/backend_progress.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "tableam/indexrow.h"
#include "tableam/rootmap.h"
#include "tableam/sorted_heap.h"

typedef struct BuildScan
{
	Relation	rel;
	IndexInfo  *info;
	TableScanDesc scan;
	Snapshot	own_snapshot;	/* registered by us, or NULL */
	bool		judge;			/* SnapshotAny: visibility is ours to decide */
	bool		anyvisible;
	bool		progress;
	TransactionId oldest_xmin;	/* valid if judge */
	BlockNumber reported;		/* last progress report */
	double		live;			/* what core stores as reltuples */
	IndexRow	row;
	RootMap		roots;
} BuildScan;

typedef struct Verdict
{
	bool		index;			/* the tuple belongs in the index */
	bool		alive;			/* it takes part in uniqueness checks */
	bool		counted;		/* it is live for reltuples, as in ANALYZE */
	TransactionId wait_for;		/* if valid: judge again after it ended */
} Verdict;

static void begin_scan(BuildScan *bs, bool allow_sync,
					   BlockNumber start_blockno, BlockNumber numblocks,
					   TableScanDesc scan);
static void end_scan(BuildScan *bs);
static bool admit(BuildScan *bs, HeapTuple tuple, Buffer buffer, bool *alive);
static Verdict judge_tuple(BuildScan *bs, HeapTuple tuple, Buffer buffer);
static Verdict judge_insert(BuildScan *bs, HeapTuple tuple);
static Verdict judge_delete(BuildScan *bs, HeapTuple tuple);
static BlockNumber blocks_total(TableScanDesc scan);
static void report_position(BuildScan *bs);

double
sorted_heap_index_build_range_scan(Relation rel, Relation index,
								   IndexInfo *index_info, bool allow_sync,
								   bool anyvisible, bool progress,
								   BlockNumber start_blockno,
								   BlockNumber numblocks,
								   IndexBuildCallback callback,
								   void *callback_state, TableScanDesc scan)
{
	BuildScan	bs = {
		.rel = rel,
		.info = index_info,
		.anyvisible = anyvisible,
		.progress = progress,
		.reported = InvalidBlockNumber,
		.roots.block = InvalidBlockNumber,
	};
	TupleTableSlot *slot;

	Assert(!(anyvisible &&
			 (index_info->ii_Unique || index_info->ii_ExclusionOps != NULL)));

	begin_scan(&bs, allow_sync, start_blockno, numblocks, scan);
	slot = bs.row.slot;

	while (table_scan_getnextslot(bs.scan, ForwardScanDirection, slot))
	{
		HeapTuple	tuple = ExecFetchSlotHeapTuple(slot, false, NULL);
		Buffer		buffer = ((BufferHeapTupleTableSlot *) slot)->buffer;
		ItemPointerData tid;
		bool		alive;

		CHECK_FOR_INTERRUPTS();
		report_position(&bs);

		rootmap_visit(&bs.roots, buffer);
		if (!admit(&bs, tuple, buffer, &alive))
			continue;
		if (!indexrow_form(&bs.row))
			continue;
		tid = rootmap_index_tid(&bs.roots, tuple, buffer, rel);
		callback(index, &tid, bs.row.values, bs.row.isnull, alive,
				 callback_state);
	}

	end_scan(&bs);
	return bs.live;
}

/*
 * Opens the scan, or adopts the one given (a parallel build, or a check), whose
 * snapshot then says which kind of scan this is. end_scan() closes either.
 */
static void
begin_scan(BuildScan *bs, bool allow_sync, BlockNumber start_blockno,
		   BlockNumber numblocks, TableScanDesc scan)
{
	indexrow_begin(&bs->row, bs->rel, bs->info);

	bs->judge = !bs->info->ii_Concurrent;
	if (bs->judge)
		bs->oldest_xmin = GetOldestNonRemovableTransactionId(bs->rel);

	if (scan == NULL)
	{
		Snapshot	snapshot = SnapshotAny;

		if (!bs->judge)
		{
			bs->own_snapshot = RegisterSnapshot(GetTransactionSnapshot());
			snapshot = bs->own_snapshot;
		}
		scan = table_beginscan_strat(bs->rel, snapshot, 0, NULL, true,
									 allow_sync);
	}
	bs->scan = scan;
	Assert(bs->judge ? scan->rs_snapshot == SnapshotAny
		   : IsMVCCSnapshot(scan->rs_snapshot));
	Assert(bs->judge || !bs->anyvisible);

	if (bs->progress)
		pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_TOTAL,
									 blocks_total(scan));

	/* a synchronized scan is always of the whole table */
	Assert(!allow_sync ||
		   (start_blockno == 0 && numblocks == InvalidBlockNumber));
	if (!allow_sync)
		heap_setscanlimits(scan, start_blockno, numblocks);
}

static void
end_scan(BuildScan *bs)
{
	if (bs->progress)
		pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE,
									 blocks_total(bs->scan));
	table_endscan(bs->scan);
	if (bs->own_snapshot != NULL)
		UnregisterSnapshot(bs->own_snapshot);
	indexrow_end(&bs->row);
}

/* Decides whether to index the tuple; waits for other transactions if need be. */
static bool
admit(BuildScan *bs, HeapTuple tuple, Buffer buffer, bool *alive)
{
	Verdict		verdict = {
		.index = true,
		.alive = true,
		.counted = true,
	};

	while (bs->judge)
	{
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		verdict = judge_tuple(bs, tuple, buffer);
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

		if (!TransactionIdIsValid(verdict.wait_for))
			break;
		XactLockTableWait(verdict.wait_for, bs->rel, &tuple->t_self,
						  XLTW_InsertIndexUnique);
		CHECK_FOR_INTERRUPTS();
	}

	if (verdict.counted)
		bs->live += 1;
	*alive = verdict.alive;
	return verdict.index;
}

/* The caller holds the buffer's content lock. */
static Verdict
judge_tuple(BuildScan *bs, HeapTuple tuple, Buffer buffer)
{
	Verdict		verdict = {0};

	switch (HeapTupleSatisfiesVacuum(tuple, bs->oldest_xmin, buffer))
	{
		case HEAPTUPLE_DEAD:
			break;
		case HEAPTUPLE_LIVE:
			verdict.index = verdict.alive = verdict.counted = true;
			break;
		case HEAPTUPLE_RECENTLY_DEAD:

			/*
			 * Older snapshots may need it. If it was HOT-updated, its chain
			 * is indexed by a newer version, and they must not use the index.
			 */
			if (HeapTupleIsHotUpdated(tuple))
				bs->info->ii_BrokenHotChain = true;
			else
				verdict.index = true;
			break;
		case HEAPTUPLE_INSERT_IN_PROGRESS:
			return judge_insert(bs, tuple);
		case HEAPTUPLE_DELETE_IN_PROGRESS:
			return judge_delete(bs, tuple);
	}
	return verdict;
}

/* Is a false duplicate, or a missed one, possible? */
static inline bool
checks_uniqueness(BuildScan *bs)
{
	return bs->info->ii_Unique || bs->info->ii_ExclusionOps != NULL;
}

static Verdict
judge_insert(BuildScan *bs, HeapTuple tuple)
{
	TransactionId xmin = HeapTupleHeaderGetXmin(tuple->t_data);
	Verdict		verdict = {
		.index = true,
		.alive = true,
	};

	if (bs->anyvisible || TransactionIdIsCurrentTransactionId(xmin))
	{
		verdict.counted = true;
		return verdict;
	}

	elog(WARNING, "concurrent insert in progress within table \"%s\"",
		 RelationGetRelationName(bs->rel));
	if (checks_uniqueness(bs))
		verdict.wait_for = xmin;
	return verdict;
}

static Verdict
judge_delete(BuildScan *bs, HeapTuple tuple)
{
	TransactionId xmax = HeapTupleHeaderGetUpdateXid(tuple->t_data);
	Verdict		verdict = {.index = true};

	if (bs->anyvisible)
	{
		verdict.counted = true;
		return verdict;
	}

	if (TransactionIdIsCurrentTransactionId(xmax))
	{
		/* if the index is ever used, the deletion has committed */
		if (HeapTupleIsHotUpdated(tuple))
		{
			verdict.index = false;
			bs->info->ii_BrokenHotChain = true;
		}
		return verdict;
	}

	elog(WARNING, "concurrent delete in progress within table \"%s\"",
		 RelationGetRelationName(bs->rel));

	/* Which version of the chain to index is known only when it has ended. */
	if (checks_uniqueness(bs) || HeapTupleIsHotUpdated(tuple))
		verdict.wait_for = xmax;
	verdict.counted = true;
	return verdict;
}

static BlockNumber
blocks_total(TableScanDesc scan)
{
	if (scan->rs_parallel != NULL)
		return ((ParallelBlockTableScanDesc) scan->rs_parallel)->phs_nblocks;
	return ((HeapScanDesc) scan)->rs_nblocks;
}

/*
 * A scan may start anywhere and wrap around. In a parallel one this is our own
 * position: the others may be ahead.
 */
static void
report_position(BuildScan *bs)
{
	HeapScanDesc hscan = (HeapScanDesc) bs->scan;
	BlockNumber total;
	BlockNumber start;

	if (!bs->progress || hscan->rs_cblock == bs->reported)
		return;

	bs->reported = hscan->rs_cblock;
	total = blocks_total(bs->scan);
	start = hscan->rs_startblock;
	if (bs->scan->rs_parallel != NULL)
		start = ((ParallelBlockTableScanDesc) bs->scan->rs_parallel)->phs_startblock;
	pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE,
								 (bs->reported + (uint64) total - start) % total);
}
