/*
 * functions.c
 *	  The SQL entry points: arguments in, a call to the engine, rows out.
 *
 * No function is strict: a null relation, seed array, query or path gives no
 * rows, whatever the other arguments are; null filters and limits mean none.
 * Otherwise arguments are checked before the relation is touched.
 *
 * Results go to a tuplestore, which the executor's function scan would fill
 * row by row anyway.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "graph/arguments.h"
#include "graph/engine.h"

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

#define RESULT_NATTS 5

/* Prepare the result set; false when one of the first arguments is null. */
static bool
begin_call(FunctionCallInfo fcinfo, GraphCall *call, const char *api,
		   int nrequired)
{
	ReturnSetInfo *rsinfo;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	if (rsinfo->setDesc->natts != RESULT_NATTS)
		elog(ERROR, "return type must be a row type of %d columns",
			 RESULT_NATTS);

	for (int i = 0; i < nrequired; i++)
		if (PG_ARGISNULL(i))
			return false;

	memset(call, 0, sizeof(*call));
	call->api = api;
	call->relid = PG_GETARG_OID(0);
	call->home = get_func_namespace(fcinfo->flinfo->fn_oid);
	return true;
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

/* Run a ranking call and return its rows. */
static Datum
return_ranked(FunctionCallInfo fcinfo, const GraphCall *call)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GraphResult result;

	graph_rank(call, &result);
	for (uint32 i = 0; i < result.nrows; i++)
	{
		const GraphRow *row = &result.rows[i];
		Datum		values[RESULT_NATTS];
		bool		nulls[RESULT_NATTS];

		put_key(&row->key, values, nulls);
		values[3] = row->payload;
		nulls[3] = row->payload_null;
		values[4] = Float8GetDatum(row->distance);
		nulls[4] = false;
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
	Datum		values[RESULT_NATTS];
	bool		nulls[RESULT_NATTS];

	put_key(&row->key, values, nulls);
	values[3] = inline_value(row->embedding, row->embedding_null);
	nulls[3] = row->embedding_null;
	values[4] = inline_value(row->payload, row->payload_null);
	nulls[4] = row->payload_null;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	if (!nulls[3] && values[3] != row->embedding)
		pfree(DatumGetPointer(values[3]));
	if (!nulls[4] && values[4] != row->payload)
		pfree(DatumGetPointer(values[4]));
}

/* (rel, seed_ids, relation_filter, limit_rows) */
Datum
sorted_heap_expand_ids(PG_FUNCTION_ARGS)
{
	GraphCall	call;
	FactFilter	hop;

	if (!begin_call(fcinfo, &call, "sorted_heap_expand_ids", 2))
		return (Datum) 0;
	arg_seeds(fcinfo, 1, &call);
	hop = arg_filter(fcinfo, 2, "relation_filter");
	call.hops = &hop;
	call.nhops = 1;
	call.limit_rows = arg_limit(fcinfo, 3);
	graph_expand(&call, put_whole, fcinfo->resultinfo);
	return (Datum) 0;
}

/* (rel, seed_ids, query, top_k, relation_filter, limit_rows) */
Datum
sorted_heap_expand_rerank(PG_FUNCTION_ARGS)
{
	GraphCall	call;
	FactFilter	hop;

	if (!begin_call(fcinfo, &call, "sorted_heap_expand_rerank", 3))
		return (Datum) 0;
	arg_seeds(fcinfo, 1, &call);
	call.query = PG_GETARG_SVEC_P(2);
	call.top_k = arg_count(fcinfo, 3, "top_k");
	hop = arg_filter(fcinfo, 4, "relation_filter");
	call.hops = &hop;
	call.nhops = 1;
	call.limit_rows = arg_limit(fcinfo, 5);
	return return_ranked(fcinfo, &call);
}

/* (rel, seed_ids, query, top_k, hop1_.., hop2_relation_filter, limit_rows) */
static Datum
expand_twohop(FunctionCallInfo fcinfo, const char *api, GraphScore score)
{
	GraphCall	call;
	FactFilter	hops[2];

	if (!begin_call(fcinfo, &call, api, 3))
		return (Datum) 0;
	arg_seeds(fcinfo, 1, &call);
	call.query = PG_GETARG_SVEC_P(2);
	call.top_k = arg_count(fcinfo, 3, "top_k");
	hops[0] = arg_filter(fcinfo, 4, "hop1_relation_filter");
	hops[1] = arg_filter(fcinfo, 5, "hop2_relation_filter");
	call.hops = hops;
	call.nhops = 2;
	call.score = score;
	call.limit_rows = arg_limit(fcinfo, 6);
	return return_ranked(fcinfo, &call);
}

Datum
sorted_heap_expand_twohop_rerank(PG_FUNCTION_ARGS)
{
	return expand_twohop(fcinfo, "sorted_heap_expand_twohop_rerank",
						 GRAPH_SCORE_ENDPOINT);
}

Datum
sorted_heap_expand_twohop_path_rerank(PG_FUNCTION_ARGS)
{
	return expand_twohop(fcinfo, "sorted_heap_expand_twohop_path_rerank",
						 GRAPH_SCORE_PATH);
}

/* (rel, seed_ids, query, top_k, relation_path, limit_rows) */
static Datum
expand_multihop(FunctionCallInfo fcinfo, const char *api, GraphScore score)
{
	GraphCall	call;

	if (!begin_call(fcinfo, &call, api, 3) || PG_ARGISNULL(4))
		return (Datum) 0;
	arg_seeds(fcinfo, 1, &call);
	call.query = PG_GETARG_SVEC_P(2);
	call.top_k = arg_count(fcinfo, 3, "top_k");
	arg_path(fcinfo, 4, &call);
	call.score = score;
	call.limit_rows = arg_limit(fcinfo, 5);
	return return_ranked(fcinfo, &call);
}

Datum
sorted_heap_expand_multihop_rerank(PG_FUNCTION_ARGS)
{
	return expand_multihop(fcinfo, "sorted_heap_expand_multihop_rerank",
						   GRAPH_SCORE_ENDPOINT);
}

Datum
sorted_heap_expand_multihop_path_rerank(PG_FUNCTION_ARGS)
{
	return expand_multihop(fcinfo, "sorted_heap_expand_multihop_path_rerank",
						   GRAPH_SCORE_PATH);
}

/* (rel, query, ann_k, top_k, relation_filter, limit_rows, seed_filter) */
Datum
sorted_heap_graph_rag_scan(PG_FUNCTION_ARGS)
{
	GraphCall	call;
	FactFilter	hop;

	if (!begin_call(fcinfo, &call, "sorted_heap_graph_rag_scan", 2))
		return (Datum) 0;
	call.seeds = GRAPH_SEEDS_TARGET;
	call.query = PG_GETARG_SVEC_P(1);
	call.ann_k = arg_count(fcinfo, 2, "ann_k");
	call.top_k = arg_count(fcinfo, 3, "top_k");
	hop = arg_filter(fcinfo, 4, "relation_filter");
	call.hops = &hop;
	call.nhops = 1;
	call.limit_rows = arg_limit(fcinfo, 5);
	call.seed_hop1 = arg_seed_filter(fcinfo, 6);
	return return_ranked(fcinfo, &call);
}

/* (rel, query, ann_k, top_k, hop1_.., hop2_.., limit_rows, seed_filter) */
static Datum
rag_twohop(FunctionCallInfo fcinfo, const char *api, GraphScore score)
{
	GraphCall	call;
	FactFilter	hops[2];

	if (!begin_call(fcinfo, &call, api, 2))
		return (Datum) 0;
	call.seeds = GRAPH_SEEDS_ENTITY;
	call.query = PG_GETARG_SVEC_P(1);
	call.ann_k = arg_count(fcinfo, 2, "ann_k");
	call.top_k = arg_count(fcinfo, 3, "top_k");
	hops[0] = arg_filter(fcinfo, 4, "hop1_relation_filter");
	hops[1] = arg_filter(fcinfo, 5, "hop2_relation_filter");
	call.hops = hops;
	call.nhops = 2;
	call.score = score;
	call.limit_rows = arg_limit(fcinfo, 6);
	call.seed_hop1 = arg_seed_filter(fcinfo, 7);
	return return_ranked(fcinfo, &call);
}

Datum
sorted_heap_graph_rag_twohop_scan(PG_FUNCTION_ARGS)
{
	return rag_twohop(fcinfo, "sorted_heap_graph_rag_twohop_scan",
					  GRAPH_SCORE_ENDPOINT);
}

Datum
sorted_heap_graph_rag_twohop_path_scan(PG_FUNCTION_ARGS)
{
	return rag_twohop(fcinfo, "sorted_heap_graph_rag_twohop_path_scan",
					  GRAPH_SCORE_PATH);
}

/*
 * (rel, query, relation_path, ann_k, top_k, score_mode, limit_rows,
 * seed_filter)
 */
Datum
sorted_heap_graph_rag(PG_FUNCTION_ARGS)
{
	GraphCall	call;

	if (!begin_call(fcinfo, &call, "sorted_heap_graph_rag", 2))
		return (Datum) 0;
	if (PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation_path must not be null"),
				 errhint("A null element stands for any relation.")));
	call.seeds = GRAPH_SEEDS_ENTITY;
	call.query = PG_GETARG_SVEC_P(1);
	arg_path(fcinfo, 2, &call);
	call.ann_k = arg_count(fcinfo, 3, "ann_k");
	call.top_k = arg_count(fcinfo, 4, "top_k");
	call.score = arg_score_mode(fcinfo, 5);
	call.limit_rows = arg_limit(fcinfo, 6);
	call.seed_hop1 = arg_seed_filter(fcinfo, 7);
	return return_ranked(fcinfo, &call);
}
