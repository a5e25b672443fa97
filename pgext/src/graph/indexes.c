/*
 * indexes.c
 *	  Which indexes of a facts table find rows by entity.
 *
 * An index serves when a query of this snapshot could use it: valid, not
 * partial, and not built over HOT chains that are broken for the snapshot. Of
 * btrees, one with the relation as its second column is the best; of zone maps
 * likewise.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/xlog.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/sinval.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "graph/indexes.h"
#include "guc.h"
#include "zone/zonemap.h"

/*
 * From the catalog row alone: could this index serve, and does it have the
 * relation as its second column? Saves opening the others.
 */
static bool
index_row_serves(Oid indexid, const FactColumns *columns, bool *has_relation)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(indexid));
	Form_pg_index form;
	bool		serves;

	if (!HeapTupleIsValid(tuple))
		return false;			/* dropped since the list was read */
	form = (Form_pg_index) GETSTRUCT(tuple);
	serves = form->indisvalid &&
		form->indnkeyatts >= 1 &&
		form->indkey.values[0] == columns->attno[FACT_ENTITY] &&
		heap_attisnull(tuple, Anum_pg_index_indpred, NULL) &&
		!(form->indcheckxmin &&
		  !TransactionIdPrecedes(HeapTupleHeaderGetXmin(tuple->t_data),
								 TransactionXmin));
	*has_relation = serves && form->indnkeyatts >= 2 &&
		form->indkey.values[1] == columns->attno[FACT_RELATION];
	ReleaseSysCache(tuple);
	return serves;
}

/* Is it a btree whose column compares as integers do? */
static bool
column_compares_integers(Relation index, int column, Oid type)
{
	return index->rd_rel->relam == BTREE_AM_OID &&
		index->rd_opfamily[column] == INTEGER_BTREE_FAM_OID &&
		index->rd_opcintype[column] == type;
}

/* Take an open index in place of the one at hand where it is better. */
static bool
offer(Relation *chosen, Relation index, bool better)
{
	if (*chosen != NULL && !better)
		return false;
	if (*chosen != NULL)
		index_close(*chosen, NoLock);
	*chosen = index;
	return true;
}

/*
 * Is it a zone map for this snapshot whose images are those of the column's
 * type? On an integer column it may have the class for oid, whose order is
 * another.
 */
static bool
zone_serves(Relation index, Snapshot snapshot)
{
	return zonemap_usable(index, snapshot) &&
		index->rd_opcintype[0] == INT4OID;
}

/* True when the open index was taken. */
static bool
consider(FactIndexes *indexes, Relation index, bool has_relation,
		 Snapshot snapshot)
{
	if (guc_graph_access != GRAPH_ACCESS_ZONE &&
		column_compares_integers(index, 0, INT4OID))
	{
		has_relation = has_relation &&
			column_compares_integers(index, 1, INT2OID);
		if (!offer(&indexes->btree, index, has_relation))
			return false;
		indexes->relation_key = has_relation;
		return true;
	}
	if (guc_graph_access != GRAPH_ACCESS_BTREE &&
		zone_serves(index, snapshot))
		return offer(&indexes->zone, index, has_relation);
	return false;
}

static void
no_index_error(Relation rel, const FactColumns *columns)
{
	const char *table = RelationGetRelationName(rel);
	const char *entity =
		NameStr(TupleDescAttr(columns->desc,
							  columns->attno[FACT_ENTITY] - 1)->attname);

	if (guc_graph_access == GRAPH_ACCESS_ZONE)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no usable zone map led by column \"%s\"",
						table, entity),
				 errhint("Create an index with access method sorted_zone, or set \"sorted_heap.graph_access\" to \"auto\".")));
	if (guc_graph_access == GRAPH_ACCESS_BTREE)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no usable btree index led by column \"%s\"",
						table, entity),
				 errhint("Create one, for example as the primary key, or set \"sorted_heap.graph_access\" to \"auto\".")));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("table \"%s\" has no usable index led by column \"%s\"",
					table, entity),
			 errhint("Create a btree index, for example as the primary key, or an index with access method sorted_zone.")));
}

static void
look_for_indexes(FactIndexes *indexes, Relation rel, const FactColumns *columns,
				 Snapshot snapshot)
{
	List	   *list = RelationGetIndexList(rel);
	ListCell   *lc;

	memset(indexes, 0, sizeof(*indexes));
	foreach(lc, list)
	{
		Relation	index;
		bool		has_relation;

		if (!index_row_serves(lfirst_oid(lc), columns, &has_relation))
			continue;
		index = index_open(lfirst_oid(lc), AccessShareLock);
		if (!consider(indexes, index, has_relation, snapshot))
			index_close(index, NoLock);
	}
	list_free(list);
	if (!guc_enable_scan_pruning && guc_graph_access == GRAPH_ACCESS_AUTO &&
		indexes->btree != NULL && indexes->zone != NULL)
	{
		index_close(indexes->zone, NoLock);
		indexes->zone = NULL;
	}
}

/*
 * REINDEX CONCURRENTLY makes one index invalid and another valid in one
 * transaction, but what we know of the two may be from before and from after
 * it. So there is no index only when none was found and nothing has changed.
 *
 * On a standby nobody waits for us before an index is left to decay. What our
 * snapshot may see of that, we have to know: a transaction that has locked the
 * table before takes in no invalidations by itself.
 */
void
indexes_open(FactIndexes *indexes, Relation rel, const FactColumns *columns,
			 Snapshot snapshot)
{
	for (;;)
	{
		uint64		changes;

		CHECK_FOR_INTERRUPTS();
		if (RecoveryInProgress())
			AcceptInvalidationMessages();
		changes = SharedInvalidMessageCounter;
		look_for_indexes(indexes, rel, columns, snapshot);
		if (indexes->btree != NULL || indexes->zone != NULL)
			return;
		AcceptInvalidationMessages();
		if (changes == SharedInvalidMessageCounter)
			no_index_error(rel, columns);
	}
}

void
indexes_close(FactIndexes *indexes)
{
	if (indexes->btree != NULL)
		index_close(indexes->btree, NoLock);
	if (indexes->zone != NULL)
		index_close(indexes->zone, NoLock);
}
