/*
 * tableaccess.c
 *	  Who may ask about a table's indexes, and who may maintain them.
 *
 * Checked by OID before the lock, so that a caller without privilege cannot
 * queue behind DDL, and again with it, since anything may have changed. Checks
 * by OID skip the schema, so its USAGE is checked here.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "tableaccess.h"

static void
no_such_relation(Oid relid)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("relation with OID %u does not exist", relid)));
}

static void
check_right(Oid relid, TableRight right)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class form;
	AclResult	result;

	if (!HeapTupleIsValid(tuple))
		no_such_relation(relid);
	form = (Form_pg_class) GETSTRUCT(tuple);

	result = schema_aclcheck(form->relnamespace, GetUserId(), ACL_USAGE);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_SCHEMA,
					   get_namespace_name(form->relnamespace));

	if (right == TABLE_MAY_MAINTAIN)
		result = maintain_aclcheck(relid);
	else if (table_ownercheck(relid, GetUserId()) ||
			 has_privs_of_role(GetUserId(), ROLE_PG_MONITOR))
		result = ACLCHECK_OK;
	else
		result = ACLCHECK_NOT_OWNER;
	if (result != ACLCHECK_OK)
		aclcheck_error(result, get_relkind_objtype(form->relkind),
					   NameStr(form->relname));
	ReleaseSysCache(tuple);
}

static void
check_kind(Relation rel)
{
	const char *name = RelationGetRelationName(rel);

	if (rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is partitioned", name),
				 errhint("Name one partition at a time.")));
	if (rel->rd_rel->relkind != RELKIND_RELATION &&
		rel->rd_rel->relkind != RELKIND_MATVIEW)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation \"%s\" is not a table or materialized view",
						name)));
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary tables of other sessions")));
}

Relation
table_open_for(Oid relid, TableRight right, LOCKMODE lockmode)
{
	Relation	rel;

	check_right(relid, right);
	rel = try_relation_open(relid, lockmode);
	if (rel == NULL)
		no_such_relation(relid);
	check_right(relid, right);
	check_kind(rel);
	return rel;
}
