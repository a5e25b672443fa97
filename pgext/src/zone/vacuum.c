/*
 * vacuum.c
 *	  VACUUM has no index entries to remove here; it is when blocks are sealed.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "zone/seal.h"
#include "zone/zone.h"

static void
seal_index(IndexVacuumInfo *info)
{
	/* Whoever vacuums or validates holds a lock on the table. */
	Relation	heap = table_open(info->index->rd_index->indrelid, NoLock);

	zone_seal(heap, info->index, SEAL_PENDING, info->strategy);
	table_close(heap, NoLock);
}

/*
 * The validation of an index being built concurrently is the first moment when
 * all writers call aminsert; the build left the sealing to it.
 */
IndexBulkDeleteResult *
zone_bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
				 IndexBulkDeleteCallback callback, void *callback_state)
{
	if (stats == NULL)
	{
		stats = palloc0(sizeof(IndexBulkDeleteResult));
		if (!info->index->rd_index->indisvalid)
			seal_index(info);
	}
	return stats;
}

IndexBulkDeleteResult *
zone_vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (info->analyze_only)
		return stats;

	if (stats == NULL)
		stats = palloc0(sizeof(IndexBulkDeleteResult));
	seal_index(info);
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	stats->num_index_tuples = info->num_heap_tuples;
	stats->estimated_count = info->estimated_count;
	return stats;
}
