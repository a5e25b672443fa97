/*
 * files.c
 *	  Which files the catalog has for an index.
 *
 * Past the cache of the catalog, which would remember, in every session that has
 * used a dropped index, that there is none, until the session ends.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "utils/fmgroids.h"

#include "hnsw/cache/files.h"

uint32
hnsw_cache_files(Oid relid)
{
	Relation	classes = table_open(RelationRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	uint32		files = 0;

	ScanKeyInit(&key, Anum_pg_class_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(classes, ClassOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		files = ((Form_pg_class) GETSTRUCT(tuple))->relfilenode;
	systable_endscan(scan);
	table_close(classes, AccessShareLock);
	return files;
}
