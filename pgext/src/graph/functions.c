/*
 * functions.c
 *	  The SQL entry points: arguments in, a call to the engine, rows out.
 *
 * Results go to a tuplestore. A call in FROM normally never comes here:
 * planner/graph_path.c puts a plan node in its place.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "graph/arguments.h"
#include "graph/call.h"

PG_FUNCTION_INFO_V1(sorted_heap_expand_ids);
PG_FUNCTION_INFO_V1(sorted_heap_expand_rerank);
PG_FUNCTION_INFO_V1(sorted_heap_expand_twohop_rerank);
PG_FUNCTION_INFO_V1(sorted_heap_expand_twohop_path_rerank);
PG_FUNCTION_INFO_V1(sorted_heap_expand_multihop_rerank);
PG_FUNCTION_INFO_V1(sorted_heap_expand_multihop_path_rerank);
PG_FUNCTION_INFO_V1(sorted_heap_graph_rag_scan);
PG_FUNCTION_INFO_V1(sorted_heap_graph_rag_twohop_scan);
PG_FUNCTION_INFO_V1(sorted_heap_graph_rag_twohop_path_scan);
PG_FUNCTION_INFO_V1(sorted_heap_graph_rag);

/* The result set that the caller wants filled. */
static ReturnSetInfo *
begin_result(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rsinfo;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	if (rsinfo->setDesc->natts != GRAPH_RESULT_NATTS)
		elog(ERROR, "return type must be a row type of %d columns",
			 GRAPH_RESULT_NATTS);
	return rsinfo;
}

static void
put_key(const FactKey *key, Datum *values, bool *nulls)
{
	values[0] = Int32GetDatum(key->entity);
	nulls[0] = (key->nulls & FACT_NULL(FACT_ENTITY)) != 0;
	values[1] = Int16GetDatum(key->relation);
	nulls[1] = (key->nulls & FACT_NULL(FACT_RELATION)) != 0;
	values[2] = Int32GetDatum(key->target);
	nulls[2] = (key->nulls & FACT_NULL(FACT_TARGET)) != 0;
}

void
graph_row_values(const GraphRow *row, Datum *values, bool *nulls)
{
	put_key(&row->key, values, nulls);
	values[3] = row->payload;
	nulls[3] = row->payload_null;
	values[4] = Float8GetDatum(row->distance);
	nulls[4] = false;
}

void
graph_fact_values(const FactRow *row, Datum *values, bool *nulls)
{
	put_key(&row->key, values, nulls);
	values[GRAPH_RESULT_EMBEDDING - 1] = row->halves && !row->embedding_null ?
		facts_widen(row->embedding) : row->embedding;
	nulls[GRAPH_RESULT_EMBEDDING - 1] = row->embedding_null;
	values[GRAPH_RESULT_PAYLOAD - 1] = row->payload;
	nulls[GRAPH_RESULT_PAYLOAD - 1] = row->payload_null;
}

/* Run a ranking call and return its rows. */
static Datum
return_ranked(FunctionCallInfo fcinfo, PGFunction entry)
{
	ReturnSetInfo *rsinfo = begin_result(fcinfo);
	GraphCall	call;
	GraphResult result;

	if (!graph_call_read(graph_function(entry), fcinfo, &call))
		return (Datum) 0;
	graph_rank(&call, &result);
	for (uint32 i = 0; i < result.nrows; i++)
	{
		Datum		values[GRAPH_RESULT_NATTS];
		bool		nulls[GRAPH_RESULT_NATTS];

		CHECK_FOR_INTERRUPTS();
		graph_row_values(&result.rows[i], values, nulls);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc,
							 values, nulls);
	}
	return (Datum) 0;
}

/* A toasted value would not outlive a TRUNCATE by the caller itself. */
static Datum
inline_value(Datum value, bool isnull)
{
	if (isnull || !VARATT_IS_EXTERNAL(DatumGetPointer(value)))
		return value;
	return PointerGetDatum(detoast_external_attr((struct varlena *)
												 DatumGetPointer(value)));
}

static void
put_whole(void *state, const FactRow *row)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) state;
	Datum		values[GRAPH_RESULT_NATTS];
	bool		nulls[GRAPH_RESULT_NATTS];

	graph_fact_values(row, values, nulls);
	if (!row->halves)
		values[3] = inline_value(row->embedding, row->embedding_null);
	values[4] = inline_value(row->payload, row->payload_null);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	if (!nulls[3] && values[3] != row->embedding)
		pfree(DatumGetPointer(values[3]));
	if (!nulls[4] && values[4] != row->payload)
		pfree(DatumGetPointer(values[4]));
}

/* Whole rows, not ranked */
Datum
sorted_heap_expand_ids(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = begin_result(fcinfo);
	GraphCall	call;

	if (graph_call_read(graph_function(sorted_heap_expand_ids), fcinfo, &call))
		graph_expand(&call, put_whole, rsinfo);
	return (Datum) 0;
}

Datum
sorted_heap_expand_rerank(PG_FUNCTION_ARGS)
{
	return return_ranked(fcinfo, sorted_heap_expand_rerank);
}

Datum
sorted_heap_expand_twohop_rerank(PG_FUNCTION_ARGS)
{
	return return_ranked(fcinfo, sorted_heap_expand_twohop_rerank);
}

Datum
sorted_heap_expand_twohop_path_rerank(PG_FUNCTION_ARGS)
{
	return return_ranked(fcinfo, sorted_heap_expand_twohop_path_rerank);
}

Datum
sorted_heap_expand_multihop_rerank(PG_FUNCTION_ARGS)
{
	return return_ranked(fcinfo, sorted_heap_expand_multihop_rerank);
}

Datum
sorted_heap_expand_multihop_path_rerank(PG_FUNCTION_ARGS)
{
	return return_ranked(fcinfo, sorted_heap_expand_multihop_path_rerank);
}

Datum
sorted_heap_graph_rag_scan(PG_FUNCTION_ARGS)
{
	return return_ranked(fcinfo, sorted_heap_graph_rag_scan);
}

Datum
sorted_heap_graph_rag_twohop_scan(PG_FUNCTION_ARGS)
{
	return return_ranked(fcinfo, sorted_heap_graph_rag_twohop_scan);
}

Datum
sorted_heap_graph_rag_twohop_path_scan(PG_FUNCTION_ARGS)
{
	return return_ranked(fcinfo, sorted_heap_graph_rag_twohop_path_scan);
}

Datum
sorted_heap_graph_rag(PG_FUNCTION_ARGS)
{
	return return_ranked(fcinfo, sorted_heap_graph_rag);
}
