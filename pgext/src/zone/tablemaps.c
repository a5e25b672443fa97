/*
 * tablemaps.c
 *	  What the table access method asks of a table's zone maps: to seal after
 *	  COPY, to be there after compact, and to guide merge.
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
#include "zone/stats.h"
#include "zone/strays.h"
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
		key_collation_supported(column->attcollation);
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

/* Do the map's columns come first in the index, with the same order? */
static bool
map_follows(Relation map, Relation order)
{
	int			ncolumns = map->rd_index->indnkeyatts;

	if (ncolumns > order->rd_index->indnkeyatts)
		return false;
	for (int i = 0; i < ncolumns; i++)
	{
		if (map->rd_index->indkey.values[i] != order->rd_index->indkey.values[i] ||
			!key_collation_supported(order->rd_indcollation[i]))
			return false;
	}
	return true;
}

static Oid
find_map(Relation rel, Oid order_index)
{
	Relation	order = index_open(order_index, AccessShareLock);
	List	   *indexes = zone_indexes_of(rel);
	Oid			found = InvalidOid;
	int			columns = 0;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	map = index_open(lfirst_oid(lc), AccessShareLock);

		if (map->rd_index->indisvalid && map_follows(map, order) &&
			map->rd_index->indnkeyatts > columns)
		{
			found = lfirst_oid(lc);
			columns = map->rd_index->indnkeyatts;
		}
		index_close(map, AccessShareLock);
	}
	list_free(indexes);
	index_close(order, AccessShareLock);
	return found;
}

static void
count_blocks(Relation rel, Oid map, MapBlocks *blocks)
{
	Relation	index = index_open(map, AccessShareLock);
	ZoneStats	stats;

	zone_stats_collect(rel, index, &stats);
	blocks->sealed = stats.states[ZONE_SEALED] + stats.states[ZONE_WIDE];
	blocks->empty = stats.states[ZONE_EMPTY];
	blocks->open = stats.states[ZONE_OPEN] + stats.states[ZONE_GATHERING];
	blocks->loose = stats.states[ZONE_LOOSE];
	blocks->tried = stats.states[ZONE_TRIED];
	index_close(index, AccessShareLock);
}

static void
seal_pending(Relation rel, Oid map)
{
	Relation	index = index_open(map, RowExclusiveLock);
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_VACUUM);

	zone_seal(rel, index, SEAL_PENDING, strategy);
	FreeAccessStrategy(strategy);
	index_close(index, NoLock);
}

/* One run is enough: when rows have to move, those of older runs join them. */
static void
find_strays(Relation rel, Oid map, Snapshot snapshot, StrayRows *strays)
{
	Relation	index = index_open(map, AccessShareLock);

	zone_find_strays(rel, index, snapshot, RUNS_STAY, strays);
	if (strays->nrows > 0)
	{
		pfree(strays->blocks);
		if (strays->tids != NULL)
			pfree(strays->tids);
		zone_find_strays(rel, index, snapshot, RUNS_STRAY, strays);
	}
	index_close(index, AccessShareLock);
}

/*
 * A zone page has one chain. Rows that start over again would not get into that
 * of a page with kept blocks, so they begin on the next page.
 */
static BlockNumber
next_run(BlockNumber kept_blocks, BlockNumber heap_blocks)
{
	BlockNumber next = zone_first_block(zone_count(kept_blocks));

	return Max(next, heap_blocks);
}

static void
strays_moved(Relation rel, const StrayRows *strays, BlockNumber old_blocks)
{
	List	   *indexes = zone_indexes_of(rel);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);

		if (index->rd_index->indisvalid)
		{
			zone_reopen(index, strays->blocks, strays->nblocks);
			zone_seal_run(rel, index, old_blocks);
		}
		index_close(index, NoLock);
	}
	list_free(indexes);
}

const TableMaps zone_table_maps = {
	.seal_new = seal_new,
	.create_missing = create_missing,
	.find_map = find_map,
	.count_blocks = count_blocks,
	.seal_pending = seal_pending,
	.find_strays = find_strays,
	.next_run = next_run,
	.strays_moved = strays_moved,
};
