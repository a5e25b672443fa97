/*
 * rewrite.c
 *	  VACUUM FULL, CLUSTER and compact leave the table in primary key order.
 *
 * Heap's own rewrite does the work (dead and recently dead versions, update
 * chains, freezing, TOAST, logical rewrite mappings); it is only told which
 * index to sort by. The rows are always read from the table and sorted, never
 * fetched through the index: a damaged index must not lose rows.
 *
 * Locks: the caller holds AccessExclusiveLock on the table. The index is
 * locked in the same mode, as core does, because it is rebuilt next.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "utils/rel.h"

#include "tableam/sorted_heap.h"

/*
 * requested_index is CLUSTER's, or NULL for VACUUM FULL. The table has one
 * order only, so another index than the primary key's is overruled, with a
 * notice. Without a primary key this is heap's behaviour.
 */
void
sorted_heap_copy_for_cluster(Relation old_rel, Relation new_rel,
							 Relation requested_index, bool use_sort,
							 TransactionId oldest_xmin,
							 TransactionId *xid_cutoff,
							 MultiXactId *multi_cutoff,
							 double *num_tuples, double *tups_vacuumed,
							 double *tups_recently_dead)
{
	Oid			order_oid = sorted_heap_order_index(old_rel);
	Relation	order_index = requested_index;

	if (OidIsValid(order_oid))
	{
		order_index = index_open(order_oid, AccessExclusiveLock);
		use_sort = true;
		if (requested_index != NULL &&
			RelationGetRelid(requested_index) != order_oid)
			ereport(NOTICE,
					(errmsg("table \"%s\" is sorted by its primary key, not by index \"%s\"",
							RelationGetRelationName(old_rel),
							RelationGetRelationName(requested_index))));
	}

	GetHeapamTableAmRoutine()->relation_copy_for_cluster(old_rel, new_rel,
														 order_index, use_sort,
														 oldest_xmin,
														 xid_cutoff,
														 multi_cutoff,
														 num_tuples,
														 tups_vacuumed,
														 tups_recently_dead);

	if (OidIsValid(order_oid))
		index_close(order_index, NoLock);
}
