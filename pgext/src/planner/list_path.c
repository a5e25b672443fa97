/*
 * list_path.c
 *	  `column = ANY (list)` in an index scan by distance, where core keeps it out.
 *
 * Before 17 core takes it that an index that orders its rows loses the order
 * when a column but the first has a list, as a btree did then, and leaves
 * lists out of such scans. A sorted_hnsw index has its order from the distance and
 * tests lists on the way. So each of its scans that core has found is offered once
 * more with the lists in it; which one is used, costs decide.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "hnsw/am.h"
#include "planner/list_path.h"

/* A condition as one of the index, or NULL. What core asks of such a clause. */
static IndexClause *
match_list(PlannerInfo *root, RelOptInfo *rel, IndexOptInfo *index, RestrictInfo *rinfo)
{
	ScalarArrayOpExpr *list = (ScalarArrayOpExpr *) rinfo->clause;
	Node	   *column;
	Node	   *array;

	if (!IsA(list, ScalarArrayOpExpr) || !list->useOr || rinfo->pseudoconstant ||
		!restriction_is_securely_promotable(rinfo, rel))
		return NULL;
	column = (Node *) linitial(list->args);
	array = (Node *) lsecond(list->args);
	if (bms_is_member(rel->relid, pull_varnos(root, array)) ||
		contain_volatile_functions(array))
		return NULL;
	for (int i = 1; i < index->nkeycolumns; i++)
	{
		Oid			collation = index->indexcollations[i];
		IndexClause *clause;

		if (!match_index_to_operand(column, i, index) ||
			!op_in_opfamily(list->opno, index->opfamily[i]) ||
			(OidIsValid(collation) && collation != list->inputcollid))
			continue;
		clause = makeNode(IndexClause);
		clause->rinfo = rinfo;
		clause->indexquals = list_make1(rinfo);
		clause->indexcol = i;
		return clause;
	}
	return NULL;
}

/* The clauses in the order of columns, as core keeps them. */
static List *
insert_clause(List *clauses, IndexClause *clause)
{
	int			at = 0;

	while (at < list_length(clauses) &&
		   list_nth_node(IndexClause, clauses, at)->indexcol <= clause->indexcol)
		at++;
	return list_insert_nth(clauses, at, clause);
}

static void
offer_with_lists(PlannerInfo *root, RelOptInfo *rel, IndexPath *path)
{
	List	   *clauses = list_copy(path->indexclauses);
	IndexPath  *offered;
	ListCell   *lc;

	foreach(lc, rel->baserestrictinfo)
	{
		IndexClause *clause = match_list(root, rel, path->indexinfo,
										 lfirst_node(RestrictInfo, lc));

		if (clause != NULL)
			clauses = insert_clause(clauses, clause);
	}
	if (list_length(clauses) == list_length(path->indexclauses))
		return;
	offered = makeNode(IndexPath);
	*offered = *path;
	offered->indexclauses = clauses;
	cost_index(offered, root, 1.0, false);
	add_path(rel, (Path *) offered);
}

void
list_path_add(PlannerInfo *root, RelOptInfo *rel)
{
	List	   *paths = NIL;
	ListCell   *lc;

	if (ORDERED_SCANS_TAKE_LISTS || rel->baserestrictinfo == NIL)
		return;
	foreach(lc, rel->pathlist)
	{
		IndexPath  *path = (IndexPath *) lfirst(lc);

		if (IsA(path, IndexPath) && path->indexorderbys != NIL &&
			path->indexinfo->amcostestimate == hnsw_am_cost_estimate)
			paths = lappend(paths, path);
	}
	/* What is added may take the place of others in the relation's list. */
	foreach(lc, paths)
		offer_with_lists(root, rel, lfirst_node(IndexPath, lc));
	list_free(paths);
}
