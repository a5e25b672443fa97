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

#include "zone/seal.h"
#include "zone/tableaccess.h"

PG_FUNCTION_INFO_V1(sorted_heap_rebuild_zonemap);

Datum
sorted_heap_rebuild_zonemap(PG_FUNCTION_ARGS)
{
	BufferAccessStrategy strategy;
	Relation	heap;
	List	   *indexes;
	ListCell   *lc;

	PreventCommandDuringRecovery("sorted_heap_rebuild_zonemap()");
	heap = zone_open_table(PG_GETARG_OID(0), ZONE_MAY_MAINTAIN,
						   ShareUpdateExclusiveLock);
	indexes = zone_indexes_of(heap);
	if (indexes == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no zone map",
						RelationGetRelationName(heap)),
				 errhint("Create an index with access method sorted_zone.")));

	strategy = GetAccessStrategy(BAS_VACUUM);
	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);

		/* Left over by a failed concurrent build; writers may not call it. */
		if (!index->rd_index->indisvalid)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("index \"%s\" is not valid",
							RelationGetRelationName(index)),
					 errhint("Drop or reindex it.")));
		zone_seal(heap, index, SEAL_ALL, strategy);
		index_close(index, NoLock);
	}
	FreeAccessStrategy(strategy);
	relation_close(heap, NoLock);
	PG_RETURN_VOID();
}
