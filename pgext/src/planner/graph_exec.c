/*
 * graph_exec.c
 *	  Run a graph function as a plan node, and explain it.
 *
 * The first fetch evaluates the arguments and calls the engine. A ranking
 * function's at most top_k rows live in a context of the node until a rescan
 * with changed parameters runs it again. The functions are STABLE, so a rescan
 * with the same parameters starts over with the rows at hand, as a function
 * scan does.
 *
 * An expansion has no such bound: the node is a stream's reader, and a rescan
 * reads again. As with a scan of the table itself, a row's values lie on a
 * pinned page until the next one is fetched, the table stays open until the
 * node ends, and commands that need it unused, such as TRUNCATE, are refused
 * meanwhile.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "graph/call.h"
#include "graph/stats.h"
#include "planner/graph_path.h"

typedef struct GraphScanState
{
	CustomScanState css;		/* must be first */
	const GraphFunction *function;
	FmgrInfo	flinfo;
	List	   *args;			/* ExprStates */
	MemoryContext context;		/* of the result, reset by each run */
	FactWant	want;			/* of an expansion's rows */
	GraphCall	call;
	bool		done;			/* result holds, or the stream is open */
	GraphResult result;
	uint32		next;			/* row of it to return */
	GraphStream *stream;		/* NULL also where a null means no rows */
	GraphStats	stats;			/* of the last run that ended */
	uint64		runs;
} GraphScanState;

/*
 * What the node computes with of an expansion's row: the others are never
 * looked at. Not known when the plan node is created: its target list may be
 * replaced later.
 */
static FactWant
wanted_columns(Plan *plan)
{
	Bitmapset  *attrs = NULL;
	FactWant	want = FACT_WANT_KEYS;

	pull_varattnos((Node *) plan->targetlist, INDEX_VAR, &attrs);
	pull_varattnos((Node *) plan->qual, INDEX_VAR, &attrs);
	if (bms_is_member(GRAPH_RESULT_EMBEDDING - FirstLowInvalidHeapAttributeNumber,
					  attrs))
		want |= FACT_WANT_EMBEDDING;
	if (bms_is_member(GRAPH_RESULT_PAYLOAD - FirstLowInvalidHeapAttributeNumber,
					  attrs))
		want |= FACT_WANT_PAYLOAD;
	bms_free(attrs);
	return want;
}

static void
graph_begin(CustomScanState *node, EState *estate, int eflags)
{
	GraphScanState *state = (GraphScanState *) node;
	CustomScan *cscan = castNode(CustomScan, node->ss.ps.plan);
	Const	   *funcid = linitial_node(Const, cscan->custom_private);
	Oid			oid = DatumGetObjectId(funcid->constvalue);
	AclResult	aclresult = function_aclcheck(oid, GetUserId());

	if (aclresult != ACLCHECK_OK)
		aclcheck_error(aclresult, OBJECT_FUNCTION, get_func_name(oid));
	InvokeFunctionExecuteHook(oid);

	fmgr_info_cxt(oid, &state->flinfo, estate->es_query_cxt);
	state->function = graph_function(state->flinfo.fn_addr);
	if (state->function == NULL)
		elog(ERROR, "function %u is not a graph function", oid);
	state->want = wanted_columns(&cscan->scan.plan);
	state->args = ExecInitExprList(cscan->custom_exprs, &node->ss.ps);
	state->context = AllocSetContextCreate(estate->es_query_cxt,
										   "graph scan",
										   ALLOCSET_DEFAULT_SIZES);
}

/* The stream's record is the node's from here on. */
static void
end_stream(GraphScanState *state)
{
	if (state->stream == NULL)
		return;
	graph_stream_close(state->stream);
	state->stream = NULL;
	state->stats = *stats_last();
}

/* Arguments to a call, call to the engine. */
static void
graph_run(GraphScanState *state)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext old;
	ListCell   *lc;
	int			nargs = 0;

	MemoryContextReset(state->context);
	state->result.nrows = 0;
	old = MemoryContextSwitchTo(state->context);
	InitFunctionCallInfoData(*fcinfo, &state->flinfo,
							 list_length(state->args), InvalidOid, NULL, NULL);
	foreach(lc, state->args)
	{
		ExprState  *arg = (ExprState *) lfirst(lc);

		fcinfo->args[nargs].value = ExecEvalExpr(arg, econtext,
												 &fcinfo->args[nargs].isnull);
		nargs++;
	}
	memset(&state->stats, 0, sizeof(state->stats));
	if (!graph_call_read(state->function, fcinfo, &state->call))
		;						/* no rows */
	else if (graph_function_ranks(state->function))
	{
		graph_rank(&state->call, &state->result);
		state->stats = *stats_last();
	}
	else
		state->stream = graph_stream_open(&state->call,
										  state->css.ss.ps.state->es_snapshot,
										  state->want);
	MemoryContextSwitchTo(old);
	state->runs++;
	state->done = true;
	state->next = 0;
}

static TupleTableSlot *
graph_next(ScanState *node)
{
	GraphScanState *state = (GraphScanState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;

	if (!state->done)
		graph_run(state);
	ExecClearTuple(slot);
	if (state->stream != NULL)
	{
		const FactRow *row = graph_stream_next(state->stream);
		MemoryContext old;

		if (row == NULL)
			return slot;
		old = MemoryContextSwitchTo(node->ps.ps_ExprContext->ecxt_per_tuple_memory);
		graph_fact_values(row, slot->tts_values, slot->tts_isnull);
		MemoryContextSwitchTo(old);
		return ExecStoreVirtualTuple(slot);
	}
	if (state->next >= state->result.nrows)
		return slot;
	graph_row_values(&state->result.rows[state->next++],
					 slot->tts_values, slot->tts_isnull);
	return ExecStoreVirtualTuple(slot);
}

/*
 * The node is not offered where row marks exist, so there is never a row to
 * check again. But early minor releases come here for a node without a relation
 * in any subplan that EvalPlanQual runs, and expect the next row.
 */
static bool
graph_recheck(ScanState *node, TupleTableSlot *slot)
{
	return !TupIsNull(graph_next(node));
}

static TupleTableSlot *
graph_exec(CustomScanState *node)
{
	return ExecScan(&node->ss, graph_next, graph_recheck);
}

static void
graph_rescan(CustomScanState *node)
{
	GraphScanState *state = (GraphScanState *) node;

	ExecScanReScan(&node->ss);
	if (node->ss.ps.chgParam != NULL || !graph_function_ranks(state->function))
		state->done = false;
	state->next = 0;
	end_stream(state);
}

static void
graph_end(CustomScanState *node)
{
	/* The query's memory context holds everything else. */
	end_stream((GraphScanState *) node);
}

static void
graph_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	GraphScanState *state = (GraphScanState *) node;
	const GraphStats *stats = state->stream != NULL ?
		graph_stream_stats(state->stream) : &state->stats;
	bool		ran;

	ExplainPropertyText("Function", state->function->name, es);
	ran = es->analyze && state->runs > 0 && stats->seed_method != NULL;
	if (state->function->seeds == GRAPH_SEEDS_GIVEN)
		ExplainPropertyText("Seeds", "given", es);
	else
		ExplainPropertyText("Seeds", ran ? stats->seed_method : "nearest rows", es);
	if (!es->analyze || state->runs == 0)
		return;
	if (stats->access != NULL)
		ExplainPropertyText("Access", stats->access, es);
	ExplainPropertyUInteger("Seed Ids", NULL, stats->seed_count, es);
	ExplainPropertyUInteger("Expanded Rows", NULL, stats->expanded_rows, es);
	if (graph_function_ranks(state->function))
		ExplainPropertyUInteger("Ranked Rows", NULL, stats->reranked_rows, es);
	if (es->buffers)
		ExplainPropertyUInteger("Heap Pages", NULL, stats->pages_read, es);
	if (es->buffers && stats->seed_source != NULL)
		ExplainPropertyText("Vector Index Read", stats->seed_source, es);
	if (es->timing)
	{
		ExplainPropertyFloat("Seed Time", "ms",
							 stats->stage_ms[GRAPH_STAGE_SEEDS], 3, es);
	}
	/* The rest of a stream's time is the node's own. */
	if (es->timing && graph_function_ranks(state->function))
	{
		ExplainPropertyFloat("Expand Time", "ms",
							 stats->stage_ms[GRAPH_STAGE_EXPAND], 3, es);
		ExplainPropertyFloat("Rerank Time", "ms",
							 stats->stage_ms[GRAPH_STAGE_RERANK], 3, es);
	}
}

static const CustomExecMethods graph_exec_methods = {
	.CustomName = "SortedHeapGraph",
	.BeginCustomScan = graph_begin,
	.ExecCustomScan = graph_exec,
	.EndCustomScan = graph_end,
	.ReScanCustomScan = graph_rescan,
	.ExplainCustomScan = graph_explain,
};

Node *
graph_exec_create(CustomScan *cscan)
{
	GraphScanState *state = (GraphScanState *)
		newNode(sizeof(GraphScanState), T_CustomScanState);

	state->css.methods = &graph_exec_methods;
	return (Node *) state;
}
