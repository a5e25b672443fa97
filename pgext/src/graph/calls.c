/*
 * calls.c
 *	  The graph functions as data: name, entry point, and how their SQL
 *	  arguments become a GraphCall.
 *
 * No function is strict: a null relation, seed array, query or path gives no
 * rows, whatever the other arguments are; null filters and limits mean none.
 * Otherwise arguments are checked before the relation is touched.
 *
 * The same reader serves a call from SQL (functions.c) and the plan node of a
 * call in FROM (planner/graph_exec.c).
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "graph/arguments.h"
#include "graph/call.h"

/* One filter per hop, allocated with the call. */
static FactFilter *
new_hops(GraphCall *call, int nhops)
{
	FactFilter *hops = (FactFilter *) palloc0(nhops * sizeof(FactFilter));

	call->hops = hops;
	call->nhops = nhops;
	return hops;
}

/* (rel, seed_ids, relation_filter, limit_rows) */
static void
read_expand_ids(FunctionCallInfo fcinfo, GraphCall *call)
{
	arg_seeds(fcinfo, 1, call);
	new_hops(call, 1)[0] = arg_filter(fcinfo, 2, "relation_filter");
	call->limit_rows = arg_limit(fcinfo, 3);
}

/* (rel, seed_ids, query, top_k, relation_filter, limit_rows) */
static void
read_expand(FunctionCallInfo fcinfo, GraphCall *call)
{
	arg_seeds(fcinfo, 1, call);
	call->query = PG_GETARG_SVEC_P(2);
	call->top_k = arg_count(fcinfo, 3, "top_k");
	new_hops(call, 1)[0] = arg_filter(fcinfo, 4, "relation_filter");
	call->limit_rows = arg_limit(fcinfo, 5);
}

/* (rel, seed_ids, query, top_k, hop1_.., hop2_relation_filter, limit_rows) */
static void
read_expand_twohop(FunctionCallInfo fcinfo, GraphCall *call)
{
	FactFilter *hops;

	arg_seeds(fcinfo, 1, call);
	call->query = PG_GETARG_SVEC_P(2);
	call->top_k = arg_count(fcinfo, 3, "top_k");
	hops = new_hops(call, 2);
	hops[0] = arg_filter(fcinfo, 4, "hop1_relation_filter");
	hops[1] = arg_filter(fcinfo, 5, "hop2_relation_filter");
	call->limit_rows = arg_limit(fcinfo, 6);
}

/* (rel, seed_ids, query, top_k, relation_path, limit_rows) */
static void
read_expand_multihop(FunctionCallInfo fcinfo, GraphCall *call)
{
	arg_seeds(fcinfo, 1, call);
	call->query = PG_GETARG_SVEC_P(2);
	call->top_k = arg_count(fcinfo, 3, "top_k");
	arg_path(fcinfo, 4, call);
	call->limit_rows = arg_limit(fcinfo, 5);
}

/* (rel, query, ann_k, top_k, relation_filter, limit_rows, seed_filter) */
static void
read_scan(FunctionCallInfo fcinfo, GraphCall *call)
{
	call->query = PG_GETARG_SVEC_P(1);
	call->ann_k = arg_count(fcinfo, 2, "ann_k");
	call->top_k = arg_count(fcinfo, 3, "top_k");
	new_hops(call, 1)[0] = arg_filter(fcinfo, 4, "relation_filter");
	call->limit_rows = arg_limit(fcinfo, 5);
	call->seed_hop1 = arg_seed_filter(fcinfo, 6);
}

/* (rel, query, ann_k, top_k, hop1_.., hop2_.., limit_rows, seed_filter) */
static void
read_twohop_scan(FunctionCallInfo fcinfo, GraphCall *call)
{
	FactFilter *hops;

	call->query = PG_GETARG_SVEC_P(1);
	call->ann_k = arg_count(fcinfo, 2, "ann_k");
	call->top_k = arg_count(fcinfo, 3, "top_k");
	hops = new_hops(call, 2);
	hops[0] = arg_filter(fcinfo, 4, "hop1_relation_filter");
	hops[1] = arg_filter(fcinfo, 5, "hop2_relation_filter");
	call->limit_rows = arg_limit(fcinfo, 6);
	call->seed_hop1 = arg_seed_filter(fcinfo, 7);
}

/*
 * (rel, query, relation_path, ann_k, top_k, score_mode, limit_rows,
 * seed_filter)
 */
static void
read_rag(FunctionCallInfo fcinfo, GraphCall *call)
{
	if (PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation_path must not be null"),
				 errhint("A null element stands for any relation.")));
	call->query = PG_GETARG_SVEC_P(1);
	arg_path(fcinfo, 2, call);
	call->ann_k = arg_count(fcinfo, 3, "ann_k");
	call->top_k = arg_count(fcinfo, 4, "top_k");
	call->score = arg_score_mode(fcinfo, 5);
	call->limit_rows = arg_limit(fcinfo, 6);
	call->seed_hop1 = arg_seed_filter(fcinfo, 7);
}

/* Arguments whose null means an empty result. */
#define REL_SEEDS ((1 << 0) | (1 << 1))
#define REL_SEEDS_QUERY (REL_SEEDS | (1 << 2))
#define REL_SEEDS_QUERY_PATH (REL_SEEDS_QUERY | (1 << 4))
#define REL_QUERY ((1 << 0) | (1 << 1))

static const GraphFunction functions[] = {
	{"sorted_heap_expand_ids", sorted_heap_expand_ids,
	GRAPH_SEEDS_GIVEN, GRAPH_SCORE_ENDPOINT, REL_SEEDS, -1, read_expand_ids},
	{"sorted_heap_expand_rerank", sorted_heap_expand_rerank,
	GRAPH_SEEDS_GIVEN, GRAPH_SCORE_ENDPOINT, REL_SEEDS_QUERY, 3, read_expand},
	{"sorted_heap_expand_twohop_rerank", sorted_heap_expand_twohop_rerank,
	GRAPH_SEEDS_GIVEN, GRAPH_SCORE_ENDPOINT, REL_SEEDS_QUERY, 3, read_expand_twohop},
	{"sorted_heap_expand_twohop_path_rerank", sorted_heap_expand_twohop_path_rerank,
	GRAPH_SEEDS_GIVEN, GRAPH_SCORE_PATH, REL_SEEDS_QUERY, 3, read_expand_twohop},
	{"sorted_heap_expand_multihop_rerank", sorted_heap_expand_multihop_rerank,
	GRAPH_SEEDS_GIVEN, GRAPH_SCORE_ENDPOINT, REL_SEEDS_QUERY_PATH, 3, read_expand_multihop},
	{"sorted_heap_expand_multihop_path_rerank", sorted_heap_expand_multihop_path_rerank,
	GRAPH_SEEDS_GIVEN, GRAPH_SCORE_PATH, REL_SEEDS_QUERY_PATH, 3, read_expand_multihop},
	{"sorted_heap_graph_rag_scan", sorted_heap_graph_rag_scan,
	GRAPH_SEEDS_TARGET, GRAPH_SCORE_ENDPOINT, REL_QUERY, 3, read_scan},
	{"sorted_heap_graph_rag_twohop_scan", sorted_heap_graph_rag_twohop_scan,
	GRAPH_SEEDS_ENTITY, GRAPH_SCORE_ENDPOINT, REL_QUERY, 3, read_twohop_scan},
	{"sorted_heap_graph_rag_twohop_path_scan", sorted_heap_graph_rag_twohop_path_scan,
	GRAPH_SEEDS_ENTITY, GRAPH_SCORE_PATH, REL_QUERY, 3, read_twohop_scan},
	{"sorted_heap_graph_rag", sorted_heap_graph_rag,
	GRAPH_SEEDS_ENTITY, GRAPH_SCORE_PATH, REL_QUERY, 4, read_rag},
};

const GraphFunction *
graph_function(PGFunction entry)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i].entry == entry)
			return &functions[i];
	return NULL;
}

bool
graph_call_read(const GraphFunction *function, FunctionCallInfo fcinfo,
				GraphCall *call)
{
	for (int i = 0; (function->required >> i) != 0; i++)
		if ((function->required & (1 << i)) != 0 && PG_ARGISNULL(i))
			return false;

	memset(call, 0, sizeof(*call));
	call->api = function->name;
	call->relid = PG_GETARG_OID(0);
	call->home = get_func_namespace(fcinfo->flinfo->fn_oid);
	call->seeds = function->seeds;
	call->score = function->score;
	function->read(fcinfo, call);
	return true;
}
