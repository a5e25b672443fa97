/*
 * order.c
 *	  Which index gives a table its physical order.
 *
 * Looked up again for each batch and each rewrite, from the relation and
 * system caches: about a microsecond, and nothing of ours can go stale.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "tableam/sorted_heap.h"

static bool is_valid_primary_key(Oid index);
static bool is_btree(Oid index);

/*
 * RelationGetPrimaryKeyIndex() is not used, because it leaves out deferrable
 * primary keys, which order rows as well as immediate ones. A primary key that
 * is not a btree (WITHOUT OVERLAPS) has no linear order.
 */
Oid
sorted_heap_order_index(Relation rel)
{
	List	   *indexes;
	Oid			found = InvalidOid;
	ListCell   *lc;

	if (!rel->rd_rel->relhasindex)
		return InvalidOid;

	indexes = RelationGetIndexList(rel);
	foreach(lc, indexes)
	{
		if (is_valid_primary_key(lfirst_oid(lc)))
		{
			found = lfirst_oid(lc);
			break;
		}
	}
	list_free(indexes);

	if (OidIsValid(found) && !is_btree(found))
		return InvalidOid;
	return found;
}

static bool
is_valid_primary_key(Oid index)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	Form_pg_index form;
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for index %u", index);
	form = (Form_pg_index) GETSTRUCT(tuple);
	result = form->indisprimary && form->indisvalid;
	ReleaseSysCache(tuple);
	return result;
}

static bool
is_btree(Oid index)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(index));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", index);
	result = ((Form_pg_class) GETSTRUCT(tuple))->relam == BTREE_AM_OID;
	ReleaseSysCache(tuple);
	return result;
}
