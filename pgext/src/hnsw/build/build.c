/*
 * build.c
 *	  Building an index on a table that has rows already.
 *
 * First all rows are read, in this process, so that expressions, predicates,
 * concurrent builds and broken HOT chains are core's affair. Then the size of
 * the graph is known, and it is built in arrays that have it, by this process
 * and its workers. Last the arrays become pages.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "hnsw/am.h"
#include "hnsw/build/build.h"

/* As core numbers them: 1 is that of its own preparations. */
typedef enum BuildPhase
{
	BUILD_PHASE_SCAN = PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE + 1,
	BUILD_PHASE_GRAPH,
	BUILD_PHASE_PAGES,
	BUILD_PHASE_SPILL
} BuildPhase;

char *
hnsw_am_build_phase(int64 phase)
{
	switch (phase)
	{
		case PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE:
			return "initializing";
		case BUILD_PHASE_SCAN:
			return "scanning table";
		case BUILD_PHASE_GRAPH:
			return "building graph";
		case BUILD_PHASE_PAGES:
			return "writing pages";
		case BUILD_PHASE_SPILL:
			return "inserting rows that did not fit in memory";
		default:
			return NULL;
	}
}

static void
enter_phase(BuildPhase phase)
{
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, phase);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, 0);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, 0);
}

static uint64
new_nonce(void)
{
	uint64		nonce;

	if (!pg_strong_random(&nonce, sizeof(nonce)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	return nonce;
}

static void
notice_spill(const BuildRows *rows, Relation index)
{
	ereport(NOTICE,
			(errmsg("maintenance_work_mem has room for the first %u of %.0f rows of index \"%s\"",
					rows->nodes.count + rows->twins.count, rows->rows,
					RelationGetRelationName(index)),
			 errdetail("The others are inserted one by one, which takes longer."),
			 errhint("Set maintenance_work_mem to %.0f MB to build the whole index in memory.",
					 ceil(build_rows_needed(rows) / (1024 * 1024)))));
}

static IndexBuildResult *
build_in_context(Relation heap, Relation index, IndexInfo *info)
{
	IndexBuildResult *result = palloc(sizeof(IndexBuildResult));
	uint64		nonce = new_nonce();
	HnswShape	shape;
	BuildRows	rows;
	BuildGraph	graph;

	hnsw_shape_of_index(index, &shape);
	enter_phase(BUILD_PHASE_SCAN);
	result->heap_tuples = build_rows_gather(&rows, &shape, nonce, heap, index, info);
	result->index_tuples = rows.rows;
	if (rows.spill != NULL)
		notice_spill(&rows, index);

	enter_phase(BUILD_PHASE_GRAPH);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, rows.nodes.count);
	build_graph_make(&graph, &rows, planned_build_workers(heap, index, info));
	enter_phase(BUILD_PHASE_PAGES);
	build_pages_write(index, &rows, &graph, nonce);
	build_graph_end(&graph);

	if (rows.spill != NULL)
	{
		enter_phase(BUILD_PHASE_SPILL);
		build_spill_insert(rows.spill, heap, index, info);
	}
	return result;
}

IndexBuildResult *
hnsw_am_build(Relation heap, Relation index, IndexInfo *info)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context;
	IndexBuildResult *result = palloc(sizeof(IndexBuildResult));

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(index));
	context = AllocSetContextCreate(caller, "sorted_hnsw build", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(context);
	*result = *build_in_context(heap, index, info);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return result;
}

void
hnsw_am_build_empty(Relation index)
{
	HnswShape	shape;

	hnsw_shape_of_index(index, &shape);
	build_pages_empty(index, INIT_FORKNUM, &shape, new_nonce());
}
