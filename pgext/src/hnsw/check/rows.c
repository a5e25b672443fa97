/*
 * rows.c
 *	  Every row that belongs into the index is there, once, and as it is.
 *
 * Two sorts within maintenance_work_mem, of what the index has and of what the
 * table has: a row is its TID and some bits of a hash of what a node keeps of it.
 * The snapshot is older than the look at the index; a row that it sees was
 * inserted there before, and nobody removes rows meanwhile (check.c).
 */
#include "postgres.h"

#include "access/tableam.h"
#include "catalog/index.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "hnsw/check/check.h"
#include "hnsw/columns.h"
#include "hnsw/value.h"

#define HASH_BITS 15

typedef struct RowCheck
{
	HnswIndexCheck *check;
	Tuplesortstate *sort;
	MemoryContext row_context;
} RowCheck;

static Tuplesortstate *
begin_sort(void)
{
	return tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false,
								 Max(maintenance_work_mem / 2, 64), NULL, TUPLESORT_NONE);
}

/* TID above, hash below; not negative, so that TIDs sort in their order. */
static Datum
row_key(const HnswShape *shape, ItemPointer tid, uint8 nulls, const char *columns,
		const void *record)
{
	uint32		hash = hash_bytes(record, shape->record_bytes);
	uint64		place = (uint64) ItemPointerGetBlockNumberNoCheck(tid) << 16 |
		ItemPointerGetOffsetNumberNoCheck(tid);

	hash = hash_combine(hash, hash_bytes((const unsigned char *) columns,
										 shape->record_at - shape->columns_at));
	hash = hash_combine(hash, nulls);
	return Int64GetDatum((int64) (place << HASH_BITS | (hash & ((1 << HASH_BITS) - 1))));
}

static void
add_index_rows(HnswIndexCheck *check, Tuplesortstate *sort)
{
	const HnswShape *shape = &check->map.shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];

	/*
	 * Later pages have only rows that the snapshot does not see, or such of
	 * inserts that ended after the map was read.
	 */
	hnsw_map_read(check->index, &check->map);
	for (uint32 page = 0; page < check->map.npages[HNSW_SPACE_NODES]; page++)
	{
		uint32		slot;
		Buffer		buffer = hnsw_check_slot(check, HNSW_SPACE_NODES, page * per_page, &slot);
		PGAlignedBlock copy;

		if (!BufferIsValid(buffer))
			continue;
		memcpy(copy.data, BufferGetPage(buffer), BLCKSZ);
		UnlockReleaseBuffer(buffer);
		for (slot = 0; slot < per_page; slot++)
		{
			HnswNode   *node = hnsw_page_node(shape, (Page) copy.data, slot);
			HnswNodeState state = hnsw_node_state(node);

			if (state == HNSW_NODE_LIVE || state == HNSW_NODE_TWIN)
				tuplesort_putdatum(sort,
								   row_key(shape, &node->tid, node->nulls,
										   hnsw_node_columns(shape, node),
										   hnsw_node_record(shape, node)),
								   false);
		}
	}
}

/* IndexBuildCallback */
static void
add_table_row(Relation index, ItemPointer tid, Datum *values, bool *isnull,
			  bool alive, void *arg)
{
	RowCheck   *rows = arg;
	const HnswShape *shape = &rows->check->map.shape;
	MemoryContext caller;
	const float *floats;
	void	   *record;
	char	   *columns;
	uint8		nulls;

	if (isnull[0])
		return;
	caller = MemoryContextSwitchTo(rows->row_context);
	MemoryContextReset(rows->row_context);
	record = palloc0(shape->record_bytes);
	columns = palloc0(shape->record_at - shape->columns_at + 1);
	floats = hnsw_value_floats(shape, values[0], palloc(shape->form.dim * sizeof(float)));
	if (hnsw_form_encode(&shape->form, floats, record))
	{
		Datum		key;

		hnsw_columns_write(shape, values, isnull, columns, &nulls);
		key = row_key(shape, tid, nulls, columns, record);
		MemoryContextSwitchTo(caller);
		tuplesort_putdatum(rows->sort, key, false);
	}
	MemoryContextSwitchTo(caller);
}

static void
add_table_rows(HnswIndexCheck *check, Tuplesortstate *sort)
{
	IndexInfo  *info = BuildIndexInfo(check->index);
	RowCheck	rows = {check, sort};
	TableScanDesc scan = table_beginscan_strat(check->heap, check->snapshot, 0, NULL, true, false);

	/* Under the snapshot, not of everything. */
	info->ii_Concurrent = true;
	info->ii_Unique = false;
	info->ii_ExclusionOps = NULL;
	info->ii_ExclusionProcs = NULL;
	info->ii_ExclusionStrats = NULL;
	rows.row_context = AllocSetContextCreate(CurrentMemoryContext, "sorted_hnsw check row",
											 ALLOCSET_DEFAULT_SIZES);
	table_index_build_scan(check->heap, check->index, info, false, false, add_table_row, &rows,
						   scan);
	MemoryContextDelete(rows.row_context);
}

static bool
next_key(Tuplesortstate *sort, int64 *key)
{
	Datum		value;
	bool		isnull;

	if (!tuplesort_next_datum(sort, &value, &isnull))
		return false;
	*key = DatumGetInt64(value);
	return true;
}

static int64
place_of(int64 key)
{
	return key >> HASH_BITS;
}

static uint32
block_of(int64 key)
{
	return (uint32) (place_of(key) >> 16);
}

static uint32
offset_of(int64 key)
{
	return (uint32) (place_of(key) & 0xFFFF);
}

/* Both in order: what the table has must be in the index, once. */
static void
compare_rows(HnswIndexCheck *check, Tuplesortstate *index_sort, Tuplesortstate *table_sort)
{
	int64		indexed;
	int64		row;
	int64		last = -1;
	bool		more = next_key(index_sort, &indexed);

	while (next_key(table_sort, &row))
	{
		CHECK_FOR_INTERRUPTS();
		for (; more && place_of(indexed) < place_of(row); more = next_key(index_sort, &indexed))
		{
			if (last >= 0 && place_of(last) == place_of(indexed))
				hnsw_check_fault(check, InvalidBlockNumber, "row (%u,%u) is in the index twice",
								 block_of(indexed), offset_of(indexed));
			last = indexed;
		}
		if (!more || place_of(indexed) != place_of(row))
			hnsw_check_fault(check, InvalidBlockNumber, "row (%u,%u) is not in the index",
							 block_of(row), offset_of(row));
		else if (indexed != row)
			hnsw_check_fault(check, InvalidBlockNumber,
							 "row (%u,%u) is not what its node in the index says",
							 block_of(row), offset_of(row));
	}
	for (; more; more = next_key(index_sort, &indexed))
	{
		if (last >= 0 && place_of(last) == place_of(indexed))
			hnsw_check_fault(check, InvalidBlockNumber, "row (%u,%u) is in the index twice",
							 block_of(indexed), offset_of(indexed));
		last = indexed;
	}
}

void
hnsw_check_rows(HnswIndexCheck *check)
{
	Tuplesortstate *index_sort = begin_sort();
	Tuplesortstate *table_sort = begin_sort();

	add_index_rows(check, index_sort);
	add_table_rows(check, table_sort);
	tuplesort_performsort(index_sort);
	tuplesort_performsort(table_sort);
	compare_rows(check, index_sort, table_sort);
	tuplesort_end(index_sort);
	tuplesort_end(table_sort);
}
