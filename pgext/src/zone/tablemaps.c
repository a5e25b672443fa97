/*
 * tablemaps.c
 *	  What the table access method asks of a table's zone maps: sealing after
 *	  COPY.
 *
 * The row locks of a COPY are enough to seal: they keep the table from being
 * truncated, and keep an index that is being built concurrently from becoming
 * valid before this COPY, which may not know it, has ended. So only valid
 * indexes are sealed here; all writers call those.
 */
#include "postgres.h"

#include "access/genam.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "zone/seal.h"
#include "zone/tableaccess.h"
#include "zone/zone.h"

static void
seal_new(Relation rel)
{
	BufferAccessStrategy strategy = NULL;
	List	   *indexes;
	ListCell   *lc;

	if (!rel->rd_rel->relhasindex)
		return;
	indexes = zone_indexes_of(rel);
	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);

		if (index->rd_index->indisvalid)
		{
			/* COPY's own ring has let go of all but its last pages. */
			if (strategy == NULL)
				strategy = GetAccessStrategy(BAS_BULKREAD);
			zone_seal(rel, index, SEAL_NEW, strategy);
		}
		index_close(index, NoLock);
	}
	if (strategy != NULL)
		FreeAccessStrategy(strategy);
	list_free(indexes);
}

const TableMaps zone_table_maps = {
	.seal_new = seal_new,
};
