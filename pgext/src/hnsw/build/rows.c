/*
 * rows.c
 *	  Reading the table: rows as records, twins apart.
 *
 * Memory is what maintenance_work_mem allows for all of a build: records and
 * what belongs to them, the table of records, and the arrays of the graph that
 * will be built from them. When that is used up, all else is of a file (memory.c).
 */
#include "postgres.h"

#include "access/tableam.h"
#include "commands/progress.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "hnsw/build/build.h"
#include "hnsw/columns.h"
#include "hnsw/value.h"
#include "status.h"

#define CHUNK_BYTES (256 * 1024)
#define FIRST_TABLE 1024

/* The table has at most 2^31 places, twice as many as there are nodes. */
#define MAX_ROWS (HNSW_MAX_NODES / 4)

/* Nodes by which the memory of a graph is estimated. */
#define SAMPLE_NODES 65536

void
build_list_init(BuildList *list, BuildMemory *memory, Size item_bytes)
{
	memset(list, 0, sizeof(*list));
	list->context = CurrentMemoryContext;
	list->memory = memory;
	list->item_bytes = item_bytes;
	list->per_chunk = Max(CHUNK_BYTES / item_bytes, 1);
}

void *
build_list_append(BuildList *list)
{
	if (list->count == (uint64) list->nchunks * list->per_chunk)
	{
		if (list->nchunks == list->room)
		{
			list->room = Max(2 * list->room, 64);
			list->chunks = list->chunks == NULL
				? MemoryContextAllocHuge(list->context, list->room * sizeof(char *))
				: repalloc_huge(list->chunks, list->room * sizeof(char *));
		}
		list->chunks[list->nchunks++] =
			build_memory_get(list->memory, list->per_chunk * list->item_bytes);
	}
	return build_list_item(list, list->count++);
}

void
build_list_move(BuildList *list, char *to)
{
	for (uint32 chunk = 0; chunk < list->nchunks; chunk++)
	{
		uint32		items = Min(list->count - chunk * list->per_chunk, list->per_chunk);

		CHECK_FOR_INTERRUPTS();
		memcpy(to, list->chunks[chunk], items * list->item_bytes);
		to += items * list->item_bytes;
		build_memory_release(list->memory, list->chunks[chunk]);
	}
	list->count = list->nchunks = 0;
}

static void
table_fill(BuildRows *rows, uint32 places)
{
	if (rows->table != NULL)
		build_memory_release(rows->memory, rows->table);
	rows->table = build_memory_get(rows->memory, places * sizeof(uint32));
	memset(rows->table, 0xFF, places * sizeof(uint32));
	rows->mask = places - 1;
	for (uint32 node = 0; node < rows->records.count; node++)
	{
		uint32		at = hash_bytes(build_list_item(&rows->records, node),
									rows->shape->record_bytes) & rows->mask;

		CHECK_FOR_INTERRUPTS();
		while (rows->table[at] != HNSW_NO_NODE)
			at = (at + 1) & rows->mask;
		rows->table[at] = node;
	}
}

/* The place of the record's node in the table, or where it would be. */
static uint32 *
table_find(const BuildRows *rows, const void *record)
{
	uint32		at = hash_bytes(record, rows->shape->record_bytes) & rows->mask;

	while (rows->table[at] != HNSW_NO_NODE &&
		   memcmp(build_list_item(&rows->records, rows->table[at]), record,
				  rows->shape->record_bytes) != 0)
		at = (at + 1) & rows->mask;
	return &rows->table[at];
}

static BuildRow *
append_row(BuildRows *rows, BuildList *list, ItemPointer tid, const Datum *values,
		   const bool *isnull, const float *floats)
{
	BuildRow   *row = build_list_append(list);

	row->tid = *tid;
	row->nulls = 0;
	row->twin = HNSW_NO_NODE;
	row->head = HNSW_NO_NODE;
	if (rows->shape->ncolumns > 0)
		hnsw_columns_write(rows->shape, values, isnull, build_row_columns(row), &row->nulls);
	if (rows->shape->refine == HNSW_REFINE_F16)
		hnsw_value_halves(rows->shape, floats, build_row_halves(rows, row));
	return row;
}

static void
add_twin(BuildRows *rows, uint32 head, ItemPointer tid, const Datum *values,
		 const bool *isnull, const float *floats)
{
	BuildRow   *first = build_list_item(&rows->nodes, head);
	BuildRow   *row = append_row(rows, &rows->twins, tid, values, isnull, floats);

	row->head = head;
	row->twin = first->twin;
	first->twin = rows->twins.count - 1;
}

static void
add_node(BuildRows *rows, uint32 *place, ItemPointer tid, const Datum *values,
		 const bool *isnull, const float *floats)
{
	memcpy(build_list_append(&rows->records), rows->record, rows->shape->record_bytes);
	append_row(rows, &rows->nodes, tid, values, isnull, floats);
	*place = rows->nodes.count - 1;
	if (rows->nodes.count > rows->mask / 2)
		table_fill(rows, 2 * (rows->mask + 1));
}

Size
build_rows_needed(const BuildRows *rows)
{
	return rows->nodes.count * rows->node_cost + rows->twins.count * rows->twin_cost;
}

/* Room for one row more, which takes so much. */
static void
reserve_row(BuildRows *rows, Size cost)
{
	if (build_rows_count(rows) >= MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("cannot build index \"%s\" with more than %u rows",
						RelationGetRelationName(rows->index), MAX_ROWS)));
	if (build_memory_on_file(rows->memory) ||
		build_rows_needed(rows) + cost <= rows->budget)
		return;
	rows->within = build_rows_count(rows);
	build_memory_use_file(rows->memory);
}

static void
add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool alive,
		void *state)
{
	BuildRows  *rows = state;
	MemoryContext caller;
	const float *floats;

	if (isnull[0])
		return;
	caller = MemoryContextSwitchTo(rows->row_context);
	floats = hnsw_value_floats(rows->shape, values[0], rows->room);
	if (hnsw_form_encode(&rows->shape->form, floats, rows->record))
	{
		uint32	   *place = table_find(rows, rows->record);
		bool		is_node = *place == HNSW_NO_NODE;

		reserve_row(rows, is_node ? rows->node_cost : rows->twin_cost);
		if (is_node)
			add_node(rows, place, tid, values, isnull, floats);
		else
			add_twin(rows, *place, tid, values, isnull, floats);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(rows->row_context);
}

static void
set_costs(BuildRows *rows)
{
	const HnswShape *shape = rows->shape;
	Size		row_bytes = rows->nodes.item_bytes;
	size_t		sample;

	/* Of any seed, so that the same table gives the same budget. */
	core_check(hnsw_arrays_bytes(SAMPLE_NODES, shape->m, 0, &sample));

	/* Up to four places in the table, and two arrays to order nodes. */
	rows->node_cost = shape->record_bytes + row_bytes + sample / SAMPLE_NODES + 1 +
		6 * sizeof(uint32);
	rows->twin_cost = row_bytes;
	rows->budget = (Size) maintenance_work_mem * 1024;
}

double
build_rows_gather(BuildRows *rows, const HnswShape *shape, uint64 seed,
				  Relation heap, Relation index, IndexInfo *info)
{
	Size		row_bytes;
	double		heap_rows;

	memset(rows, 0, sizeof(*rows));
	rows->shape = shape;
	rows->seed = seed;
	rows->index = index;
	rows->memory = build_memory_make(CurrentMemoryContext);
	rows->columns_bytes = shape->record_at - shape->columns_at;
	row_bytes = sizeof(BuildRow) + rows->columns_bytes;
	if (shape->refine == HNSW_REFINE_F16)
		row_bytes += shape->refine_bytes;
	row_bytes = TYPEALIGN(sizeof(uint32), row_bytes);
	build_list_init(&rows->records, rows->memory, shape->record_bytes);
	build_list_init(&rows->nodes, rows->memory, row_bytes);
	build_list_init(&rows->twins, rows->memory, row_bytes);
	set_costs(rows);
	table_fill(rows, FIRST_TABLE);
	rows->row_context = AllocSetContextCreate(CurrentMemoryContext, "sorted_hnsw build row",
											  ALLOCSET_DEFAULT_SIZES);
	rows->room = palloc(shape->form.dim * sizeof(float));
	rows->record = palloc(shape->record_bytes);

	heap_rows = table_index_build_scan(heap, index, info, true, true, add_row, rows, NULL);
	build_memory_release(rows->memory, rows->table);
	rows->table = NULL;
	MemoryContextDelete(rows->row_context);
	return heap_rows;
}
