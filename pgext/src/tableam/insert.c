/*
 * insert.c
 *	  Place the rows of one COPY batch in key order; seal when COPY ends.
 *
 * heap_multi_insert() fills pages in the order of the array it is given and
 * stores each row's TID in its slot. So a sorted copy of the array is passed:
 * the slots themselves, and the order in which COPY then walks them (index
 * entries, triggers, line numbers in errors), stay the caller's.
 *
 * Single rows are left to heap. Every page of the table is open to every key
 * here, so no target block is better than the one heap picks; keeping to the
 * tail would only leave the space of deleted rows unused.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "executor/tuptable.h"
#include "utils/rel.h"

#include "tableam/batchsort.h"
#include "tableam/sorted_heap.h"

const TableMaps *sorted_heap_maps;

void
sorted_heap_multi_insert(Relation rel, TupleTableSlot **slots, int nslots,
						 CommandId cid, int options, BulkInsertState bistate)
{
	Oid			order_oid = InvalidOid;
	TupleTableSlot **sorted = NULL;

	if (nslots > 1)
		order_oid = sorted_heap_order_index(rel);
	if (OidIsValid(order_oid))
	{
		Relation	index = index_open(order_oid, AccessShareLock);

		sorted = batch_sorted_copy(index, slots, nslots);
		index_close(index, AccessShareLock);
	}

	heap_multi_insert(rel, sorted != NULL ? sorted : slots, nslots, cid,
					  options, bistate);
	if (sorted != NULL)
		pfree(sorted);
}

/*
 * COPY has inserted its last row, once for each partition; its index entries
 * are made. Nothing to do for CREATE TABLE AS, REFRESH and rewrites: their new
 * table has no indexes yet, and the build of one seals.
 */
void
sorted_heap_finish_bulk_insert(Relation rel, int options)
{
	sorted_heap_maps->seal_new(rel);
}
