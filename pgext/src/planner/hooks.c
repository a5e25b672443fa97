/*
 * hooks.c
 *	  The only place that touches planner hook globals: save, chain, dispatch.
 *
 * The library need not be preloaded: planning a query that calls one of our
 * functions runs their support function, which loads the library before the
 * path list hook of that relation is looked at.
 */
#include "postgres.h"

#include "optimizer/paths.h"

#include "compat.h"
#include "planner/graph_path.h"
#include "planner/hooks.h"
#include "planner/index_explain.h"
#include "planner/list_path.h"

static set_rel_pathlist_hook_type previous_pathlist_hook;

static void
planner_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	if (previous_pathlist_hook)
		previous_pathlist_hook(root, rel, rti, rte);
	if (rte->rtekind == RTE_FUNCTION)
		graph_path_add(root, rel, rte);
	else if (rte->rtekind == RTE_RELATION)
		list_path_add(root, rel);
}

#ifdef HAVE_EXPLAIN_PER_NODE
static explain_per_node_hook_type previous_explain_hook;

static void
planner_explain(PlanState *node, List *ancestors, const char *relationship,
				const char *plan_name, ExplainState *es)
{
	if (previous_explain_hook)
		previous_explain_hook(node, ancestors, relationship, plan_name, es);
	index_explain(node, es);
}
#endif

void
planner_hooks_init(void)
{
	graph_path_init();
	previous_pathlist_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = planner_pathlist;
#ifdef HAVE_EXPLAIN_PER_NODE
	previous_explain_hook = explain_per_node_hook;
	explain_per_node_hook = planner_explain;
#endif
}
