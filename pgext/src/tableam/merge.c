/*
 * merge.c
 *	  sorted_heap_merge(regclass): bring strayed rows back into key order and
 *	  leave all others where they are.
 *
 * The zone map tells which blocks are in order, so only the others are read.
 * Strays are deleted and inserted again, in key order, behind the last block
 * that keeps rows: to the server an ordinary transaction, with ordinary WAL,
 * that rolls back, survives a crash and leaves old versions to old snapshots.
 * It does not go through the executor's DML: no trigger fires, no right or
 * policy is asked, and values, generated ones too, stay what they are.
 *
 * Old versions carry the mark of a row that moved to another partition, as they
 * have no successor on a chain of updates: a statement of an older snapshot
 * that gets to such a version by whatever way raises an error, instead of
 * taking the row for deleted.
 *
 * Where moving is no good, the whole table is rewritten as compact does: when
 * many rows would move; when the table is small; when logical decoding would
 * see rows go and come (a subscriber to inserts only would get them twice),
 * which it does not of a rewrite; and when the transaction keeps one snapshot
 * for all statements. A moved row is its own, so it would see also those that
 * others wrote after that snapshot, beside the versions it has of them.
 *
 * Locks: AccessExclusiveLock on the table, until the transaction ends. So
 * every transaction that touched the table has ended, but for our own, and the
 * latest snapshot sees just the live rows. Predicate locks on the table become
 * locks on the whole of it, because rows change places.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "tableam/maintain.h"
#include "tableam/pageread.h"
#include "tableam/sorted_heap.h"

/* Up to this many blocks a rewrite is quick, and moving wastes more pages than
 * it orders. */
#define SMALL_TABLE_BLOCKS 1024

/*
 * Moving a row writes it, its index entries and a mark on its old version, and
 * gives VACUUM work; in a rewrite a row costs a fifth of that or less.
 */
#define MOVING_COST 5

typedef enum MergeMethod
{
	MERGE_NONE,					/* no row is out of order */
	MERGE_MOVE,
	MERGE_REWRITE
} MergeMethod;

typedef struct Merge
{
	Oid			relid;
	Oid			order_index;
	Oid			map;
	MergeMethod method;
	uint64		rows_moved;
	MapBlocks	before;
	MapBlocks	after;
} Merge;

static void merge_table(Merge *merge, Relation rel);
static MergeMethod choose_method(Relation rel, const StrayRows *strays);
static void move_strays(Merge *merge, Relation rel, Snapshot snapshot,
						const StrayRows *strays);
static void take_strays(Relation rel, Snapshot snapshot,
						const StrayRows *strays, Tuplesortstate *sort);
static void begin_run(Relation rel, BlockNumber first_block);
static void append_rows(Relation rel, Tuplesortstate *sort);
static void return_states(const Merge *merge, ReturnSetInfo *result);

PG_FUNCTION_INFO_V1(sorted_heap_merge);
PG_FUNCTION_INFO_V1(sorted_heap_merge_online);

Datum
sorted_heap_merge(PG_FUNCTION_ARGS)
{
	Merge		merge = {0};
	Relation	rel;
	Oid			save_userid;
	int			save_sec_context;
	int			save_nestlevel;

	PreventCommandDuringRecovery("sorted_heap_merge()");
	PreventCommandIfReadOnly("sorted_heap_merge()");

	merge.relid = PG_GETARG_OID(0);
	rel = maintain_open(merge.relid, "merge");
	merge.order_index = maintain_order(rel);
	merge.map = sorted_heap_maps->find_map(rel, merge.order_index);
	if (!OidIsValid(merge.map))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no valid zone map in the order of its primary key",
						RelationGetRelationName(rel)),
				 errhint("Create an index with access method sorted_zone on the first columns of the primary key, or use sorted_heap_compact().")));
	InitMaterializedSRF(fcinfo, 0);

	/* Functions in indexes run as the owner of the table. */
	GetUserIdAndSecContext(&save_userid, &save_sec_context);
	SetUserIdAndSecContext(rel->rd_rel->relowner,
						   save_sec_context | SECURITY_RESTRICTED_OPERATION);
	save_nestlevel = NewGUCNestLevel();
	restrict_search_path();

	merge_table(&merge, rel);

	AtEOXact_GUC(false, save_nestlevel);
	SetUserIdAndSecContext(save_userid, save_sec_context);

	return_states(&merge, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}

/* To come: small batches under locks that let others go on. */
Datum
sorted_heap_merge_online(PG_FUNCTION_ARGS)
{
	maintain_check(PG_GETARG_OID(0), "merge");
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("online merging is not supported"),
			 errhint("Use sorted_heap_merge(), which keeps others away from the table while it runs.")));
}

/* Closes the table; the lock stays. */
static void
merge_table(Merge *merge, Relation rel)
{
	const TableMaps *maps = sorted_heap_maps;
	Snapshot	snapshot;
	StrayRows	strays;

	maps->count_blocks(rel, merge->map, &merge->before);
	maps->seal_pending(rel, merge->map);

	snapshot = RegisterSnapshot(GetLatestSnapshot());
	maps->find_strays(rel, merge->map, snapshot, &strays);
	merge->method = choose_method(rel, &strays);
	switch (merge->method)
	{
		case MERGE_NONE:
			/* Blocks may have been given up for rows that are gone. */
			maps->strays_moved(rel, &strays, 0);
			break;
		case MERGE_MOVE:
			move_strays(merge, rel, snapshot, &strays);
			break;
		case MERGE_REWRITE:
			break;
	}
	UnregisterSnapshot(snapshot);

	if (merge->method == MERGE_REWRITE)
	{
		sorted_heap_rewrite_and_close(rel);
		rel = table_open(merge->relid, NoLock);
	}
	CommandCounterIncrement();
	maps->count_blocks(rel, merge->map, &merge->after);
	table_close(rel, NoLock);
}

static MergeMethod
choose_method(Relation rel, const StrayRows *strays)
{
	BlockNumber heap_blocks = RelationGetNumberOfBlocks(rel);
	BlockNumber pages;
	double		table_rows;
	double		all_visible;

	if (strays->nrows == 0)
		return MERGE_NONE;
	if (RelationIsLogicallyLogged(rel) || IsolationUsesXactSnapshot() ||
		strays->overflow || heap_blocks <= SMALL_TABLE_BLOCKS)
		return MERGE_REWRITE;

	estimate_rel_size(rel, NULL, &pages, &table_rows, &all_visible);
	table_rows = Max(table_rows, strays->rows_read);
	return strays->nrows > table_rows / MOVING_COST ? MERGE_REWRITE : MERGE_MOVE;
}

static void
move_strays(Merge *merge, Relation rel, Snapshot snapshot,
			const StrayRows *strays)
{
	BlockNumber old_blocks = RelationGetNumberOfBlocks(rel);
	Relation	order = index_open(merge->order_index, AccessShareLock);
	Tuplesortstate *sort;

	TransferPredicateLocksToHeapRelation(rel);
	sort = tuplesort_begin_cluster(RelationGetDescr(rel), order,
								   maintenance_work_mem, NULL, TUPLESORT_NONE);
	take_strays(rel, snapshot, strays, sort);
	tuplesort_performsort(sort);
	begin_run(rel, sorted_heap_maps->next_run(strays->kept_blocks, old_blocks));
	append_rows(rel, sort);
	tuplesort_end(sort);
	index_close(order, NoLock);

	sorted_heap_maps->strays_moved(rel, strays, old_blocks);
	merge->rows_moved = strays->nrows;
}

/* Out of the table and into the sort. */
static void
take_strays(Relation rel, Snapshot snapshot, const StrayRows *strays,
			Tuplesortstate *sort)
{
	CommandId	cid = GetCurrentCommandId(true);
	PageReader	reader;

	pageread_begin(&reader, rel, snapshot);
	for (uint64 i = 0; i < strays->nrows; i++)
	{
		TM_FailureData failure;
		TM_Result	result;

		CHECK_FOR_INTERRUPTS();
		tuplesort_putheaptuple(sort, pageread_refetch(&reader, &strays->tids[i]));

		/* Nobody to wait for; but it is what gets past our own row locks. */
		result = table_tuple_delete(rel, &strays->tids[i], cid, snapshot,
									InvalidSnapshot, true, &failure, true);
		if (result != TM_Ok)
			elog(ERROR, "could not move row (%u,%u) of table \"%s\": result %d",
				 ItemPointerGetBlockNumber(&strays->tids[i]),
				 ItemPointerGetOffsetNumber(&strays->tids[i]),
				 RelationGetRelationName(rel), (int) result);
	}
	pageread_end(&reader);
}

/*
 * Make first_block the last block of the table and the one that the next row
 * goes to. Pages of zeros are what a crash after extension leaves, too: all
 * readers know them, VACUUM offers them to later inserts.
 */
static void
begin_run(Relation rel, BlockNumber first_block)
{
	for (BlockNumber block = RelationGetNumberOfBlocks(rel);
		 block <= first_block; block++)
	{
		Buffer		buffer;

		CHECK_FOR_INTERRUPTS();
		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, P_NEW, RBM_NORMAL, NULL);
		if (BufferGetBlockNumber(buffer) != block)
			elog(ERROR, "unexpected end of table \"%s\": block %u instead of %u",
				 RelationGetRelationName(rel), BufferGetBlockNumber(buffer),
				 block);
		ReleaseBuffer(buffer);
	}
	RelationSetTargetBlock(rel, first_block);
}

/*
 * Rows and their index entries. Should the target block be forgotten, rows go
 * to the last page of the table, which is the same.
 */
static void
append_rows(Relation rel, Tuplesortstate *sort)
{
	CommandId	cid = GetCurrentCommandId(true);
	EState	   *estate = CreateExecutorState();
	ResultRelInfo *indexes = makeNode(ResultRelInfo);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(rel),
													&TTSOpsHeapTuple);
	HeapTuple	tuple;

	InitResultRelInfo(indexes, rel, 0, NULL, 0);
	ExecOpenIndices(indexes, false);
	while ((tuple = tuplesort_getheaptuple(sort, true)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		ResetPerTupleExprContext(estate);
		ExecStoreHeapTuple(tuple, slot, false);
		table_tuple_insert(rel, slot, cid, TABLE_INSERT_SKIP_FSM, NULL);
		if (insert_index_tuples(indexes, slot, estate) != NIL)
			elog(ERROR, "could not move a row of table \"%s\": its key is there twice",
				 RelationGetRelationName(rel));
	}
	ExecCloseIndices(indexes);
	ExecDropSingleTupleTableSlot(slot);
	FreeExecutorState(estate);
}

static void
return_state(const Merge *merge, ReturnSetInfo *result, const char *state,
			 int64 before, int64 after)
{
	static const char *const methods[] = {"none", "move", "rewrite"};
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = CStringGetTextDatum(state);
	values[1] = Int64GetDatum(before);
	values[2] = Int64GetDatum(after);
	values[3] = CStringGetTextDatum(methods[merge->method]);
	values[4] = Int64GetDatum((int64) merge->rows_moved);
	nulls[4] = merge->method == MERGE_REWRITE;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
return_states(const Merge *merge, ReturnSetInfo *result)
{
	const MapBlocks *before = &merge->before;
	const MapBlocks *after = &merge->after;

	return_state(merge, result, "sealed", before->sealed, after->sealed);
	return_state(merge, result, "empty", before->empty, after->empty);
	return_state(merge, result, "open", before->open, after->open);
	return_state(merge, result, "loose", before->loose, after->loose);
	return_state(merge, result, "tried", before->tried, after->tried);
}
