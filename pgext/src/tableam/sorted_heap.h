/*
 * sorted_heap.h
 *	  What the files of the table access method share.
 */
#ifndef SORTED_HEAP_H
#define SORTED_HEAP_H

#include "access/tableam.h"
#include "catalog/index.h"
#include "nodes/execnodes.h"

#include "tablemaps.h"

/* The routine of the access method: one per backend, never freed. */
extern const TableAmRoutine *sorted_heap_routine(void);

/*
 * The index that gives a table its physical order: its valid btree primary
 * key, or InvalidOid. The caller holds some lock on the table.
 */
extern Oid	sorted_heap_order_index(Relation rel);

/*
 * Rewrite a table in the order of its primary key and close it. The caller
 * holds AccessExclusiveLock, which stays.
 */
extern void sorted_heap_rewrite_and_close(Relation rel);

/* The zone maps' side of the table, set when the library is loaded. */
extern const TableMaps *sorted_heap_maps;

/* Overrides; contracts are those of access/tableam.h. */
extern void sorted_heap_multi_insert(Relation rel, TupleTableSlot **slots,
									 int nslots, CommandId cid, int options,
									 struct BulkInsertStateData *bistate);

extern void sorted_heap_finish_bulk_insert(Relation rel, int options);

extern void sorted_heap_copy_for_cluster(Relation old_rel, Relation new_rel,
										 Relation requested_index,
										 bool use_sort,
										 TransactionId oldest_xmin,
										 TransactionId *xid_cutoff,
										 MultiXactId *multi_cutoff,
										 double *num_tuples,
										 double *tups_vacuumed,
										 double *tups_recently_dead);

extern double sorted_heap_index_build_range_scan(Relation rel, Relation index,
												 IndexInfo *index_info,
												 bool allow_sync,
												 bool anyvisible,
												 bool progress,
												 BlockNumber start_blockno,
												 BlockNumber numblocks,
												 IndexBuildCallback callback,
												 void *callback_state,
												 TableScanDesc scan);

extern void sorted_heap_index_validate_scan(Relation rel, Relation index,
											IndexInfo *index_info,
											Snapshot snapshot,
											ValidateIndexState *state);

#endif							/* SORTED_HEAP_H */
