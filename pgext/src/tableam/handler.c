/*
 * handler.c
 *	  The table access method sorted_heap: heap's routine, with overrides.
 *
 * Rows are heap tuples on heap pages. Whatever is not listed in
 * sorted_heap_routine() is heap's own function, so visibility, HOT, TOAST,
 * vacuum, WAL and logical decoding are heap's as well. A table can therefore
 * change to heap and back by ALTER TABLE ... SET ACCESS METHOD, and a server
 * that recovers or replicates it needs nothing of this library.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "catalog/pg_am.h"
#include "fmgr.h"

#include "tableam/sorted_heap.h"

static Oid	toast_am(Relation rel);

PG_FUNCTION_INFO_V1(sorted_heap_tableam_handler);

Datum
sorted_heap_tableam_handler(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(sorted_heap_routine());
}

const TableAmRoutine *
sorted_heap_routine(void)
{
	static TableAmRoutine routine;

	if (routine.type == T_TableAmRoutine)
		return &routine;

	routine = *GetHeapamTableAmRoutine();

	/*
	 * Heap's build and validation scans read through heap_getnext(), which
	 * refuses every access method but heap.
	 */
	routine.index_build_range_scan = sorted_heap_index_build_range_scan;
	routine.index_validate_scan = sorted_heap_index_validate_scan;

	/*
	 * Heap answers with the access method of the table itself. TOAST tables
	 * have an order of their own (value, chunk) and gain nothing from ours.
	 */
	routine.relation_toast_am = toast_am;

	/* Rows that arrive together are placed in key order. */
	routine.multi_insert = sorted_heap_multi_insert;

	/* A zone map is good for lookups at once, not from the next VACUUM on. */
	routine.finish_bulk_insert = sorted_heap_finish_bulk_insert;

	/* VACUUM FULL and CLUSTER must not lose the order. */
	routine.relation_copy_for_cluster = sorted_heap_copy_for_cluster;

	return &routine;
}

static Oid
toast_am(Relation rel)
{
	return HEAP_TABLE_AM_OID;
}
