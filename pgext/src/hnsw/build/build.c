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
	BUILD_PHASE_PAGES
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
notice_file(const BuildRows *rows, Relation index)
{
	ereport(NOTICE,
			(errmsg("maintenance_work_mem has room for the first %llu of %llu rows of index \"%s\"",
					(unsigned long long) rows->within,
					(unsigned long long) build_rows_count(rows),
					RelationGetRelationName(index)),
			 errdetail("The rest of the graph is built in a temporary file, which is slow where the system has no memory to cache it."),
			 errhint("Set maintenance_work_mem to %.0f MB to build the whole index in memory.",
					 ceil(build_rows_needed(rows) / (1024.0 * 1024.0)))));
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
	result->index_tuples = build_rows_count(&rows);
	if (build_memory_on_file(rows.memory))
		notice_file(&rows, index);

	enter_phase(BUILD_PHASE_GRAPH);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, rows.nodes.count);
	build_graph_make(&graph, &rows, planned_build_workers(heap, index, info));
	enter_phase(BUILD_PHASE_PAGES);
	build_pages_write(index, &rows, &graph, nonce);
	build_graph_end(&graph);
	build_memory_end(rows.memory);
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
