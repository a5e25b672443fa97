/*
 * cost.c
 *	  What a scan costs: a walk, or a flat pass where that is less, and the rows
 *	  fetched to put what was found in order.
 *
 * All of the first walk comes before the first row, so a LIMIT cannot save it.
 * Where the LIMIT is known, and with it how many rows the index must give until
 * enough of them meet the conditions that it does not test, the walk to all of
 * these is charged before the first row, too: what a scan does when it goes on is
 * not proportional to the rows it gives. Otherwise it is spread over all rows.
 *
 * A scan that may not go on gives what its first walk has found. Where that is
 * not enough, it is charged as if it fetched all rows one by one, which any plan
 * that gives enough of them undercuts.
 *
 * Pages of the index are charged as reads only as far as the index is larger
 * than the cache: every walk starts in the same pages and each is read many
 * times, which core's formula for pages met once does not know.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/heaptoast.h"
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
#include "hnsw/scan/scanmode.h"

/* In cpu_operator_cost: to compare a node of a walk, and to give a row, which is
 * put in order, looked up in the heap and again by the executor. */
#define COMPARE_OPERATORS 10.0
#define GIVE_OPERATORS 100.0

/* Rows fetched to be sure of the first one, and of each that follows. */
#define FETCHED_FIRST 8.0
#define FETCHED_EACH 1.5

/* A value stored out of line, to fetch it and each of its parts. */
#define TOAST_VALUE_OPERATORS 40.0
#define TOAST_PART_OPERATORS 20.0

/* Where halves tell nearly as much as rows. */
#define FETCHED_FIRST_HALVES 2.0
#define FETCHED_EACH_HALVES 1.1

/* What of a metapage never changes, kept in the relation's cache entry. */
typedef struct CostFacts
{
	double		m;
	double		per_page;
	bool		halves;
	double		toast_parts;	/* of a row's vector; 0 where it is in the row */
} CostFacts;

/* By its size alone: how the table stores a column may change any time. */
static double
toast_parts(const HnswShape *shape)
{
	Size		bytes = shape->form.dim *
		(shape->type == HNSW_TYPE_HSVEC ? sizeof(DistHalf) : sizeof(float));

	return bytes < TOAST_TUPLE_THRESHOLD ? 0.0 : ceil(bytes / (double) TOAST_MAX_CHUNK_SIZE);
}

static CostFacts
read_facts(const IndexOptInfo *info)
{
	CostFacts	facts = {16, 8, false, 0};
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
		facts.halves = map->shape.refine == HNSW_REFINE_F16;
		facts.toast_parts = toast_parts(&map->shape);
		pfree(map);
		index->rd_amcache = MemoryContextAlloc(index->rd_indexcxt, sizeof(CostFacts));
		*(CostFacts *) index->rd_amcache = facts;
	}
	facts = *(CostFacts *) index->rd_amcache;
	index_close(index, NoLock);
	return facts;
}

/*
 * To find so many nodes, or as many as the first walk keeps, in distances of a
 * walk: the cheaper way, or a walk that ends in a flat pass.
 */
static double
compared_nodes(const CostFacts *facts, double rows, double share, double wanted)
{
	double		kept = Max(wanted, guc_hnsw_ef_search);
	double		flat = scanmode_flat_cost(rows, share, SEED_ON_PAGES);
	double		walk = Min(scanmode_walk_cost(rows, share, kept, facts->m, false),
						   scanmode_walk_cost(rows, share, kept, facts->m, true));

	switch ((HnswScanMode) guc_hnsw_scan_mode)
	{
		case HNSW_SCAN_FLAT:
			return flat;
		case HNSW_SCAN_GRAPH:
			return Min(walk, guc_hnsw_max_scan_tuples);
		case HNSW_SCAN_AUTO:
			break;
	}
	if (wanted <= guc_hnsw_ef_search)
		return Min(flat, walk);
	if (rows > guc_hnsw_max_scan_tuples)
		return Min(walk, guc_hnsw_max_scan_tuples);
	return Min(walk, 2.0 * flat);
}

/* Is it tested by the index, or met by the nearest rows first, as a bound on the
 * distance that the scan is in order of? */
static bool
met_in_order(const IndexPath *path, const RestrictInfo *rinfo)
{
	const OpExpr *op = (const OpExpr *) rinfo->clause;
	ListCell   *lc;

	foreach(lc, path->indexclauses)
	{
		if (lfirst_node(IndexClause, lc)->rinfo == rinfo)
			return true;
	}
	if (!IsA(op, OpExpr) || list_length(op->args) != 2)
		return false;
	return list_member(path->indexorderbys, linitial(op->args)) ||
		list_member(path->indexorderbys, lsecond(op->args));
}

/*
 * How many rows the index must give for the query's LIMIT, by the share of them
 * that meet the other conditions; -1 where that is not known.
 */
static double
rows_for_limit(PlannerInfo *root, const IndexPath *path, double given)
{
	IndexOptInfo *info = path->indexinfo;
	List	   *others = NIL;
	double		share;
	ListCell   *lc;

	if (root->limit_tuples < 1.0 || path->path.param_info != NULL ||
		bms_membership(root->all_baserels) != BMS_SINGLETON)
		return -1.0;
	foreach(lc, info->indrestrictinfo)
	{
		if (!met_in_order(path, lfirst_node(RestrictInfo, lc)))
			others = lappend(others, lfirst(lc));
	}
	share = clauselist_selectivity(root, others, info->rel->relid, JOIN_INNER, NULL);
	list_free(others);
	return Min(given, root->limit_tuples / Max(share, 1.0 / given));
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
	double		given;
	double		wanted;
	double		first;
	double		all;
	double		uncached;
	double		fetch;
	double		value;
	double		more;
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
	given = Max(rows * share, 1.0);
	wanted = rows_for_limit(root, path, given);

	first = compared_nodes(&facts, rows, share, wanted);
	all = Max(first, compared_nodes(&facts, rows, share, given));
	*pages = Min(ceil(first / Max(facts.per_page, 1.0)), Max(info->pages, 1));
	uncached = Max(0.0, 1.0 - effective_cache_size / Max(info->pages, 1.0));

	/*
	 * Rows fetched for their exact distance only; core charges those
	 * returned, which are in cache then.
	 */
	fetch = cpu_tuple_cost + cpu_operator_cost + random_cost *
		index_pages_fetched(given * loop_count, info->rel->pages, info->pages, root) /
		(given * loop_count);
	value = facts.toast_parts == 0.0 ? 0.0 : cpu_operator_cost *
		(TOAST_VALUE_OPERATORS + facts.toast_parts * TOAST_PART_OPERATORS);
	fetch += value;
	more = facts.halves ? FETCHED_EACH_HALVES : FETCHED_EACH;

	*startup_cost = index_other_operands_eval_cost(root, quals) + first * compare +
		Min(facts.halves ? FETCHED_FIRST_HALVES : FETCHED_FIRST, given) * fetch +
		*pages * uncached * random_cost;
	*total_cost = *startup_cost + (all - first) * compare +
		given * (GIVE_OPERATORS * cpu_operator_cost + value + (more - 1.0) * fetch);
	if (guc_hnsw_iterative_scan == HNSW_ITERATIVE_OFF && wanted > guc_hnsw_ef_search)
		*startup_cost = *total_cost += given * (cpu_tuple_cost + random_cost);
}
