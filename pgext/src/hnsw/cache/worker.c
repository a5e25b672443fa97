/*
 * worker.c
 *	  The background worker that makes shared versions.
 *
 * Scans launch it when they want a version; it makes what is wanted in their
 * database, one after another, and ends at once. It needs no preloading, works on a
 * standby, and holds an index against being dropped as a reader does, if it gets
 * the lock without waiting; but it gives the index up as soon as somebody waits for
 * that lock, and ends when somebody wants the database for himself.
 *
 * Where a VACUUM was broken off among its changes, the worker says for it that they
 * are over (vacuum/settle.c), since else there could be no version before the next.
 *
 * An error is logged and the version not tried again for a while, which doubles
 * each time. Whatever way the process ends, what it was building is given up
 * (hnsw_shared_abandon).
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "hnsw/am.h"
#include "hnsw/cache/shared.h"
#include "hnsw/cache/worker.h"
#include "hnsw/vacuum/settle.h"

/* Where others change an index too much while it is copied. */
#define TRIES 3

PGDLLEXPORT void sorted_hnsw_cache_worker(Datum database);

bool
hnsw_cache_launch_worker(void)
{
	BackgroundWorker worker = {0};

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_ConsistentState;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(worker.bgw_library_name, "sorted_heap", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "sorted_hnsw_cache_worker", BGW_MAXLEN);
	strlcpy(worker.bgw_name, "sorted_hnsw cache worker", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "sorted_hnsw cache worker", BGW_MAXLEN);
	worker.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId);
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

/* The index of a slot, locked, if it can be had and still has these files. */
static Relation
open_index(const HnswSharedSlot *slot)
{
	Relation	index;
	HnswCacheKey key;

	if (!ConditionalLockRelationOid(slot->key.relid, AccessShareLock))
		return NULL;
	index = try_relation_open(slot->key.relid, NoLock);
	if (index == NULL)
		return NULL;
	if (index->rd_rel->relkind == RELKIND_INDEX && hnsw_is_hnsw_index(index) &&
		!RelationUsesLocalBuffers(index))
	{
		key = hnsw_cache_key(index, slot->key.nonce);
		if (hnsw_cache_same_key(&key, &slot->key))
			return index;
	}
	relation_close(index, NoLock);
	return NULL;
}

/* DROP DATABASE and its like lock it before they look who is in it. */
static bool
database_is_wanted(void)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, MyDatabaseId, 0);
	if (LockAcquire(&tag, RowExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return true;
	LockRelease(&tag, RowExclusiveLock, false);
	return false;
}

/*
 * Asks the table of locks who waits for the index. Trying for a second weak lock
 * does not tell on 17 and later: a lock is given past one who waits for us anyway.
 * LockHasWaitersRelation knows nothing of locks taken by the fast path, as ours was.
 */
static bool
others_wait(Relation index)
{
	LockData   *all = GetLockStatusData();
	LOCKTAG		tag;
	bool		found = false;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, RelationGetRelid(index));
	for (int i = 0; i < all->nelements && !found; i++)
		found = all->locks[i].waitLockMode != NoLock &&
			memcmp(&all->locks[i].locktag, &tag, sizeof(tag)) == 0;
	pfree(all->locks);
	pfree(all);
	return found || database_is_wanted();
}

typedef enum Made
{
	MADE,
	NOT_NOW,					/* others come first */
	NOT_AT_ALL
} Made;

static Made
fill_slot(HnswSharedSlot *slot, Relation index)
{
	HnswBlockPlan *plan = palloc0(sizeof(HnswBlockPlan));
	instr_time	start;
	instr_time	now;

	plan->give_way = others_wait;
	if (!hnsw_settle(index, true))
		return NOT_NOW;
	for (int tries = 0; tries < TRIES; tries++)
	{
		void	   *memory;

		INSTR_TIME_SET_CURRENT(start);
		if (!hnsw_block_plan(index, plan) || plan->map.nonce != slot->key.nonce)
			return NOT_NOW;
		memory = hnsw_shared_allocate(slot, plan->bytes);
		if (memory == NULL)
			return NOT_AT_ALL;
		if (hnsw_block_fill(plan, memory))
		{
			INSTR_TIME_SET_CURRENT(now);
			INSTR_TIME_SUBTRACT(now, start);
			hnsw_shared_publish(slot, memory, (int64) INSTR_TIME_GET_MICROSEC(now));
			return MADE;
		}
		if (plan->gave_way)
			return NOT_NOW;
	}
	return NOT_AT_ALL;
}

/* False when the process is to end. */
static bool
make_version(HnswSharedSlot *slot)
{
	Relation	index;
	Made		made = NOT_NOW;
	bool		wanted;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	pgstat_report_activity(STATE_RUNNING, "making a version of an index");
	hnsw_shared_sweep();
	index = open_index(slot);
	if (index != NULL)
	{
		made = fill_slot(slot, index);
		relation_close(index, NoLock);
	}
	if (made != MADE)
		hnsw_shared_fail(slot, made == NOT_AT_ALL);
	wanted = database_is_wanted();
	CommitTransactionCommand();
	pgstat_report_activity(STATE_IDLE, NULL);
	return !wanted;
}

static bool
try_to_make(HnswSharedSlot *slot)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool go_on = true;

	PG_TRY();
	{
		go_on = make_version(slot);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(context);
		EmitErrorReport();
		FlushErrorState();
		AbortCurrentTransaction();
		hnsw_shared_fail(slot, true);
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	return go_on;
}

static void
abandon(int code, Datum arg)
{
	hnsw_shared_abandon();
}

void
sorted_hnsw_cache_worker(Datum database)
{
	HnswSharedSlot *slot;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	if (!hnsw_shared_available())
		return;
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, 0);
	before_shmem_exit(abandon, (Datum) 0);
	while ((slot = hnsw_shared_take()) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (!try_to_make(slot))
			break;
	}
}
