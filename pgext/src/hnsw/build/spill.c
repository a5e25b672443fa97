/*
 * spill.c
 *	  Rows of a build that have no place in memory.
 *
 * They are kept as the scan gave them, in a temporary file, rather than read
 * again: a second scan might see other rows. When the graph of the others is on
 * pages, they are inserted as a statement's rows would be.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type_d.h"
#include "commands/progress.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "hnsw/am.h"
#include "hnsw/build/build.h"

/* Memory before rows go to disk, in kilobytes. */
#define SPILL_MEMORY 64

struct BuildSpill
{
	TupleDesc	desc;			/* the index's columns, and the row's TID */
	Tuplestorestate *store;
	Datum	   *values;
	bool	   *isnull;
};

BuildSpill *
build_spill_begin(Relation index, MemoryContext context)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	TupleDesc	desc = RelationGetDescr(index);
	BuildSpill *spill = palloc(sizeof(BuildSpill));

	spill->desc = CreateTemplateTupleDesc(desc->natts + 1);
	for (int i = 1; i <= desc->natts; i++)
		TupleDescCopyEntry(spill->desc, i, desc, i);
	TupleDescInitEntry(spill->desc, desc->natts + 1, "tid", TIDOID, -1, 0);
	spill->store = tuplestore_begin_heap(false, false, SPILL_MEMORY);
	spill->values = palloc(spill->desc->natts * sizeof(Datum));
	spill->isnull = palloc(spill->desc->natts * sizeof(bool));
	MemoryContextSwitchTo(caller);
	return spill;
}

/* In a context that the caller resets. */
void
build_spill_add(BuildSpill *spill, const Datum *values, const bool *isnull,
				ItemPointer tid)
{
	int			last = spill->desc->natts - 1;

	for (int i = 0; i < last; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(spill->desc, i);

		/* What is stored out of line may be gone when the row is read back. */
		spill->isnull[i] = isnull[i];
		spill->values[i] = isnull[i] || attribute->attlen != -1 ? values[i]
			: PointerGetDatum(PG_DETOAST_DATUM(values[i]));
	}
	spill->isnull[last] = false;
	spill->values[last] = PointerGetDatum(tid);
	tuplestore_putvalues(spill->store, spill->desc, spill->values, spill->isnull);
}

int64
build_spill_count(const BuildSpill *spill)
{
	return tuplestore_tuple_count(spill->store);
}

void
build_spill_insert(BuildSpill *spill, Relation heap, Relation index, IndexInfo *info)
{
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext,
													  "sorted_hnsw build insert",
													  ALLOCSET_DEFAULT_SIZES);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(spill->desc, &TTSOpsMinimalTuple);
	int			last = spill->desc->natts - 1;
	int64		done = 0;

	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, build_spill_count(spill));
	while (tuplestore_gettupleslot(spill->store, true, false, slot))
	{
		MemoryContext caller;

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		caller = MemoryContextSwitchTo(row_context);
		hnsw_am_insert(index, slot->tts_values, slot->tts_isnull,
					   (ItemPointer) DatumGetPointer(slot->tts_values[last]), heap,
					   UNIQUE_CHECK_NO, false, info);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(row_context);
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, ++done);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(spill->store);
	MemoryContextDelete(row_context);
}
