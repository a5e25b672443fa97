/*
 * pending.c
 *	  Callbacks whose files are still to come. Each goes when its file comes.
 */
#include "postgres.h"

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
