/*
 * tablemaps.c
 *	  What the table access method asks of a table's zone maps: to seal after
 *	  COPY, and to be there after compact.
 *
 * The row locks of a COPY are enough to seal: they keep the table from being
 * truncated, and keep an index that is being built concurrently from becoming
 * valid before this COPY, which may not know it, has ended. So only valid
 * indexes are sealed here; all writers call those.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "zone/image.h"
#include "zone/seal.h"
#include "zone/tableaccess.h"
#include "zone/zone.h"

static void
seal_new(Relation rel)
{
	BufferAccessStrategy strategy = NULL;
	List	   *indexes;
	ListCell   *lc;

	if (!rel->rd_rel->relhasindex)
		return;
	indexes = zone_indexes_of(rel);
	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);

		if (index->rd_index->indisvalid)
		{
			/* COPY's own ring has let go of all but its last pages. */
			if (strategy == NULL)
				strategy = GetAccessStrategy(BAS_BULKREAD);
			zone_seal(rel, index, SEAL_NEW, strategy);
		}
		index_close(index, NoLock);
	}
	if (strategy != NULL)
		FreeAccessStrategy(strategy);
	list_free(indexes);
}

/* Is there a zone map, valid or not, that begins with this column? */
static bool
has_map_led_by(Relation rel, AttrNumber attnum)
{
	List	   *indexes = zone_indexes_of(rel);
	bool		found = false;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		found |= index->rd_index->indkey.values[0] == attnum;
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	return found;
}

static bool
column_supported(Form_pg_attribute column, Oid amoid)
{
	return OidIsValid(GetDefaultOpClass(column->atttypid, amoid)) &&
		zone_collation_supported(column->attcollation);
}

/*
 * The definition of a map on the columns of an index that it supports, up to
 * the first that it does not; NULL when it does not support the first.
 */
static IndexStmt *
map_definition(Relation rel, Relation order_index)
{
	IndexStmt  *stmt = makeNode(IndexStmt);
	Oid			amoid = get_index_am_oid("sorted_zone", false);
	int			ncolumns = Min(order_index->rd_index->indnkeyatts,
							   ZONE_MAX_COLUMNS);

	for (int i = 0; i < ncolumns; i++)
	{
		AttrNumber	attnum = order_index->rd_index->indkey.values[i];
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(rel),
												 attnum - 1);
		IndexElem  *element = makeNode(IndexElem);

		if (!column_supported(column, amoid))
			break;
		element->name = pstrdup(NameStr(column->attname));
		stmt->indexParams = lappend(stmt->indexParams, element);
	}
	stmt->relation =
		makeRangeVar(get_namespace_name(RelationGetNamespace(rel)),
					 pstrdup(RelationGetRelationName(rel)), -1);
	stmt->accessMethod = "sorted_zone";
	stmt->transformed = true;
	return stmt->indexParams != NIL ? stmt : NULL;
}

/*
 * The rights are those of CREATE INDEX. Who has no more than those of a
 * rewrite gets the rewrite.
 */
static const char *
why_not_create(Relation rel, const IndexStmt *stmt)
{
	if (stmt == NULL)
		return "The access method sorted_zone does not support the first column of the primary key.";
	if (!table_ownercheck(RelationGetRelid(rel), GetUserId()))
		return "Only the owner of the table may create one.";
	if (schema_aclcheck(RelationGetNamespace(rel), GetUserId(),
						ACL_CREATE) != ACLCHECK_OK)
		return "The owner of the table may not create indexes in its schema.";
	return NULL;
}

static void
create_missing(Oid relid, Oid order_index)
{
	Relation	rel = table_open(relid, NoLock);
	Relation	order = index_open(order_index, AccessShareLock);
	AttrNumber	leader = order->rd_index->indkey.values[0];
	IndexStmt  *stmt;
	const char *reason;

	if (has_map_led_by(rel, leader))
	{
		index_close(order, NoLock);
		table_close(rel, NoLock);
		return;
	}
	stmt = map_definition(rel, order);
	reason = why_not_create(rel, stmt);
	if (reason != NULL)
		ereport(NOTICE,
				(errmsg("table \"%s\" gets no zone map",
						RelationGetRelationName(rel)),
				 errdetail("%s", reason)));
	index_close(order, NoLock);
	table_close(rel, NoLock);

	if (reason == NULL)
	{
		define_index(relid, stmt);
		CommandCounterIncrement();
	}
}

const TableMaps zone_table_maps = {
	.seal_new = seal_new,
	.create_missing = create_missing,
};
