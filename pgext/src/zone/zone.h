/*
 * zone.h
 *	  The callbacks of the index access method sorted_zone; contracts are those
 *	  of access/amapi.h.
 */
#ifndef ZONE_H
#define ZONE_H

#include "access/amapi.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

#include "tablemaps.h"

extern IndexBuildResult *zone_build(Relation heap, Relation index,
									IndexInfo *info);
extern void zone_build_empty(Relation index);

extern bool zone_insert(Relation index, Datum *values, bool *isnull,
						ItemPointer tid, Relation heap,
						IndexUniqueCheck unique, bool unchanged,
						IndexInfo *info);
extern void zone_insert_cleanup(Relation index, IndexInfo *info);

extern IndexBulkDeleteResult *zone_bulk_delete(IndexVacuumInfo *info,
											   IndexBulkDeleteResult *stats,
											   IndexBulkDeleteCallback callback,
											   void *callback_state);
extern IndexBulkDeleteResult *zone_vacuum_cleanup(IndexVacuumInfo *info,
												  IndexBulkDeleteResult *stats);

extern IndexScanDesc zone_begin_scan(Relation index, int nkeys, int norderbys);
extern void zone_rescan(IndexScanDesc scan, ScanKey keys, int nkeys,
						ScanKey orderbys, int norderbys);
extern int64 zone_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap);
extern void zone_end_scan(IndexScanDesc scan);

extern void zone_cost_estimate(PlannerInfo *root, IndexPath *path,
							   double loop_count, Cost *startup_cost,
							   Cost *total_cost, Selectivity *selectivity,
							   double *correlation, double *pages);

extern bool zone_validate(Oid opclass);

/* For the table access method. */
extern const TableMaps zone_table_maps;

/* Is the index one of ours? */
extern bool zone_is_zone_index(Relation index);

/* OIDs of the table's indexes that are. The table is locked. */
extern List *zone_indexes_of(Relation heap);

#endif							/* ZONE_H */
