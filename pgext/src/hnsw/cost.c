/*
 * cost.c
 *	  What a scan costs: a walk, or a flat pass where that is less, and the rows
 *	  fetched to put what was found in order.
 *
 * All of the first walk comes before the first row, so a LIMIT cannot save it.
 * Rows beyond those of the first walk cost a part of a flat pass each: what a
 * scan that goes on ends in.
 *
 * Pages of the index are charged as reads only as far as the index is larger
 * than the cache: every walk starts in the same pages and each is read many
 * times, which core's formula for pages met once does not know.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"
#include "utils/float.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

#include "compat.h"
#include "guc.h"
#include "hnsw/am.h"
#include "hnsw/pageio.h"
#include "hnsw/scanmode.h"

/* To compare a node of a walk, in cpu_operator_cost. */
#define COMPARE_OPERATORS 2.0

/* Of the nodes kept, so many rows are fetched to order the first. */
#define REFINED_SHARE 0.4
#define REFINED_SHARE_HALVES 0.15

/* What of a metapage never changes, kept in the relation's cache entry. */
typedef struct CostFacts
{
	double		m;
	double		per_page;
	double		refined_share;
} CostFacts;

static CostFacts
read_facts(const IndexOptInfo *info)
{
	CostFacts	facts = {16, 8, REFINED_SHARE};
	Relation	index;

	if (info->hypothetical)
		return facts;
	/* The planner holds a lock on the index. */
	index = index_open(info->indexoid, NoLock);
	if (index->rd_amcache == NULL)
	{
		HnswMap    *map = palloc(sizeof(HnswMap));

		hnsw_map_read(index, map);
		facts.m = map->shape.m;
		facts.per_page = map->shape.per_page[HNSW_SPACE_NODES];
		if (map->shape.refine == HNSW_REFINE_F16)
			facts.refined_share = REFINED_SHARE_HALVES;
		pfree(map);
		index->rd_amcache = MemoryContextAlloc(index->rd_indexcxt, sizeof(CostFacts));
		*(CostFacts *) index->rd_amcache = facts;
	}
	facts = *(CostFacts *) index->rd_amcache;
	index_close(index, NoLock);
	return facts;
}

/* The cheaper way to the first nodes, in distances of a walk. */
static double
first_nodes(const CostFacts *facts, double rows, double share)
{
	double		ef = guc_hnsw_ef_search;
	double		flat = scanmode_flat_cost(rows, share);
	double		walk = Min(scanmode_walk_cost(rows, share, ef, facts->m, false),
						   scanmode_walk_cost(rows, share, ef, facts->m, true));

	switch ((HnswScanMode) guc_hnsw_scan_mode)
	{
		case HNSW_SCAN_FLAT:
			return flat;
		case HNSW_SCAN_GRAPH:
			return walk;
		case HNSW_SCAN_AUTO:
			break;
	}
	return Min(flat, walk);
}

/* Are rows without a vector wanted? They are not in the index. */
static bool
wants_null_vectors(const IndexPath *path)
{
	ListCell   *lc;

	foreach(lc, path->indexclauses)
	{
		IndexClause *clause = lfirst_node(IndexClause, lc);
		Expr	   *expr = clause->rinfo->clause;

		if (clause->indexcol == 0 && IsA(expr, NullTest) &&
			((NullTest *) expr)->nulltesttype == IS_NULL)
			return true;
	}
	return false;
}

void
hnsw_am_cost_estimate(PlannerInfo *root, IndexPath *path, double loop_count,
					  Cost *startup_cost, Cost *total_cost, Selectivity *selectivity,
					  double *correlation, double *pages)
{
	IndexOptInfo *info = path->indexinfo;
	List	   *quals = get_quals_from_indexclauses(path->indexclauses);
	double		rows = Max(info->tuples, 1.0);
	double		compare = COMPARE_OPERATORS * cpu_operator_cost;
	CostFacts	facts;
	double		share;
	double		compared;
	double		refined;
	double		beyond;
	double		uncached;
	double		fetch;
	double		random_cost;

	*correlation = 0.0;
	if (path->indexorderbys == NIL || wants_null_vectors(path))
	{
		*startup_cost = *total_cost = get_float8_infinity();
		*selectivity = 0.0;
		*pages = 0.0;
		disable_index_path(path);
		return;
	}

	facts = read_facts(info);
	get_tablespace_page_costs(info->reltablespace, &random_cost, NULL);
	share = clauselist_selectivity(root, quals, info->rel->relid, JOIN_INNER, NULL);
	*selectivity = share;
	share = Max(share, 1.0 / rows);

	compared = first_nodes(&facts, rows, share);
	*pages = Min(ceil(compared / Max(facts.per_page, 1.0)), Max(info->pages, 1));
	uncached = Max(0.0, 1.0 - effective_cache_size / Max(info->pages, 1.0));

	/* Rows fetched for their exact distance; core charges those returned. */
	refined = Min(guc_hnsw_ef_search * facts.refined_share, rows * share);
	fetch = cpu_tuple_cost + cpu_operator_cost + random_cost *
		index_pages_fetched(refined * loop_count, info->rel->pages, info->pages, root) /
		Max(refined * loop_count, 1.0);

	*startup_cost = index_other_operands_eval_cost(root, quals) +
		compared * compare + refined * fetch + *pages * uncached * random_cost;
	beyond = Max(rows * share - guc_hnsw_ef_search, 0.0);
	*total_cost = *startup_cost +
		beyond * (facts.m * compare + cpu_index_tuple_cost + cpu_tuple_cost);
}
