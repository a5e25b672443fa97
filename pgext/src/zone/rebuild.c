/*
 * rebuild.c
 *	  sorted_heap_rebuild_zonemap(regclass): read every block and seal anew,
 *	  with readers and writers going on.
 *
 * Locks: ShareUpdateExclusiveLock on the table until the transaction ends, as
 * VACUUM takes. Nothing of the caller or of the table's owner runs here: keys
 * are read by code of this folder alone.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "tableaccess.h"
#include "zone/seal.h"
#include "zone/zone.h"

PG_FUNCTION_INFO_V1(sorted_heap_rebuild_zonemap);

Datum
sorted_heap_rebuild_zonemap(PG_FUNCTION_ARGS)
{
	BufferAccessStrategy strategy;
	Relation	heap;
	bool		found = false;
	ListCell   *lc;

	PreventCommandDuringRecovery("sorted_heap_rebuild_zonemap()");
	heap = table_open_for(PG_GETARG_OID(0), TABLE_MAY_MAINTAIN,
						  ShareUpdateExclusiveLock);
	strategy = GetAccessStrategy(BAS_VACUUM);
	foreach(lc, zone_indexes_of(heap))
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);

		/* Left over by a failed concurrent build; writers may not call it. */
		if (index->rd_index->indisvalid)
		{
			zone_seal(heap, index, SEAL_ALL, strategy);
			found = true;
		}
		else
			ereport(WARNING,
					(errmsg("skipping invalid index \"%s\"",
							RelationGetRelationName(index)),
					 errhint("Drop it or reindex it.")));
		index_close(index, NoLock);
	}
	FreeAccessStrategy(strategy);
	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no valid zone map",
						RelationGetRelationName(heap)),
				 errhint("Create an index with access method sorted_zone.")));
	relation_close(heap, NoLock);
	PG_RETURN_VOID();
}
