/*
 * rowfetch.c
 *	  Rows of a table by TID, through the table's access method.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/index.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "hnsw/scan/rowfetch.h"
#include "hnsw/value.h"

struct RowFetch
{
	Relation	heap;
	Relation	index;
	Snapshot	snapshot;
	const HnswShape *shape;
	MemoryContext context;		/* of all below */
	IndexFetchTableData *fetch; /* NULL until a row is asked for */
	TupleTableSlot *slot;
	MemoryContext row_context;	/* what one row takes */
	uint64		count;
	bool		missed;			/* the last row but few was read from disk */

	/* Of an index on an expression */
	AttrNumber	column;			/* 0 there */
	IndexInfo  *info;
	EState	   *estate;
};

RowFetch *
rowfetch_begin(Relation heap, Relation index, Snapshot snapshot, const HnswShape *shape)
{
	RowFetch   *fetch = palloc0(sizeof(RowFetch));

	fetch->heap = heap;
	fetch->index = index;
	fetch->snapshot = snapshot;
	fetch->shape = shape;
	fetch->context = CurrentMemoryContext;
	return fetch;
}

/* Callers who read rows themselves never come here. */
static void
prepare(RowFetch *fetch)
{
	MemoryContext caller = MemoryContextSwitchTo(fetch->context);

	fetch->fetch = table_index_fetch_begin(fetch->heap);
	fetch->slot = table_slot_create(fetch->heap, NULL);
	fetch->row_context = AllocSetContextCreate(CurrentMemoryContext, "sorted_hnsw row",
											   ALLOCSET_DEFAULT_SIZES);
	fetch->column = fetch->index->rd_index->indkey.values[0];
	if (fetch->column == InvalidAttrNumber)
	{
		fetch->info = BuildIndexInfo(fetch->index);
		fetch->estate = CreateExecutorState();
		GetPerTupleExprContext(fetch->estate)->ecxt_scantuple = fetch->slot;
	}
	MemoryContextSwitchTo(caller);
}

/* The indexed value of the row in the slot. */
static Datum
indexed_value(RowFetch *fetch, bool *isnull)
{
	Datum		values[INDEX_MAX_KEYS];
	bool		isnulls[INDEX_MAX_KEYS];

	if (fetch->info == NULL)
		return slot_getattr(fetch->slot, fetch->column, isnull);
	FormIndexDatum(fetch->info, fetch->slot, fetch->estate, values, isnulls);
	*isnull = isnulls[0];
	return values[0];
}

static inline int64
missed_reads(void)
{
	return pgBufferUsage.shared_blks_read + pgBufferUsage.local_blks_read;
}

bool
rowfetch_distance(RowFetch *fetch, const ItemPointerData *tid, const DistQuery *query,
				  double *distance)
{
	ItemPointerData row = *tid; /* becomes that of the tuple in the chain */
	bool		again = false;
	int64		misses = missed_reads();
	MemoryContext caller;
	Datum		value;
	bool		isnull;

	if (fetch->fetch == NULL)
		prepare(fetch);
	fetch->count++;
	if (!table_index_fetch_tuple(fetch->fetch, &row, fetch->snapshot, fetch->slot,
								 &again, NULL))
		return false;
	*distance = NAN;
	if (query == NULL)
		return true;

	caller = MemoryContextSwitchTo(fetch->row_context);
	value = indexed_value(fetch, &isnull);
	if (!isnull)
		*distance = hnsw_value_distance(fetch->shape, query, value);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(fetch->row_context);
	if (fetch->estate != NULL)
		ResetPerTupleExprContext(fetch->estate);
	if (missed_reads() != misses)
		fetch->missed = true;
	return true;
}

void
rowfetch_announce(RowFetch *fetch, const ItemPointerData *tids, int count)
{
	if (!fetch->missed)
		return;
	fetch->missed = false;
	for (int i = 0; i < count; i++)
	{
		if (i == 0 || ItemPointerGetBlockNumber(&tids[i]) !=
			ItemPointerGetBlockNumber(&tids[i - 1]))
			(void) PrefetchBuffer(fetch->heap, MAIN_FORKNUM,
								  ItemPointerGetBlockNumber(&tids[i]));
	}
}

void
rowfetch_rest(RowFetch *fetch)
{
	if (fetch->fetch == NULL)
		return;
	ExecClearTuple(fetch->slot);
	table_index_fetch_reset(fetch->fetch);
}

uint64
rowfetch_count(const RowFetch *fetch)
{
	return fetch->count;
}

void
rowfetch_end(RowFetch *fetch)
{
	if (fetch->fetch != NULL)
	{
		table_index_fetch_end(fetch->fetch);
		ExecDropSingleTupleTableSlot(fetch->slot);
		MemoryContextDelete(fetch->row_context);
	}
	if (fetch->estate != NULL)
		FreeExecutorState(fetch->estate);
	pfree(fetch);
}
