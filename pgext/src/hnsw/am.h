/*
 * am.h
 *	  The callbacks of the index access method sorted_hnsw; contracts are those
 *	  of access/amapi.h.
 */
#ifndef HNSW_AM_H
#define HNSW_AM_H

#include "access/amapi.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

extern IndexBuildResult *hnsw_am_build(Relation heap, Relation index,
									   IndexInfo *info);
extern void hnsw_am_build_empty(Relation index);
extern char *hnsw_am_build_phase(int64 phase);

extern bool hnsw_am_insert(Relation index, Datum *values, bool *isnull,
						   ItemPointer tid, Relation heap,
						   IndexUniqueCheck unique, bool unchanged,
						   IndexInfo *info);

extern IndexBulkDeleteResult *hnsw_am_bulk_delete(IndexVacuumInfo *info,
												  IndexBulkDeleteResult *stats,
												  IndexBulkDeleteCallback callback,
												  void *callback_state);
extern IndexBulkDeleteResult *hnsw_am_vacuum_cleanup(IndexVacuumInfo *info,
													 IndexBulkDeleteResult *stats);

extern IndexScanDesc hnsw_am_begin_scan(Relation index, int nkeys, int norderbys);
extern void hnsw_am_rescan(IndexScanDesc scan, ScanKey keys, int nkeys,
						   ScanKey orderbys, int norderbys);
extern bool hnsw_am_get_tuple(IndexScanDesc scan, ScanDirection direction);
extern void hnsw_am_end_scan(IndexScanDesc scan);

extern void hnsw_am_cost_estimate(PlannerInfo *root, IndexPath *path,
								  double loop_count, Cost *startup_cost,
								  Cost *total_cost, Selectivity *selectivity,
								  double *correlation, double *pages);

extern bool hnsw_am_validate(Oid opclass);

/* Is the index one of ours? */
extern bool hnsw_is_hnsw_index(Relation index);

#endif							/* HNSW_AM_H */
