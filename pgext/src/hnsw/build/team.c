/*
 * team.c
 *	  Parallel workers that build the graph with this process.
 *
 * Records and arrays lie in a segment of shared memory, or in the build's file
 * where they have no place in memory. Workers need nothing else: they take nodes
 * from a queue and insert them, and touch neither table nor index. Lists are
 * guarded by locks in stripes, which are never held while anything may end in an
 * error; what does end so is core's to clean up, which ends the workers with the
 * leader, and the leader with any of them.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "storage/condition_variable.h"
#include "storage/lwlock.h"
#include "tcop/tcopprot.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"
#include "utils/memutils.h"

#include "hnsw/build/build.h"

#define KEY_TEAM 1
#define KEY_BLOCK 2
#define KEY_RECORDS 3
#define KEY_QUERY 4
#define KEY_FILE 5				/* instead of block and records */

/* Several for each of as many workers as there may be; a power of two. */
#define STRIPES 1024

/* So often does a leader who waits tell how far the work is, in milliseconds. */
#define REPORT_EVERY 200

typedef struct TeamShared
{
	DistMetric	metric;
	HnswElement element;
	uint32		dim;
	HnswParams	params;
	Size		record_bytes;
	int			tranche;		/* of the locks */
	BuildQueue	queue;
	pg_atomic_uint32 left;		/* workers that are through */
	ConditionVariable leaving;
	LWLockPadded locks[STRIPES];
} TeamShared;

struct BuildTeam
{
	ParallelContext *context;
	TeamShared *shared;
	HnswArraysLock lock;
	char	   *block;
	char	   *records;
};

/* Where in the build's file they are. */
typedef struct TeamFile
{
	BuildFilePart block;
	BuildFilePart records;
} TeamFile;

PGDLLEXPORT void sorted_hnsw_build_worker(dsm_segment *segment, shm_toc *toc);

static LWLock *
stripe(void *state, uint32 node)
{
	TeamShared *shared = state;

	return &shared->locks[(node * UINT32_C(0x9E3779B1)) >> 22 & (STRIPES - 1)].lock;
}

static void
lock_node(void *state, uint32 node)
{
	LWLockAcquire(stripe(state, node), LW_EXCLUSIVE);
}

static void
unlock_node(void *state, uint32 node)
{
	LWLockRelease(stripe(state, node));
}

static HnswArraysLock
team_lock(TeamShared *shared)
{
	HnswArraysLock lock = {lock_node, unlock_node, shared};

	LWLockRegisterTranche(shared->tranche, "sorted_hnsw_build");
	return lock;
}

static TeamShared *
init_shared(TeamShared *shared, const HnswShape *shape)
{
	/* One number serves all builds of a session. */
	static int	tranche = 0;

	if (tranche == 0)
		tranche = LWLockNewTrancheId();
	shared->metric = shape->form.metric;
	shared->element = shape->form.element;
	shared->dim = shape->form.dim;
	shared->params = hnsw_shape_params(shape);
	shared->record_bytes = shape->record_bytes;
	shared->tranche = tranche;
	pg_atomic_init_u32(&shared->queue.next, 0);
	pg_atomic_init_u32(&shared->queue.done, 0);
	pg_atomic_init_u32(&shared->left, 0);
	ConditionVariableInit(&shared->leaving);
	for (int i = 0; i < STRIPES; i++)
		LWLockInitialize(&shared->locks[i].lock, tranche);
	return shared;
}

static void *
allocate(ParallelContext *context, uint64 key, Size bytes)
{
	void	   *chunk = shm_toc_allocate(context->toc, bytes);

	shm_toc_insert(context->toc, key, chunk);
	return chunk;
}

static void
estimate(ParallelContext *context, Size bytes)
{
	shm_toc_estimate_chunk(&context->estimator, bytes);
	shm_toc_estimate_keys(&context->estimator, 1);
}

static void
share_file(BuildTeam *team, BuildMemory *memory, Size block_bytes, Size records_bytes)
{
	TeamFile   *file = allocate(team->context, KEY_FILE, sizeof(TeamFile));

	team->block = build_memory_share(memory, block_bytes, &file->block);
	team->records = build_memory_share(memory, records_bytes, &file->records);
}

BuildTeam *
build_team_begin(const HnswShape *shape, BuildMemory *memory, int nworkers,
				 Size block_bytes, Size records_bytes)
{
	const char *query = debug_query_string != NULL ? debug_query_string : "";
	BuildTeam  *team = palloc(sizeof(BuildTeam));
	bool		on_file = build_memory_on_file(memory);
	ParallelContext *context;

	EnterParallelMode();
	context = CreateParallelContext("sorted_heap", "sorted_hnsw_build_worker", nworkers);
	estimate(context, sizeof(TeamShared));
	estimate(context, strlen(query) + 1);
	if (on_file)
		estimate(context, sizeof(TeamFile));
	else
	{
		estimate(context, block_bytes);
		estimate(context, records_bytes);
	}
	InitializeParallelDSM(context);
	if (context->seg == NULL)
	{
		/* No segment to be had: this process builds alone. */
		DestroyParallelContext(context);
		ExitParallelMode();
		return NULL;
	}
	team->context = context;
	team->shared = init_shared(allocate(context, KEY_TEAM, sizeof(TeamShared)), shape);
	team->lock = team_lock(team->shared);
	if (on_file)
		share_file(team, memory, block_bytes, records_bytes);
	else
	{
		team->block = allocate(context, KEY_BLOCK, block_bytes);
		team->records = allocate(context, KEY_RECORDS, records_bytes);
	}
	strcpy(allocate(context, KEY_QUERY, strlen(query) + 1), query);
	return team;
}

char *
build_team_block(BuildTeam *team)
{
	return team->block;
}

char *
build_team_records(BuildTeam *team)
{
	return team->records;
}

const HnswArraysLock *
build_team_lock(BuildTeam *team)
{
	return &team->lock;
}

/* Until all workers are through. One that fails ends the wait with its error. */
static void
wait_for_workers(BuildTeam *team)
{
	TeamShared *shared = team->shared;

	ConditionVariablePrepareToSleep(&shared->leaving);
	while (pg_atomic_read_u32(&shared->left) < team->context->nworkers_launched)
	{
		(void) ConditionVariableTimedSleep(&shared->leaving, REPORT_EVERY,
										   WAIT_EVENT_PARALLEL_CREATE_INDEX_SCAN);
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE,
									 pg_atomic_read_u32(&shared->queue.done));
	}
	ConditionVariableCancelSleep();
	WaitForParallelWorkersToFinish(team->context);
}

void
build_team_work(BuildTeam *team, HnswArrays *arrays)
{
	LaunchParallelWorkers(team->context);
	ereport(DEBUG1,
			(errmsg_internal("%d of %d parallel workers build the graph",
							 team->context->nworkers_launched, team->context->nworkers)));
	if (parallel_leader_participation || team->context->nworkers_launched == 0)
		build_graph_work(arrays, team->shared->params, &team->shared->queue, true);

	/* One that never started would be waited for in vain. */
	WaitForParallelWorkersToAttach(team->context);
	wait_for_workers(team);
}

void
build_team_end(BuildTeam *team)
{
	DestroyParallelContext(team->context);
	ExitParallelMode();
}

void
sorted_hnsw_build_worker(dsm_segment *segment, shm_toc *toc)
{
	TeamShared *shared = shm_toc_lookup(toc, KEY_TEAM, false);
	HnswArraysLock lock = team_lock(shared);
	const TeamFile *file = shm_toc_lookup(toc, KEY_FILE, true);
	char	   *block = file != NULL ? build_memory_attach(&file->block)
		: shm_toc_lookup(toc, KEY_BLOCK, false);
	char	   *records = file != NULL ? build_memory_attach(&file->records)
		: shm_toc_lookup(toc, KEY_RECORDS, false);
	HnswArrays	arrays;

	debug_query_string = shm_toc_lookup(toc, KEY_QUERY, false);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	arrays = hnsw_arrays_attach(block, hnsw_form(shared->metric, shared->element, shared->dim),
								records, shared->record_bytes, &lock);
	build_graph_work(&arrays, shared->params, &shared->queue, false);
	pg_atomic_fetch_add_u32(&shared->left, 1);
	ConditionVariableBroadcast(&shared->leaving);
}
