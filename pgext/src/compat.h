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

/* Privileges on schemas and ownership of tables, by OID (spelled anew in 16). */
#if PG_VERSION_NUM < 160000
#define schema_aclcheck(schema, role, mode) \
	pg_namespace_aclcheck(schema, role, mode)
#define table_ownercheck(relid, role) \
	pg_class_ownercheck(relid, role)
#else
#define schema_aclcheck(schema, role, mode) \
	object_aclcheck(NamespaceRelationId, schema, role, mode)
#define table_ownercheck(relid, role) \
	object_ownercheck(RelationRelationId, relid, role)
#endif

/* 18 counts index searches for EXPLAIN on request. */
#if PG_VERSION_NUM < 180000
#define beginscan_index(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, nkeys, 0)
#else
#define beginscan_index(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, NULL, nkeys, 0)
#endif

/* old_snapshot_threshold is gone in 17. */
#if PG_VERSION_NUM >= 170000
#define TestForOldSnapshot(snapshot, relation, page) ((void) 0)
#endif

#endif							/* COMPAT_H */
