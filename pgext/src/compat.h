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

/* CREATE INDEX by the parse tree, silently, with the usual checks of rights (16
 * counts partitions). */
#if PG_VERSION_NUM >= 160000
#define define_index(relid, stmt) \
	DefineIndex(relid, stmt, InvalidOid, InvalidOid, InvalidOid, -1, \
				false, true, false, false, true)
#else
#define define_index(relid, stmt) \
	DefineIndex(relid, stmt, InvalidOid, InvalidOid, InvalidOid, \
				false, true, false, false, true)
#endif

/* Entries of a row in all indexes; the indexes whose uniqueness is still to be
 * checked (16 can restrict it to summarizing ones). */
#if PG_VERSION_NUM >= 160000
#define insert_index_tuples(relinfo, slot, estate) \
	ExecInsertIndexTuples(relinfo, slot, estate, false, false, NULL, NIL, \
						  false)
#else
#define insert_index_tuples(relinfo, slot, estate) \
	ExecInsertIndexTuples(relinfo, slot, estate, false, false, NULL, NIL)
#endif

/* A search_path that functions in indexes may rely on in maintenance (17). */
#if PG_VERSION_NUM >= 170000
#define restrict_search_path() RestrictSearchPath()
#else
#define restrict_search_path() ((void) 0)
#endif

/* 18 counts index searches for EXPLAIN on request. */
#if PG_VERSION_NUM < 180000
#define beginscan_index(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, nkeys, 0)
#else
#define beginscan_index(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, NULL, nkeys, 0)
#endif

/* An index path that must not be used: its infinite cost alone does not say so
 * since 18. */
#if PG_VERSION_NUM >= 180000
#define disable_index_path(index_path) ((index_path)->path.disabled_nodes = 2)
#else
#define disable_index_path(index_path) ((void) (index_path))
#endif

/* An index search has started (18 shows how many there were in EXPLAIN). */
#if PG_VERSION_NUM >= 180000
#define count_index_search(scan) \
	do { \
		if ((scan)->instrument) \
			(scan)->instrument->nsearches++; \
	} while (0)
#else
#define count_index_search(scan) ((void) (scan))
#endif

/* old_snapshot_threshold is gone in 17. */
#if PG_VERSION_NUM >= 170000
#define TestForOldSnapshot(snapshot, relation, page) ((void) (page))
#define snapshots_grow_old() false
#else
#define snapshots_grow_old() (old_snapshot_threshold >= 0)
#endif

/* Pathkeys for an expression that some equivalence class knows; 16 dropped the
 * set of relations below outer joins. */
#if PG_VERSION_NUM < 160000
#define expression_pathkey(root, expr, opno, relids) \
	build_expression_pathkey(root, expr, NULL, opno, relids, false)
#else
#define expression_pathkey(root, expr, opno, relids) \
	build_expression_pathkey(root, expr, opno, relids, false)
#endif

/* Names and Vars of a range table entry's columns (18 has returning types). */
#if PG_VERSION_NUM >= 180000
#define expand_rte(rte, rti, names, vars) \
	expandRTE(rte, rti, 0, VAR_RETURNING_DEFAULT, -1, false, names, vars)
#else
#define expand_rte(rte, rti, names, vars) \
	expandRTE(rte, rti, 0, -1, false, names, vars)
#endif

/* EXECUTE on a function (spelled anew in 16). */
#if PG_VERSION_NUM < 160000
#define function_aclcheck(funcid, role) \
	pg_proc_aclcheck(funcid, role, ACL_EXECUTE)
#else
#define function_aclcheck(funcid, role) \
	object_aclcheck(ProcedureRelationId, funcid, role, ACL_EXECUTE)
#endif

/* ExplainState moved in 18. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

/* What names a relation's files. */
#if PG_VERSION_NUM >= 160000
#define relation_locator(rel) ((rel)->rd_locator)
#else
#define relation_locator(rel) ((rel)->rd_node)
#endif

#if PG_VERSION_NUM >= 160000
#define locator_tablespace(locator) ((locator).spcOid)
#define locator_database(locator) ((locator).dbOid)
#define locator_number(locator) ((locator).relNumber)
#else
#define locator_tablespace(locator) ((locator).spcNode)
#define locator_database(locator) ((locator).dbNode)
#define locator_number(locator) ((locator).relNode)
#endif

/* Can a library have named shared memory without being preloaded? */
#if PG_VERSION_NUM >= 170000
#define HAVE_DSM_REGISTRY 1
#include "storage/dsm_registry.h"
#endif

/* Nap if VACUUM's cost limit asks for it; always a point to be interrupted. */
#if PG_VERSION_NUM >= 180000
#define vacuum_pause() vacuum_delay_point(false)
#else
#define vacuum_pause() vacuum_delay_point()
#endif

/* How many elements an array expression may have. */
#if PG_VERSION_NUM >= 170000
#define array_length_estimate(root, node) estimate_array_length(root, node)
#else
#define array_length_estimate(root, node) estimate_array_length(node)
#endif

/* Does core offer `column = ANY (list)` on any column of an index whose order is
 * wanted? Since 17. */
#if PG_VERSION_NUM >= 170000
#define ORDERED_SCANS_TAKE_LISTS true
#else
#define ORDERED_SCANS_TAKE_LISTS false
#endif

/* A hook for more lines at a node in EXPLAIN (18). */
#if PG_VERSION_NUM >= 180000
#define HAVE_EXPLAIN_PER_NODE 1
#endif

/* Does core tell an index when a statement's inserts are over? */
#if PG_VERSION_NUM >= 170000
#define HAVE_AMINSERTCLEANUP 1
#endif

/* Does core plan workers for the build of any index that says it can use them?
 * Before 17, only of a btree. */
#if PG_VERSION_NUM >= 170000
#define HAVE_AMCANBUILDPARALLEL 1
#define planned_build_workers(heap, index, info) ((info)->ii_ParallelWorkers)
#else
#define planned_build_workers(heap, index, info) \
	plan_create_index_workers(RelationGetRelid(heap), RelationGetRelid(index))
#endif

/* A function that never returns: the word comes before its declaration since 18. */
#ifndef pg_noreturn
#define pg_noreturn pg_attribute_noreturn()
#endif

/* Fields of IndexAmRoutine that came after 15. */
#if PG_VERSION_NUM >= 160000
#define HAVE_AMSUMMARIZING 1
#endif

#endif							/* COMPAT_H */
