/*
 * pending.c
 *	  Callbacks whose files are still to come. Each goes when its file comes.
 */
#include "postgres.h"

#include "utils/float.h"

#include "hnsw/am.h"

static void pending(void) pg_attribute_noreturn();

static void
pending(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("access method \"%s\" does not support this yet", "sorted_hnsw")));
}

/* insert.c */
bool
hnsw_am_insert(Relation index, Datum *values, bool *isnull, ItemPointer tid,
			   Relation heap, IndexUniqueCheck unique, bool unchanged, IndexInfo *info)
{
	pending();
}

/* vacuum.c */
IndexBulkDeleteResult *
hnsw_am_bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
					IndexBulkDeleteCallback callback, void *callback_state)
{
	pending();
}

IndexBulkDeleteResult *
hnsw_am_vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	return stats;
}

/* scan.c */
IndexScanDesc
hnsw_am_begin_scan(Relation index, int nkeys, int norderbys)
{
	pending();
}

void
hnsw_am_rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys, int norderbys)
{
	pending();
}

bool
hnsw_am_get_tuple(IndexScanDesc scan, ScanDirection direction)
{
	pending();
}

void
hnsw_am_end_scan(IndexScanDesc scan)
{
	pending();
}

/* cost.c */
void
hnsw_am_cost_estimate(PlannerInfo *root, IndexPath *path, double loop_count,
					  Cost *startup_cost, Cost *total_cost, Selectivity *selectivity,
					  double *correlation, double *pages)
{
	*startup_cost = get_float8_infinity();
	*total_cost = get_float8_infinity();
	*selectivity = 0;
	*correlation = 0;
	*pages = 0;
}
