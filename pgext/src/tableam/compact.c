/*
 * compact.c
 *	  sorted_heap_compact(regclass): rewrite a table in primary key order, and
 *	  create its zone map where it is missing.
 *
 * The rewrite is VACUUM FULL's, which sorts (see rewrite.c), but callable
 * inside a function or transaction block. Core does the rest of it: predicate
 * locks, a check for open cursors and pending triggers, and index functions
 * that run as the table's owner under SECURITY_RESTRICTED_OPERATION.
 *
 * Locks: AccessExclusiveLock on the table, until the transaction ends. All
 * checks come first without the lock, so that nobody can queue behind a table
 * that is not theirs, and again with it, since anything may have changed.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "commands/cluster.h"
#include "commands/tablecmds.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "tableam/sorted_heap.h"

static void check_compactable(Oid relid);
static void check_kind(Form_pg_class form);
static bool is_sorted_heap(Oid amoid);
static Oid	find_order(Relation rel);

PG_FUNCTION_INFO_V1(sorted_heap_compact);

Datum
sorted_heap_compact(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);
	Oid			order_index;
	ClusterParams params = {0};
	Relation	rel;

	PreventCommandDuringRecovery("sorted_heap_compact()");

	check_compactable(relid);
	LockRelationOid(relid, AccessExclusiveLock);
	check_compactable(relid);

	rel = table_open(relid, NoLock);
	CheckTableNotInUse(rel, "compact");
	order_index = find_order(rel);
	cluster_rel_and_close(rel, InvalidOid, &params);

	/* Its build reads rows in order, so all blocks are sealed. */
	sorted_heap_maps->create_missing(relid, order_index);

	PG_RETURN_VOID();
}

/* Everything that can be said from the catalogs, with or without a lock. */
static void
check_compactable(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class form;
	AclResult	acl;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relid)));
	form = (Form_pg_class) GETSTRUCT(tuple);

	acl = maintain_aclcheck(relid);
	if (acl != ACLCHECK_OK)
		aclcheck_error(acl, get_relkind_objtype(form->relkind),
					   NameStr(form->relname));
	check_kind(form);
	if (form->relpersistence == RELPERSISTENCE_TEMP &&
		isOtherTempNamespace(form->relnamespace))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot compact temporary tables of other sessions")));

	ReleaseSysCache(tuple);
}

static void
check_kind(Form_pg_class form)
{
	if (form->relkind == RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is partitioned", NameStr(form->relname)),
				 errhint("Compact its partitions one by one.")));

	if (form->relkind != RELKIND_RELATION || !is_sorted_heap(form->relam))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation \"%s\" is not a sorted_heap table",
						NameStr(form->relname))));
}

/* Whatever name the access method goes by. */
static bool
is_sorted_heap(Oid amoid)
{
	HeapTuple	tuple = SearchSysCache1(AMOID, ObjectIdGetDatum(amoid));
	Oid			handler;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for access method %u", amoid);
	handler = ((Form_pg_am) GETSTRUCT(tuple))->amhandler;
	ReleaseSysCache(tuple);

	return GetTableAmRoutine(handler) == sorted_heap_routine();
}

static Oid
find_order(Relation rel)
{
	Oid			order_index = sorted_heap_order_index(rel);

	if (!OidIsValid(order_index))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no primary key",
						RelationGetRelationName(rel)),
				 errhint("Rows are kept in the order of a btree primary key.")));
	return order_index;
}
