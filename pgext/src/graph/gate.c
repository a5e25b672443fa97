/*
 * gate.c
 *	  Who may read what: the one door to a table's rows.
 *
 * A function that gets a table as an OID and reads it below the executor has
 * none of SQL's checks unless it makes them. All are made here:
 *
 *	 - USAGE on the schema, which checks by OID would skip;
 *	 - SELECT on the table, or on every column that is read;
 *	 - both before the lock, so that a caller without privilege cannot queue
 *	   behind DDL, and again after it if anything changed while waiting;
 *	 - row-level security and inheritance children: such a table is read
 *	   through a query, which applies them as SQL does.
 *
 * A caller without any privilege gets core's error and learns nothing else:
 * not the kind of relation, its columns, or whether policies exist. Nothing
 * is remembered between calls, since privileges and the current user change.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/relation.h"
#include "access/tableam.h"
#include "access/xlog.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "storage/sinval.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "compat.h"
#include "graph/gate.h"

static void
no_such_relation(Oid relid)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("relation with OID %u does not exist", relid)));
}

/* Error unless the relation exists and its schema may be used. */
static void
check_schema(Oid relid, char *relkind, NameData *relname)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class form;
	AclResult	result;
	Oid			schema;

	if (!HeapTupleIsValid(tuple))
		no_such_relation(relid);
	form = (Form_pg_class) GETSTRUCT(tuple);
	schema = form->relnamespace;
	*relkind = form->relkind;
	*relname = form->relname;
	ReleaseSysCache(tuple);

	result = schema_aclcheck(schema, GetUserId(), ACL_USAGE);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_SCHEMA, get_namespace_name(schema));
}

/*
 * Error unless the current user may read at least one column; true when the
 * privilege is on the whole table.
 */
static bool
check_readable(Oid relid)
{
	char		relkind;
	NameData	relname;
	AclResult	result;

	check_schema(relid, &relkind, &relname);
	result = pg_class_aclcheck(relid, GetUserId(), ACL_SELECT);
	if (result == ACLCHECK_OK)
		return true;
	if (pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT,
								  ACLMASK_ANY) != ACLCHECK_OK)
		aclcheck_error(result, get_relkind_objtype(relkind),
					   NameStr(relname));
	return false;
}

static void
check_owner(Oid relid)
{
	char		relkind;
	NameData	relname;

	check_schema(relid, &relkind, &relname);
	if (!table_ownercheck(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relkind),
					   NameStr(relname));
}

static void
wrong_kind(Relation rel, const char *kind, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("relation \"%s\" is %s",
					RelationGetRelationName(rel), kind),
			 errhint("%s", hint)));
}

/* Error unless the relation is a plain table with rows in heap's format. */
static void
check_kind(Relation rel)
{
	const char *copy_rows = "Copy the rows into a table.";

	switch (rel->rd_rel->relkind)
	{
		case RELKIND_RELATION:
			break;
		case RELKIND_VIEW:
			wrong_kind(rel, "a view", "Name the table behind the view.");
			break;
		case RELKIND_MATVIEW:
			wrong_kind(rel, "a materialized view", copy_rows);
			break;
		case RELKIND_FOREIGN_TABLE:
			wrong_kind(rel, "a foreign table", copy_rows);
			break;
		case RELKIND_PARTITIONED_TABLE:
			wrong_kind(rel, "a partitioned table",
					   "Name one partition at a time.");
			break;
		case RELKIND_SEQUENCE:
			wrong_kind(rel, "a sequence", "Name a table.");
			break;
		case RELKIND_INDEX:
		case RELKIND_PARTITIONED_INDEX:
			wrong_kind(rel, "an index", "Name the table of the index.");
			break;
		case RELKIND_TOASTVALUE:
			wrong_kind(rel, "a TOAST table", "Name the table it belongs to.");
			break;
		case RELKIND_COMPOSITE_TYPE:
			wrong_kind(rel, "a composite type", "Name a table.");
			break;
		default:
			wrong_kind(rel, "not a table", "Name a table.");
			break;
	}
	if (RELATION_IS_OTHER_TEMP(rel))
		wrong_kind(rel, "a temporary table of another session", copy_rows);

	/* An access method that scans with heap's own code has heap's rows. */
	if (rel->rd_tableam->scan_getnextslot != heap_getnextslot)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" uses access method \"%s\"",
						RelationGetRelationName(rel),
						get_am_name(rel->rd_rel->relam)),
				 errhint("The table must use access method heap or sorted_heap.")));
}

void
relgate_open(RelGate *gate, Oid relid)
{
	uint64		inval_count = SharedInvalidMessageCounter;

	gate->whole = check_readable(relid);
	gate->path = RELGATE_QUERY;
	gate->rel = try_relation_open(relid, AccessShareLock);
	if (gate->rel == NULL)
		no_such_relation(relid);

	/* Something changed while we waited: perhaps what we checked. */
	if (inval_count != SharedInvalidMessageCounter)
		gate->whole = check_readable(relid);
	check_kind(gate->rel);

	/* On a standby such a table has no contents: core's error. */
	if (!RelationIsPermanent(gate->rel) && RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary or unlogged relations during recovery")));
}

void
relgate_admit(RelGate *gate, const AttrNumber *columns, int ncolumns)
{
	Oid			relid = RelationGetRelid(gate->rel);

	for (int i = 0; i < ncolumns && !gate->whole; i++)
	{
		AclResult	result = pg_attribute_aclcheck(relid, columns[i],
												   GetUserId(), ACL_SELECT);

		/* As SQL does, name the table: which column is the caller's guess. */
		if (result != ACLCHECK_OK)
			aclcheck_error(result, OBJECT_TABLE,
						   RelationGetRelationName(gate->rel));
	}

	gate->path = RELGATE_PAGES;
	if (check_enable_rls(relid, InvalidOid, false) == RLS_ENABLED)
		gate->path = RELGATE_QUERY;
	else if (gate->rel->rd_rel->relhassubclass &&
			 find_inheritance_children(relid, NoLock) != NIL)
		gate->path = RELGATE_QUERY; /* the flag alone may be stale */
}

void
relgate_close(RelGate *gate)
{
	relation_close(gate->rel, NoLock);
	gate->rel = NULL;
}

Relation
relgate_open_owned(Oid relid)
{
	uint64		inval_count = SharedInvalidMessageCounter;
	Relation	rel;

	check_owner(relid);
	rel = try_relation_open(relid, AccessShareLock);
	if (rel == NULL)
		no_such_relation(relid);
	if (inval_count != SharedInvalidMessageCounter)
		check_owner(relid);
	check_kind(rel);
	return rel;
}
