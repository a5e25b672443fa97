/*
 * compat.h
 *	  The only place that looks at PG_VERSION_NUM: each difference between
 *	  PostgreSQL 15, 16, 17 and 18 is bent into one spelling here.
 */
#ifndef COMPAT_H
#define COMPAT_H

#include "access/table.h"
#include "catalog/index.h"
#include "catalog/objectaddress.h"
#include "commands/cluster.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"

#if PG_VERSION_NUM < 150000
#error "sorted_heap needs PostgreSQL 15 or later"
#endif

/* Next TID of a validation sort (16 added whether to copy the datum). */
static inline bool
tuplesort_next_tid(Tuplesortstate *sort, ItemPointer tid)
{
	Datum		encoded;
	bool		isnull;

#if PG_VERSION_NUM >= 160000
	if (!tuplesort_getdatum(sort, true, false, &encoded, &isnull, NULL))
		return false;
#else
	if (!tuplesort_getdatum(sort, true, &encoded, &isnull, NULL))
		return false;
#endif
	itemptr_decode(tid, DatumGetInt64(encoded));
#if PG_VERSION_NUM < 160000 && !defined(USE_FLOAT8_BYVAL)
	pfree(DatumGetPointer(encoded));
#endif
	return true;
}

/*
 * Error unless the current user may maintain the table: its owner, since 17
 * also a holder of MAINTAIN.
 */
static inline void
check_may_maintain(Oid relid, char relkind, const char *relname)
{
#if PG_VERSION_NUM >= 170000
	AclResult	result = pg_class_aclcheck(relid, GetUserId(), ACL_MAINTAIN);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, get_relkind_objtype(relkind), relname);
#else
#if PG_VERSION_NUM >= 160000
	bool		owner = object_ownercheck(RelationRelationId, relid, GetUserId());
#else
	bool		owner = pg_class_ownercheck(relid, GetUserId());
#endif
	if (!owner)
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relkind),
					   relname);
#endif
}

/*
 * Rewrites the table as VACUUM FULL does, and closes it. The caller holds
 * AccessExclusiveLock; before 18 core opens the table itself and insists on
 * being the only one.
 */
static inline void
rewrite_and_close(Relation rel)
{
	ClusterParams params = {0};

#if PG_VERSION_NUM >= 180000
	cluster_rel(rel, InvalidOid, &params);
#else
	Oid			relid = RelationGetRelid(rel);

	table_close(rel, NoLock);
	cluster_rel(relid, InvalidOid, &params);
#endif
}

#endif							/* COMPAT_H */
