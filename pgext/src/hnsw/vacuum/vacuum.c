/*
 * vacuum.c
 *	  VACUUM: rows that are dead leave the index, and their slots become free.
 *
 * Order, and what each step relies on:
 *	 1. Mark (vacuum/mark.c). From then on no insert that starts links to a dying
 *		node.
 *	 2. Barrier for inserts: those that may have chosen a dying node before it was
 *		marked have written their links. Repair (vacuum/repair.c): entry and all
 *		lists lead elsewhere. Then see that all can be reached that live
 *		(vacuum/reach.c); among them nodes of inserts that have ended between
 *		the marks and the barrier, with neighbours that are all dying.
 *	 3. Barrier for inserts and walks: nobody holds a number of a dying node any
 *		more. Free the slots (vacuum/free.c).
 *	 4. Barrier for inserts: those that read the list of pages with free slots
 *		before it got new ones have filled theirs. From then on rows come to
 *		pages in the order of the list, which copies of the index rely on
 *		(cache/delta.h); none is made before.
 * Cancelled or crashed in between, it leaves DYING nodes, which walks pass, and,
 * among and after repairs, nodes that live and that no link leads to. The
 * metapage says so from before the first mark until the last slot is free; as
 * long as it does, the next VACUUM goes on where this one ended, whether it has
 * rows to remove or not (hnsw_am_vacuum_cleanup), and scans that come to the end
 * of all links look through the pages (seedscan.c).
 *
 * Repair and inserts change lists at the same time: both write a list only as
 * they have read it. VACUUM may take away what an insert relies on as another
 * way (links.h); that is why it looks at what can be reached after all repairs.
 *
 * The counter `vacuums` is raised before ambulkdelete returns. `repairs` is odd
 * while slots are marked, and again while they are freed: then rows move from
 * twins to heads, and slots may be used again, which who keeps copies of slots
 * must know. When VACUUM is broken off there it stays odd until somebody else sees
 * that (vacuum/settle.c) or the next VACUUM ends.
 */
#include "postgres.h"

#include "commands/vacuum.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "compat.h"
#include "corehost.h"
#include "hnsw/am.h"
#include "hnsw/locks.h"
#include "hnsw/vacuum/vacuum.h"
#include "status.h"

static bool
nap(void *state)
{
	vacuum_pause();
	return false;
}

static HnswVacuum *
start_vacuum(IndexVacuumInfo *info)
{
	HnswVacuum *vacuum = palloc0(sizeof(HnswVacuum));
	uint32		nnodes;

	vacuum->index = info->index;
	vacuum->strategy = info->strategy;
	hnsw_map_read(info->index, &vacuum->map);
	vacuum->resumed = vacuum->map.unfinished;
	nnodes = hnsw_map_nodes(&vacuum->map);
	vacuum->dead = hnsw_bits_make(nnodes);
	vacuum->dying = hnsw_bits_make(nnodes);
	vacuum->heads = hnsw_bits_make(nnodes);
	return vacuum;
}

/* For steps that compute distances. */
static void
start_linking(HnswVacuum *vacuum)
{
	vacuum->store = hnsw_store_make(vacuum->index, &vacuum->map);
	core_check(hnsw_placer_init(&vacuum->placer, hnsw_shape_params(&vacuum->map.shape),
								core_alloc_in(CurrentMemoryContext), nap, NULL));
	vacuum->linker.index = vacuum->index;
	vacuum->linker.map = &vacuum->map;
	vacuum->linker.placer = &vacuum->placer;
	vacuum->linker.store = hnsw_store_of(vacuum->store);
}

/*
 * Rows and states of slots will change, or have changed: odd or even. Others than
 * VACUUM do not do that to a slot in use.
 */
static void
turn_counter(HnswMeta *meta, bool changing)
{
	bool		odd = (meta->repairs & 1) != 0;

	meta->repairs += odd == changing ? 2 : 1;
}

static void
announce(HnswVacuum *vacuum, bool changing)
{
	Buffer		buffer = hnsw_meta_read(vacuum->index, BUFFER_LOCK_EXCLUSIVE);
	GenericXLogState *wal = GenericXLogStart(vacuum->index);

	turn_counter(hnsw_page_meta(GenericXLogRegisterBuffer(wal, buffer, 0)), changing);
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
}

/* The metapage says that slots are marked: before the first is. */
static void
begin_changes(HnswVacuum *vacuum)
{
	Buffer		buffer = hnsw_meta_read(vacuum->index, BUFFER_LOCK_EXCLUSIVE);
	GenericXLogState *wal = GenericXLogStart(vacuum->index);
	HnswMeta   *meta = hnsw_page_meta(GenericXLogRegisterBuffer(wal, buffer, 0));

	meta->unfinished = true;
	turn_counter(meta, true);
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
}

/* No slot is marked any more, and links lead to all that live. */
static void
end_changes(HnswVacuum *vacuum)
{
	Buffer		buffer = hnsw_meta_read(vacuum->index, BUFFER_LOCK_EXCLUSIVE);
	GenericXLogState *wal = GenericXLogStart(vacuum->index);
	HnswMeta   *meta = hnsw_page_meta(GenericXLogRegisterBuffer(wal, buffer, 0));

	meta->unfinished = false;
	meta->vacuums++;
	turn_counter(meta, false);
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
}

static void
remove_rows(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
			IndexBulkDeleteCallback callback, void *callback_state)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "sorted_hnsw vacuum",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	HnswVacuum *vacuum = start_vacuum(info);

	if (hnsw_vacuum_find_dead(vacuum, callback, callback_state) || vacuum->resumed)
	{
		begin_changes(vacuum);
		hnsw_vacuum_mark(vacuum);
		announce(vacuum, false);
		hnsw_vacuum_find_orphans(vacuum);
		hnsw_barrier(info->index, HNSW_INSERTS_LOCK);
		start_linking(vacuum);
		hnsw_vacuum_repair(vacuum);
		hnsw_vacuum_reach(vacuum);
		hnsw_store_forget(vacuum->store);
		hnsw_barrier(info->index, HNSW_INSERTS_LOCK);
		hnsw_barrier(info->index, HNSW_WALKS_LOCK);
		announce(vacuum, true);
		hnsw_vacuum_free(vacuum);
		hnsw_barrier(info->index, HNSW_INSERTS_LOCK);
		end_changes(vacuum);
	}
	stats->tuples_removed += vacuum->removed;
	stats->num_index_tuples = vacuum->remaining;
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

IndexBulkDeleteResult *
hnsw_am_bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
					IndexBulkDeleteCallback callback, void *callback_state)
{
	if (stats == NULL)
		stats = palloc0(sizeof(IndexBulkDeleteResult));
	remove_rows(info, stats, callback, callback_state);
	return stats;
}

static bool
nothing_is_dead(ItemPointer tid, void *state)
{
	return false;
}

static bool
is_unfinished(Relation index)
{
	Buffer		buffer = hnsw_meta_read(index, BUFFER_LOCK_SHARE);
	bool		unfinished = hnsw_page_meta(BufferGetPage(buffer))->unfinished;

	UnlockReleaseBuffer(buffer);
	return unfinished;
}

IndexBulkDeleteResult *
hnsw_am_vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (info->analyze_only)
		return stats;
	if (stats == NULL)
	{
		stats = palloc0(sizeof(IndexBulkDeleteResult));
		if (is_unfinished(info->index))
			remove_rows(info, stats, nothing_is_dead, NULL);
		else
		{
			/*
			 * Rows without a vector and those of other partitions of a
			 * partial index are counted here, too: an estimate.
			 */
			stats->num_index_tuples = Max(info->num_heap_tuples, 0);
			stats->estimated_count = true;
		}
	}
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	return stats;
}
