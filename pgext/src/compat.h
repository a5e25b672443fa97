/*
 * compat.h
 *	  The only place that looks at PG_VERSION_NUM: each difference between
 *	  PostgreSQL 15, 16, 17 and 18 is bent into one spelling here.
 */
#ifndef COMPAT_H
#define COMPAT_H

#if PG_VERSION_NUM < 150000
#error "sorted_heap needs PostgreSQL 15 or later"
#endif

/* Varlena macros left postgres.h in 16; input functions learned to report
 * errors softly then, which 15 does by throwing. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#else
#define ereturn(context, dummy_value, ...) ereport(ERROR, __VA_ARGS__)
#endif

/* Next datum of a sort, not copied (16 added whether to copy). */
#if PG_VERSION_NUM >= 160000
#define tuplesort_next_datum(sort, value, isnull) \
	tuplesort_getdatum(sort, true, false, value, isnull, NULL)
#else
#define tuplesort_next_datum(sort, value, isnull) \
	tuplesort_getdatum(sort, true, value, isnull, NULL)
#endif

/* Comparison of an index column (18 asks for the direction, not the strategy). */
#if PG_VERSION_NUM >= 180000
#define prepare_index_sort(index, descending, key) \
	PrepareSortSupportFromIndexRel(index, descending, key)
#else
#define prepare_index_sort(index, descending, key) \
	PrepareSortSupportFromIndexRel(index, (descending) \
								   ? BTGreaterStrategyNumber \
								   : BTLessStrategyNumber, key)
#endif

/* May the current user maintain the table? Its owner; since 17 also a holder
 * of MAINTAIN. */
#if PG_VERSION_NUM >= 170000
#define maintain_aclcheck(relid) \
	pg_class_aclcheck(relid, GetUserId(), ACL_MAINTAIN)
#elif PG_VERSION_NUM >= 160000
#define maintain_aclcheck(relid) \
	(object_ownercheck(RelationRelationId, relid, GetUserId()) ? \
	 ACLCHECK_OK : ACLCHECK_NOT_OWNER)
#else
#define maintain_aclcheck(relid) \
	(pg_class_ownercheck(relid, GetUserId()) ? \
	 ACLCHECK_OK : ACLCHECK_NOT_OWNER)
#endif

/* cluster_rel() that closes rel and keeps its lock: before 18 core opens the
 * table itself and insists on being the only one. */
#if PG_VERSION_NUM >= 180000
#define cluster_rel_and_close(rel, index, params) \
	cluster_rel(rel, index, params)
#else
#define cluster_rel_and_close(rel, index, params) \
	do { \
		Oid			relid_ = RelationGetRelid(rel); \
		table_close(rel, NoLock); \
		cluster_rel(relid_, index, params); \
	} while (0)
#endif

#endif							/* COMPAT_H */
