/*
 * graph_path.c
 *	  A graph function in FROM becomes a plan node of its own.
 *
 * FunctionScan would copy every row into a tuplestore and say nothing of what
 * happens inside. The custom scan hands the engine's rows straight up, of an
 * expansion only the columns that are used, and lets EXPLAIN name the seed
 * method and the access path. It computes the same rows through the same
 * engine, so sorted_heap.enable_graph_scan = off changes the plan and nothing
 * else.
 *
 * What is left to FunctionScan: WITH ORDINALITY, ROWS FROM with several
 * functions, whole-row references (also those of row marks), and functions
 * that are not called directly (SECURITY DEFINER or SET attached by a user).
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "graph/call.h"
#include "guc.h"
#include "planner/graph_path.h"

PG_FUNCTION_INFO_V1(sorted_heap_graph_support);

static Plan *graph_plan_create(PlannerInfo *root, RelOptInfo *rel,
							   CustomPath *best_path, List *tlist,
							   List *clauses, List *custom_plans);

static const CustomPathMethods graph_path_methods = {
	.CustomName = "SortedHeapGraph",
	.PlanCustomPath = graph_plan_create,
};

static const CustomScanMethods graph_scan_methods = {
	.CustomName = "SortedHeapGraph",
	.CreateCustomScanState = graph_exec_create,
};

void
graph_path_init(void)
{
	RegisterCustomScanMethods(&graph_scan_methods);
}

/*
 * The graph function behind a pg_proc entry, or NULL. Only functions with our
 * support function are looked into, so planning any other query costs one
 * cache lookup per function in FROM. An entry point wrapped by SECURITY DEFINER
 * or SET has another address and is left alone.
 */
static const GraphFunction *
find_function(Oid funcid)
{
	Oid			support = get_func_support(funcid);
	FmgrInfo	flinfo;

	if (!OidIsValid(support))
		return NULL;
	fmgr_info(support, &flinfo);
	if (flinfo.fn_addr != sorted_heap_graph_support)
		return NULL;
	fmgr_info(funcid, &flinfo);
	return graph_function(flinfo.fn_addr);
}

/*
 * Support function of the graph functions: of a ranking one, at most top_k
 * rows come out. It also makes sure that the library is loaded, hooks and all, when a query that
 * calls one of them is planned.
 */
Datum
sorted_heap_graph_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestRows *rows;
	const GraphFunction *function;
	Node	   *top_k;

	if (!IsA(request, SupportRequestRows))
		PG_RETURN_POINTER(NULL);
	rows = (SupportRequestRows *) request;
	function = find_function(rows->funcid);
	if (function == NULL || !graph_function_ranks(function) ||
		!IsA(rows->node, FuncExpr))
		PG_RETURN_POINTER(NULL);
	top_k = list_nth(((FuncExpr *) rows->node)->args, function->top_k);
	top_k = estimate_expression_value(rows->root, top_k);
	if (!IsA(top_k, Const) || ((Const *) top_k)->constisnull)
		PG_RETURN_POINTER(NULL);
	rows->rows = Max(DatumGetInt32(((Const *) top_k)->constvalue), 1);
	PG_RETURN_POINTER(rows);
}

/* The one function call of the relation, if it is a graph function's. */
static FuncExpr *
graph_call_of(RangeTblEntry *rte, const GraphFunction **function)
{
	RangeTblFunction *rtfunc;
	FuncExpr   *call;

	if (rte->funcordinality || list_length(rte->functions) != 1)
		return NULL;
	rtfunc = linitial_node(RangeTblFunction, rte->functions);
	if (!IsA(rtfunc->funcexpr, FuncExpr))
		return NULL;
	call = (FuncExpr *) rtfunc->funcexpr;
	*function = find_function(call->funcid);
	return *function != NULL ? call : NULL;
}

/*
 * Rows come ordered by distance: say so, if the query orders by that column.
 */
static List *
distance_order(PlannerInfo *root, RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, rel->reltarget->exprs)
	{
		Var		   *var = (Var *) lfirst(lc);

		if (IsA(var, Var) && var->varno == rel->relid &&
			var->varlevelsup == 0 && var->varattno == GRAPH_RESULT_DISTANCE)
			return expression_pathkey(root, (Expr *) var, Float8LessOperator,
									  rel->relids);
	}
	return NIL;
}

/*
 * Is the function's row used as a whole? Upper uses of a base relation are in
 * attr_needed, whose element 0 it is since min_attr of a function is 0; of a
 * member of an append relation they are in its own expressions only.
 */
static bool
wants_whole_row(RelOptInfo *rel)
{
	Bitmapset  *attrs = NULL;

	if (!bms_is_empty(rel->attr_needed[InvalidAttrNumber - rel->min_attr]))
		return true;
	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &attrs);
	pull_varattnos((Node *) extract_actual_clauses(rel->baserestrictinfo, false),
				   rel->relid, &attrs);
	return bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber,
						 attrs);
}

void
graph_path_add(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte)
{
	const GraphFunction *function;
	FuncExpr   *call;
	CustomPath *path;
	Path	   *plain;

	if (!guc_enable_graph_scan || IS_DUMMY_REL(rel))
		return;
	call = graph_call_of(rte, &function);
	if (call == NULL || root->rowMarks != NIL || rel->pathlist == NIL ||
		wants_whole_row(rel))
		return;

	/* Cost as core does for the function, but for the row copies saved. */
	plain = (Path *) linitial(rel->pathlist);
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.param_info = plain->param_info;
	path->path.parallel_safe = false;
	path->path.rows = plain->rows;
	path->path.startup_cost = plain->startup_cost;
	path->path.total_cost = plain->startup_cost +
		(plain->total_cost - plain->startup_cost) / 2;
	path->path.pathkeys = graph_function_ranks(function) ?
		distance_order(root, rel) : NIL;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make1(call);
	path->methods = &graph_path_methods;
	add_path(rel, &path->path);
}

/* One target entry per column of the function, in order. */
static List *
function_columns(PlannerInfo *root, RelOptInfo *rel)
{
	RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	List	   *columns = NIL;
	List	   *names;
	List	   *vars;
	ListCell   *name;
	ListCell   *var;

	expand_rte(rte, rel->relid, &names, &vars);
	forboth(name, names, var, vars)
		columns = lappend(columns,
						  makeTargetEntry((Expr *) lfirst(var),
										  list_length(columns) + 1,
										  pstrdup(strVal(lfirst(name))),
										  false));
	return columns;
}

static Plan *
graph_plan_create(PlannerInfo *root, RelOptInfo *rel,
				  CustomPath *best_path, List *tlist,
				  List *clauses, List *custom_plans)
{
	CustomScan *cscan = makeNode(CustomScan);
	FuncExpr   *call = linitial_node(FuncExpr, best_path->custom_private);

	cscan->scan.plan.targetlist = tlist;
	cscan->scan.plan.qual = extract_actual_clauses(clauses, false);
	/* No relation: the row type is that of custom_scan_tlist. */
	cscan->scan.scanrelid = 0;
	cscan->flags = best_path->flags;
	cscan->custom_scan_tlist = function_columns(root, rel);
	cscan->custom_exprs = copyObject(call->args);
	cscan->custom_private = list_make1(makeConst(OIDOID, -1, InvalidOid,
												 sizeof(Oid),
												 ObjectIdGetDatum(call->funcid),
												 false, true));
	cscan->methods = &graph_scan_methods;
	return &cscan->scan.plan;
}
