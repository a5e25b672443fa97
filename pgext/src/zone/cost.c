/*
 * cost.c
 *	  What a bitmap scan over the map costs.
 *
 * The map tells itself how good it is: the share of blocks that every lookup
 * searches. For the rest, the blocks of the rows wanted and one at each edge.
 * Core turns the selectivity we report into rows, and rows into pages, as if
 * rows were scattered; we report the number of rows for which that formula
 * gives our blocks, and charge ourselves for testing all rows of these blocks,
 * since every page is lossy.
 *
 * Where a btree answers the same equality, map and btree read the same heap
 * pages; but core charges the btree for them as if rows were nearly scattered,
 * and the length of an array that is not a constant is a guess that makes the
 * recheck look cheap. Priced on its own terms, the map would win and be several
 * times slower. So it is charged for these pages on the btree's terms.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/stratnum.h"
#include "catalog/pg_am_d.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

#include "compat.h"
#include "guc.h"
#include "zone/pageio.h"
#include "zone/zone.h"

/* Planning looks at no more directory pages than this. */
#define MAX_SAMPLED_DIRECTORIES 8

/* What the clauses of a path come down to. */
typedef struct Wanted
{
	double		places;			/* values of the first column, or 1 */
	double		ranges;			/* separate intervals of pairs */
	Selectivity selectivity;	/* of rows between the edges of these */
	bool		first_equal;	/* the first column is pinned to values */
} Wanted;

static double searched_share(IndexOptInfo *index);
static void estimate_wanted(PlannerInfo *root, IndexPath *path, Wanted *wanted);
static bool btree_answers_too(const IndexOptInfo *index);

void
zone_cost_estimate(PlannerInfo *root, IndexPath *path, double loop_count,
				   Cost *startup_cost, Cost *total_cost,
				   Selectivity *selectivity, double *correlation,
				   double *pages)
{
	IndexOptInfo *index = path->indexinfo;
	List	   *quals = get_quals_from_indexclauses(path->indexclauses);
	double		heap_pages = Max(index->rel->pages, 1);
	double		heap_rows = Max(index->rel->tuples, 1.0);
	double		share = searched_share(index);
	Wanted		wanted;
	double		blocks;
	double		map_pages;
	double		rows;
	double		spc_random_page_cost;
	QualCost	recheck;

	estimate_wanted(root, path, &wanted);
	blocks = heap_pages * (share + (1.0 - share) * wanted.selectivity) +
		(1.0 - share) * wanted.ranges;
	blocks = ceil(Min(blocks, heap_pages));

	/* Zone pages: those of the ranges, and any with blocks to search. */
	map_pages = wanted.places + blocks / ZONE_ENTRIES;
	if (share > 0)
		map_pages += Min(heap_pages * share, heap_pages / ZONE_ENTRIES);
	map_pages = ceil(Min(map_pages, Max(index->pages, 1)));
	*pages = map_pages;
	if (loop_count > 1)
		map_pages = index_pages_fetched(map_pages * loop_count, index->pages,
										index->pages, root) / loop_count;

	/* Rows for which compute_bitmap_pages() arrives at our blocks. */
	rows = Min(2.0 * heap_pages * blocks / (2.0 * heap_pages - blocks), heap_rows);
	*selectivity = rows / heap_rows;
	*correlation = 0.0;

	get_tablespace_page_costs(index->reltablespace, &spc_random_page_cost, NULL);
	cost_qual_eval(&recheck, quals, root);
	*startup_cost = index_other_operands_eval_cost(root, quals);
	if (!guc_enable_scan_pruning)
		*startup_cost += disable_cost;
	*total_cost = *startup_cost + map_pages * spc_random_page_cost +
		wanted.ranges * 10 * cpu_operator_cost + blocks * cpu_operator_cost;
	*total_cost += Max(heap_rows * blocks / heap_pages - rows, 0.0) *
		(cpu_tuple_cost + recheck.per_tuple);

	/* Who forbids index scans compares bitmaps, and wants this one. */
	if (wanted.first_equal && enable_indexscan && btree_answers_too(index))
	{
		double		fetched = clamp_row_est(wanted.selectivity * heap_rows);
		double		scattered = index_pages_fetched(fetched * loop_count,
													index->rel->pages,
													index->pages, root) / loop_count;

		*total_cost += Max(scattered - blocks, 0.0) * spc_random_page_cost +
			fetched * (cpu_index_tuple_cost + cpu_tuple_cost);
	}
}

/* Is there a btree on all rows that leads with the same column? */
static bool
btree_answers_too(const IndexOptInfo *index)
{
	ListCell   *lc;

	foreach(lc, index->rel->indexlist)
	{
		IndexOptInfo *other = lfirst_node(IndexOptInfo, lc);

		if (other->relam == BTREE_AM_OID && other->indpred == NIL &&
			other->indexkeys[0] == index->indexkeys[0])
			return true;
	}
	return false;
}

/*
 * Share of the heap's blocks that every lookup searches, from some directory
 * pages spread over the map.
 */
static double
searched_share(IndexOptInfo *index)
{
	BlockNumber heap_blocks = index->rel->pages;
	uint32		ndirectories = (zone_count(heap_blocks) + ZONE_FANOUT - 1) / ZONE_FANOUT;
	uint32		step = Max(ndirectories / MAX_SAMPLED_DIRECTORIES, 1);
	double		searched = 0;
	double		seen = 0;
	Relation	rel;

	if (index->hypothetical || ndirectories == 0)
		return 0.0;

	/* The planner holds a lock on the index. */
	rel = index_open(index->indexoid, NoLock);
	for (uint32 directory = 0; directory < ndirectories; directory += step)
	{
		Buffer		buffer = zone_pin(rel, zone_directory_address(directory));
		const ZoneDirectory *page = NULL;

		if (BufferIsValid(buffer))
		{
			LockBuffer(buffer, BUFFER_LOCK_SHARE);
			if (zone_page_check(rel, zone_directory_address(directory),
								BufferGetPage(buffer)))
				page = zone_directory(BufferGetPage(buffer));
		}
		for (int i = 0; i < ZONE_FANOUT; i++)
		{
			int			entries = zone_entries_within(directory * ZONE_FANOUT + i,
													  heap_blocks);

			seen += entries;
			if (page == NULL)
				searched += entries;
			else
				searched += Min(page->searched[i], entries) +
					Max(entries - page->tracked[i], 0);
		}
		if (BufferIsValid(buffer))
			UnlockReleaseBuffer(buffer);
	}
	index_close(rel, NoLock);

	return seen > 0 ? Min(searched / seen, 1.0) : 0.0;
}

/* Does the clause pin its column to single values? Adds up how many. */
static bool
is_equality(PlannerInfo *root, IndexOptInfo *index, IndexClause *clause,
			double *values)
{
	bool		equality = false;
	ListCell   *lc;

	foreach(lc, clause->indexquals)
	{
		Node	   *qual = (Node *) lfirst_node(RestrictInfo, lc)->clause;
		Oid			operator;

		if (IsA(qual, OpExpr))
			operator = ((OpExpr *) qual)->opno;
		else if (IsA(qual, ScalarArrayOpExpr))
			operator = ((ScalarArrayOpExpr *) qual)->opno;
		else
			continue;
		if (get_op_opfamily_strategy(operator, index->opfamily[clause->indexcol]) !=
			BTEqualStrategyNumber)
			continue;
		equality = true;
		if (IsA(qual, ScalarArrayOpExpr))
			*values = Max(*values,
						  array_length_estimate(root, lsecond(((ScalarArrayOpExpr *) qual)->args)));
	}
	return equality;
}

static void
estimate_wanted(PlannerInfo *root, IndexPath *path, Wanted *wanted)
{
	IndexOptInfo *index = path->indexinfo;
	List	   *first = NIL;
	List	   *all = NIL;
	double		first_values = 1;
	double		second_values = 1;
	bool		first_equal = false;
	bool		wide = !key_kind_is_exact(key_kind_of_type(index->opcintype[0]));
	ListCell   *lc;

	foreach(lc, path->indexclauses)
	{
		IndexClause *clause = lfirst_node(IndexClause, lc);

		all = list_concat(all, clause->indexquals);
		if (clause->indexcol == 0)
		{
			first = list_concat(first, clause->indexquals);
			first_equal |= is_equality(root, index, clause, &first_values);
		}
		else
			(void) is_equality(root, index, clause, &second_values);
	}

	/*
	 * The second column narrows a range of pairs only under single values of
	 * the first.
	 */
	wanted->first_equal = first_equal;
	wanted->places = first_values;
	wanted->ranges = first_values;
	if (first_equal && !wide)
	{
		wanted->ranges *= second_values;
		first = all;
	}
	wanted->selectivity = clauselist_selectivity(root, first,
												 index->rel->relid,
												 JOIN_INNER, NULL);
}
