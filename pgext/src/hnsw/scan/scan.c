/*
 * scan.c
 *	  amgettuple: a seed scan behind the executor's interface.
 *
 * Rows come in the order of the operator's own distances, so the executor need
 * not sort them again; it fetches each a second time, by then from the cache.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "guc.h"
#include "hnsw/am.h"
#include "hnsw/scan/scan.h"
#include "hnsw/value.h"

typedef struct HnswScan
{
	SeedScan   *seeds;			/* NULL until the first row is asked for */
	bool		started;
	MemoryContext context;		/* of the seed scan */
	MemoryContext query_context;	/* of what a start reads */
} HnswScan;

IndexScanDesc
hnsw_am_begin_scan(Relation index, int nkeys, int norderbys)
{
	IndexScanDesc scan = RelationGetIndexScan(index, nkeys, norderbys);
	HnswScan   *state = palloc0(sizeof(HnswScan));

	state->context = CurrentMemoryContext;
	state->query_context = AllocSetContextCreate(state->context, "sorted_hnsw query",
												 ALLOCSET_SMALL_SIZES);
	scan->opaque = state;
	if (norderbys > 0)
	{
		/* The executor reads them where rows must be sorted again: never. */
		scan->xs_orderbyvals = palloc0(sizeof(Datum) * norderbys);
		scan->xs_orderbynulls = palloc(sizeof(bool) * norderbys);
		memset(scan->xs_orderbynulls, true, sizeof(bool) * norderbys);
	}
	return scan;
}

void
hnsw_am_rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys, int norderbys)
{
	HnswScan   *state = scan->opaque;

	if (keys != NULL && scan->numberOfKeys > 0)
		memmove(scan->keyData, keys, scan->numberOfKeys * sizeof(ScanKeyData));
	if (orderbys != NULL && scan->numberOfOrderBys > 0)
		memmove(scan->orderByData, orderbys, scan->numberOfOrderBys * sizeof(ScanKeyData));
	state->started = false;
}

static void
start(IndexScanDesc scan)
{
	HnswScan   *state = scan->opaque;
	MemoryContext caller;
	ScanKey		orderby;
	const float *query = NULL;
	float	   *room;

	/* Without an order all rows are wanted, and NULL vectors are not here. */
	if (scan->numberOfOrderBys != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot scan index \"%s\" without an order by distance",
						RelationGetRelationName(scan->indexRelation))));
	orderby = &scan->orderByData[0];

	caller = MemoryContextSwitchTo(state->context);
	if (state->seeds == NULL)
	{
		state->seeds = seedscan_begin(scan->heapRelation, scan->indexRelation,
									  scan->xs_snapshot);
		if (guc_hnsw_iterative_scan == HNSW_ITERATIVE_OFF)
			seedscan_walk_once(state->seeds);
	}
	/* A value from a tuple is copied to be read: rescans must not add up. */
	MemoryContextReset(state->query_context);
	MemoryContextSwitchTo(state->query_context);
	room = palloc(seedscan_shape(state->seeds)->form.dim * sizeof(float));
	if ((orderby->sk_flags & SK_ISNULL) == 0)
		query = hnsw_value_floats(seedscan_shape(state->seeds), orderby->sk_argument, room);
	seedscan_start(state->seeds, query, scan->keyData, scan->numberOfKeys,
				   guc_hnsw_ef_search, guc_hnsw_ef_search);
	MemoryContextSwitchTo(caller);

	count_index_search(scan);
	state->started = true;
}

bool
hnsw_am_get_tuple(IndexScanDesc scan, ScanDirection direction)
{
	HnswScan   *state = scan->opaque;
	SeedRow		row;

	Assert(ScanDirectionIsForward(direction));
	if (!state->started)
		start(scan);
	if (!seedscan_next(state->seeds, guc_hnsw_iterative_scan != HNSW_ITERATIVE_RELAXED, &row))
		return false;
	scan->xs_heaptid = row.tid;
	scan->xs_recheck = seedscan_recheck(state->seeds);
	scan->xs_recheckorderby = false;
	return true;
}

const SeedScanStats *
hnsw_scan_stats(IndexScanDesc scan)
{
	HnswScan   *state = scan->opaque;

	return state->seeds != NULL ? seedscan_stats(state->seeds) : NULL;
}

void
hnsw_am_end_scan(IndexScanDesc scan)
{
	HnswScan   *state = scan->opaque;

	if (state->seeds != NULL)
		seedscan_end(state->seeds);
	MemoryContextDelete(state->query_context);
	pfree(state);
}
