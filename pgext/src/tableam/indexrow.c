/*
 * indexrow.c
 *	  From a table row to the values an index holds for it.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "utils/memutils.h"

#include "tableam/indexrow.h"

void
indexrow_begin(IndexRow *row, Relation rel, IndexInfo *info)
{
	row->info = info;
	row->estate = CreateExecutorState();
	row->econtext = GetPerTupleExprContext(row->estate);
	row->slot = table_slot_create(rel, NULL);
	Assert(TTS_IS_BUFFERTUPLE(row->slot));
	row->econtext->ecxt_scantuple = row->slot;
	row->predicate = ExecPrepareQual(info->ii_Predicate, row->estate);
}

bool
indexrow_form(IndexRow *row)
{
	MemoryContextReset(row->econtext->ecxt_per_tuple_memory);
	if (row->predicate != NULL && !ExecQual(row->predicate, row->econtext))
		return false;
	FormIndexDatum(row->info, row->slot, row->estate,
				   row->values, row->isnull);
	return true;
}

void
indexrow_end(IndexRow *row)
{
	ExecDropSingleTupleTableSlot(row->slot);
	FreeExecutorState(row->estate);
	row->info->ii_ExpressionsState = NIL;
	row->info->ii_PredicateState = NULL;
}
