/*
 * graph_exec.c
 *	  Run a ranking graph function as a plan node, and explain it.
 *
 * The first fetch evaluates the arguments and runs the engine, which hands
 * back at most top_k rows; they live in a context of the node until a rescan
 * with changed parameters runs it again. The functions are STABLE, so a rescan
 * with the same parameters starts over with the rows at hand, as a function
 * scan does.
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "graph/call.h"
#include "graph/seeds.h"
#include "graph/stats.h"
#include "planner/graph_path.h"

typedef struct GraphScanState
{
	CustomScanState css;		/* must be first */
	const GraphFunction *function;
	FmgrInfo	flinfo;
	List	   *args;			/* ExprStates */
	MemoryContext context;		/* of the result, reset by each run */
	GraphResult result;
	GraphStats	stats;			/* of the last run */
	bool		done;			/* result holds */
	uint32		next;			/* row to return */
	uint64		runs;
} GraphScanState;

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
		elog(ERROR, "function %u is not a ranking function", oid);
	state->args = ExecInitExprList(cscan->custom_exprs, &node->ss.ps);
	state->context = AllocSetContextCreate(estate->es_query_cxt,
										   "graph scan",
										   ALLOCSET_DEFAULT_SIZES);
}

/* Arguments to a call, call to the engine, rows into the node. */
static void
graph_run(GraphScanState *state)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	GraphCall	call;
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
	if (graph_call_read(state->function, fcinfo, &call))
	{
		graph_rank(&call, &state->result);
		state->stats = *stats_last();
	}
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

	if (node->ss.ps.chgParam != NULL)
		state->done = false;
	state->next = 0;
	ExecScanReScan(&node->ss);
}

static void
graph_end(CustomScanState *node)
{
	/* The query's memory context holds everything. */
}

static void
graph_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	GraphScanState *state = (GraphScanState *) node;
	const GraphStats *stats = &state->stats;

	ExplainPropertyText("Function", state->function->name, es);
	ExplainPropertyText("Seeds", seeds_method(state->function->seeds), es);
	if (!es->analyze || state->runs == 0)
		return;
	if (stats->access != NULL)
		ExplainPropertyText("Access", stats->access, es);
	ExplainPropertyUInteger("Seed Ids", NULL, stats->seed_count, es);
	ExplainPropertyUInteger("Expanded Rows", NULL, stats->expanded_rows, es);
	ExplainPropertyUInteger("Ranked Rows", NULL, stats->reranked_rows, es);
	if (es->buffers)
		ExplainPropertyUInteger("Heap Pages", NULL, stats->pages_read, es);
	if (es->timing)
	{
		ExplainPropertyFloat("Seed Time", "ms",
							 stats->stage_ms[GRAPH_STAGE_SEEDS], 3, es);
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
