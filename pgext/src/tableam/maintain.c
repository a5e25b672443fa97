/*
 * maintain.c
 *	  Who may rewrite or merge a table, and which tables.
 *
 * All checks come first without the lock, so that nobody can queue behind a
 * table that is not theirs, and again with it, since anything may have changed.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "commands/tablecmds.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "tableam/maintain.h"
#include "tableam/sorted_heap.h"

static void check_kind(Form_pg_class form);
static bool is_sorted_heap(Oid amoid);

/* Everything that can be said from the catalogs, with or without a lock. */
void
maintain_check(Oid relid, const char *verb)
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
				 errmsg("cannot %s temporary tables of other sessions", verb)));

	ReleaseSysCache(tuple);
}

static void
check_kind(Form_pg_class form)
{
	if (form->relkind == RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is partitioned", NameStr(form->relname)),
				 errhint("Name its partitions one by one.")));

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

Relation
maintain_open(Oid relid, const char *verb)
{
	Relation	rel;

	maintain_check(relid, verb);
	LockRelationOid(relid, AccessExclusiveLock);
	maintain_check(relid, verb);

	rel = table_open(relid, NoLock);
	CheckTableNotInUse(rel, verb);
	return rel;
}

Oid
maintain_order(Relation rel)
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
