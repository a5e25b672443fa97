/*
 * nearest.c
 *	  Rows nearest to the query by the vector index of a facts table.
 *
 * The index is asked as a scan in an order would ask it, without a planner: the
 * same checks, the caller's snapshot, the predicate lock on the index. It holds
 * no row without an embedding or of zero norm, and such rows are never ranked.
 * Rows may come a little out of order; the caller ranks them anyway.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/skey.h"
#include "access/stratnum.h"
#include "access/xlog.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "storage/sinval.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "graph/nearest.h"
#include "guc.h"

/*
 * So many nodes a search keeps for so many rows wanted. Of the farther half of
 * what a walk keeps, much is missing: with twice as many nodes as rows, every fifth
 * of 64 rows of a graph of 20,000 is not found, with three times as many, every
 * twentieth. An answer that hangs on one seed needs more of them than a list of
 * the ten nearest does.
 */
#define NODES_FOR(count) (3 * (uint64) (count) + 16)

/* The index column that conditions on the relation go to; 0 for none. */
static AttrNumber
relation_column(Relation index, const FactColumns *columns)
{
	for (int i = 1; i < index->rd_index->indnkeyatts; i++)
	{
		if (index->rd_index->indkey.values[i] == columns->attno[FACT_RELATION] &&
			index->rd_opcintype[i] == INT2OID)
			return i + 1;
	}
	return 0;
}

/* From the catalog row alone, which saves opening the others. */
static bool
index_row_serves(Oid indexid, const FactColumns *columns)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(indexid));
	Form_pg_index form;
	bool		serves;

	if (!HeapTupleIsValid(tuple))
		return false;			/* dropped since the list was read */
	form = (Form_pg_index) GETSTRUCT(tuple);
	serves = form->indisvalid &&
		form->indkey.values[0] == columns->attno[FACT_EMBEDDING];
	ReleaseSysCache(tuple);
	return serves;
}

/* The best index there is: one that knows the relation where that is asked. */
static Relation
look_for_index(Relation rel, const FactColumns *columns, const FactFilter *filter,
			   Snapshot snapshot)
{
	List	   *list = RelationGetIndexList(rel);
	Relation	chosen = NULL;
	bool		best = false;
	ListCell   *lc;

	foreach(lc, list)
	{
		Relation	index;

		if (best || !index_row_serves(lfirst_oid(lc), columns))
			continue;
		index = index_open(lfirst_oid(lc), AccessShareLock);
		if (!seedscan_serves(index, columns->attno[FACT_EMBEDDING], DIST_COSINE, snapshot) ||
			(chosen != NULL && relation_column(index, columns) == 0))
		{
			index_close(index, NoLock);
			continue;
		}
		if (chosen != NULL)
			index_close(chosen, NoLock);
		chosen = index;
		best = filter->any || relation_column(index, columns) != 0;
	}
	list_free(list);
	return chosen;
}

static void
no_index_error(Relation rel, const FactColumns *columns)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("table \"%s\" has no usable vector index on column \"%s\"",
					RelationGetRelationName(rel),
					NameStr(TupleDescAttr(columns->desc,
										  columns->attno[FACT_EMBEDDING] - 1)->attname)),
			 errhint("Create an index with access method sorted_hnsw for cosine distance, or set \"sorted_heap.graph_seeds\" to \"auto\".")));
}

Relation
nearest_index_open(Relation rel, const FactColumns *columns, const FactFilter *filter,
				   const DistQuery *query, Snapshot snapshot)
{
	Relation	index;

	if (guc_graph_seeds == GRAPH_SEED_ACCESS_EXACT)
		return NULL;

	/* As in indexes.c: the list may be from before and from after a REINDEX. */
	for (;;)
	{
		uint64		changes;

		CHECK_FOR_INTERRUPTS();
		if (RecoveryInProgress())
			AcceptInvalidationMessages();
		changes = SharedInvalidMessageCounter;
		index = look_for_index(rel, columns, filter, snapshot);
		if (index != NULL || guc_graph_seeds == GRAPH_SEED_ACCESS_AUTO)
			break;
		AcceptInvalidationMessages();
		if (changes == SharedInvalidMessageCounter)
			no_index_error(rel, columns);
	}
	if (index != NULL &&
		(seedscan_dim(index) != query->n || isnan(dist_query_f32(query, query->query))))
	{
		index_close(index, NoLock);
		index = NULL;
	}
	return index;
}

void
nearest_begin(NearestScan *nearest, Relation rel, Relation index,
			  const FactColumns *columns, const FactFilter *filter,
			  const DistQuery *query, Snapshot snapshot, uint32 count)
{
	AttrNumber	column = filter->any ? 0 : relation_column(index, columns);
	ScanKeyData key = {0};

	if (column != 0)
		ScanKeyInit(&key, column, BTEqualStrategyNumber, F_INT2EQ,
					Int16GetDatum(filter->relation));
	nearest->index = index;
	nearest->by_index = column != 0;
	nearest->scan = seedscan_begin(rel, index, snapshot);
	seedscan_start(nearest->scan, query->query, &key, column != 0 ? 1 : 0,
				   (uint32) Min(Max(NODES_FOR(count), (uint64) guc_hnsw_ef_search), PG_UINT32_MAX / 4),
				   count);
}

void
nearest_search(const NearestScan *nearest, FactSearch *search)
{
	const SeedScanStats *stats = seedscan_stats(nearest->scan);

	search->name = seedscan_source_name(stats);
	search->compared = stats->evaluated;
	search->rows = stats->fetched;
	search->ms = stats->search_ms;
}

#define FIRST_ROWS 64

void
nearest_bound_init(NearestBound *bound, uint32 count)
{
	uint32		room = Min(count, FIRST_ROWS);

	bound->count = count;
	bound->passed = 0;
	topk_init(&bound->heap, (TopkItem *) palloc(room * sizeof(TopkItem)), room);
}

void
nearest_bound_saw(NearestBound *bound, const FactRow *row)
{
	Topk	   *heap = &bound->heap;
	TopkItem	item = {.dist = row->distance};

	bound->passed++;
	if (!row->ranked)
		return;
	if (heap->count == heap->capacity && heap->capacity < bound->count)
	{
		heap->capacity = (uint32) Min((uint64) heap->capacity * 2, bound->count);
		heap->items = (TopkItem *)
			repalloc_huge(heap->items, (Size) heap->capacity * sizeof(TopkItem));
	}
	topk_push(heap, &item);
}

void
nearest_end(NearestScan *nearest)
{
	seedscan_end(nearest->scan);
	index_close(nearest->index, NoLock);
}
