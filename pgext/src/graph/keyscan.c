/*
 * keyscan.c
 *	  Entities -> TIDs, through the btree led by the entity column.
 *
 * The index access method's own scan is used, so nbtree takes the predicate
 * locks that protect gaps in serializable transactions. TIDs are collected for
 * all seeds and sorted, so that each heap page is then visited once, in
 * physical order.
 *
 * A hop that wants keys only is answered from an index that covers them, where
 * the visibility map allows. As in core's index-only scans that is safe because
 * nbtree keeps its pin on the leaf page while it returns index tuples, so VACUUM
 * cannot have reused a TID before the map is asked.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/itup.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/visibilitymap.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "graph/keyscan.h"

#define ST_SORT sort_tids
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

#define FIRST_TIDS 256

void
tids_sort(uint64 *tids, size_t count)
{
	if (count > 1)
		sort_tids(tids, count);
}

/* The column of the index that holds a column of the table, or 0. */
static AttrNumber
index_column(Relation index, AttrNumber attno)
{
	for (int i = 0; i < index->rd_index->indnatts; i++)
		if (index->rd_index->indkey.values[i] == attno)
			return (AttrNumber) (i + 1);
	return 0;
}

void
keyscan_begin(KeyScan *ks, Relation rel, const FactIndexes *indexes,
			  const FactColumns *columns, Snapshot snapshot)
{
	memset(ks, 0, sizeof(*ks));
	ks->rel = rel;
	ks->snapshot = snapshot;
	ks->index = indexes->btree;
	ks->relation_key = indexes->relation_key;
	ks->relation_at = index_column(ks->index, columns->attno[FACT_RELATION]);
	ks->target_at = index_column(ks->index, columns->attno[FACT_TARGET]);
	ks->vmbuffer = InvalidBuffer;
	ks->allocated = FIRST_TIDS;
	ks->tids = (uint64 *) palloc(FIRST_TIDS * sizeof(uint64));
}

/*
 * An open index scan with this number of keys. One that returns index tuples
 * serves also where they are not wanted: a second scan would cost more.
 */
static void
prepare_scan(KeyScan *ks, int nkeys, bool keep_tuples)
{
	if (ks->scan != NULL && ks->nkeys == nkeys &&
		(ks->keeps_tuples || !keep_tuples))
		return;
	if (ks->scan != NULL)
		index_endscan(ks->scan);
	ks->scan = beginscan_index(ks->rel, ks->index, ks->snapshot, nkeys);
	ks->scan->xs_want_itup = keep_tuples;
	ks->nkeys = nkeys;
	ks->keeps_tuples = keep_tuples;
}

static void
add_tid(KeyScan *ks, ItemPointer tid)
{
	if (ks->ntids == ks->allocated)
	{
		size_t		limit = get_hash_memory_limit();

		if (ks->allocated * 2 * sizeof(uint64) > Max(limit, 65536))
			ereport(ERROR,
					(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
					 errmsg("too many rows to expand"),
					 errdetail("Pointers to more than %zu rows of a hop do not fit into \"work_mem\" times \"hash_mem_multiplier\", which is %zu kB.",
							   ks->ntids, limit / 1024),
					 errhint("Raise \"work_mem\", or narrow the search by relations or seeds.")));
		ks->allocated *= 2;
		ks->tids = (uint64 *) repalloc_huge(ks->tids,
											ks->allocated * sizeof(uint64));
	}
	ks->tids[ks->ntids++] = tid_pack(tid);
}

/* The key of the index tuple just returned. */
static void
index_key(const KeyScan *ks, int32 entity, FactKey *key)
{
	IndexTuple	itup = ks->scan->xs_itup;
	TupleDesc	desc = ks->scan->xs_itupdesc;
	bool		isnull;
	Datum		value;

	key->entity = entity;
	key->nulls = 0;
	value = index_getattr(itup, ks->relation_at, desc, &isnull);
	key->relation = isnull ? 0 : DatumGetInt16(value);
	key->nulls |= isnull ? FACT_NULL(FACT_RELATION) : 0;
	value = index_getattr(itup, ks->target_at, desc, &isnull);
	key->target = isnull ? 0 : DatumGetInt32(value);
	key->nulls |= isnull ? FACT_NULL(FACT_TARGET) : 0;
}

/* Entries of one entity, to `row` where it is given and the page allows. */
static void
search_entity(KeyScan *ks, int32 entity, KeyScanRow row, void *state)
{
	ItemPointer tid;

	while ((tid = index_getnext_tid(ks->scan, ForwardScanDirection)) != NULL)
	{
		BlockNumber block = ItemPointerGetBlockNumber(tid);
		FactKey		key;

		CHECK_FOR_INTERRUPTS();
		if (row == NULL ||
			!VM_ALL_VISIBLE(ks->rel, block, &ks->vmbuffer))
		{
			add_tid(ks, tid);
			continue;
		}
		/* No tuple is read that could carry the predicate lock. */
		PredicateLockPage(ks->rel, block, ks->snapshot);
		index_key(ks, entity, &key);
		row(state, &key);
	}
}

void
keyscan_search(KeyScan *ks, const FactHop *hop, KeyScanRow row, void *state)
{
	int			nkeys = (ks->relation_key && !hop->filter.any) ? 2 : 1;
	bool		covered = row != NULL &&
		ks->relation_at > 0 && ks->target_at > 0;
	ScanKeyData keys[2];
	size_t		n = 0;

	prepare_scan(ks, nkeys, covered);
	ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_INT4EQ, (Datum) 0);
	if (nkeys == 2)
		ScanKeyInit(&keys[1], 2, BTEqualStrategyNumber, F_INT2EQ,
					Int16GetDatum(hop->filter.relation));

	ks->ntids = 0;
	for (size_t i = 0; i < hop->nseeds; i++)
	{
		CHECK_FOR_INTERRUPTS();
		keys[0].sk_argument = Int32GetDatum(hop->seeds[i]);
		index_rescan(ks->scan, keys, nkeys, NULL, 0);
		search_entity(ks, hop->seeds[i], covered ? row : NULL, state);
	}

	/* Visiting a row twice would be wrong; being sure costs one pass. */
	tids_sort(ks->tids, ks->ntids);
	for (size_t i = 0; i < ks->ntids; i++)
		if (n == 0 || ks->tids[n - 1] != ks->tids[i])
			ks->tids[n++] = ks->tids[i];
	ks->ntids = n;
}

void
keyscan_end(KeyScan *ks)
{
	if (ks->scan != NULL)
		index_endscan(ks->scan);
	ks->scan = NULL;
	if (BufferIsValid(ks->vmbuffer))
		ReleaseBuffer(ks->vmbuffer);
}
