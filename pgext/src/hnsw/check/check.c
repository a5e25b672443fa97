/*
 * check.c
 *	  sorted_hnsw_check(regclass): faults of a table's sorted_hnsw indexes, or of
 *	  one of them, a row each.
 *
 * Under writers, without false alarms: inserts change the graph in steps, each of
 * which leaves it sound, but not a reader that looks at one page after the other.
 * So what looks wrong of the graph is looked at once more with inserts kept out
 * (their page lock, exclusively), and only that counts. VACUUM is kept out by its
 * own lock on the table. Where that lock is not to be had, since somebody
 * maintains the table or this is a standby, the pages are checked one by one and
 * a warning says that the graph and the rows were not.
 *
 * An invalid index is named and not looked at.
 *
 * A slot whose insert was broken off is no fault: its row is visible to nobody.
 * Neither are slots that a broken vacuum has marked. Both give a warning.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "hnsw/am.h"
#include "hnsw/check/check.h"
#include "tableaccess.h"

static void
check_index(HnswIndexCheck *check)
{
	check->nfaults = check->nwarnings = 0;
	if (!hnsw_check_pages(check))
		return;
	if (!check->alone)
	{
		hnsw_check_warning(check, InvalidBlockNumber,
						   "graph and rows are not checked: the table is being maintained, or this is a standby");
		return;
	}
	hnsw_check_graph(check);
	hnsw_check_rows(check);
}

/* The table of a relation that is a table or an index. */
static Oid
table_of(Oid relid)
{
	return get_rel_relkind(relid) == RELKIND_INDEX ? IndexGetRelation(relid, true) : relid;
}

static void
check_indexes(HnswIndexCheck *check, Oid only)
{
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(check->heap))
	{
		if (OidIsValid(only) && lfirst_oid(lc) != only)
			continue;
		check->index = index_open(lfirst_oid(lc), AccessShareLock);
		if (!hnsw_is_hnsw_index(check->index))
			;
		else if (check->index->rd_index->indisvalid)
			check_index(check);
		else
		{
			/* Nobody reads it; it may have no page. */
			hnsw_check_warning(check, InvalidBlockNumber,
							   "the index is invalid: it is being built, or that was broken off");
		}
		index_close(check->index, AccessShareLock);
	}
}

PG_FUNCTION_INFO_V1(sorted_hnsw_check);

/*
 * Expressions of indexes run as the table's owner, as in maintenance.
 */
Datum
sorted_hnsw_check(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);
	Oid			heapid = table_of(relid);
	HnswIndexCheck check = {0};
	Oid			user;
	int			security;
	int			nest;

	check.heap = table_open_for(OidIsValid(heapid) ? heapid : relid, TABLE_MAY_MONITOR,
								AccessShareLock);
	heapid = RelationGetRelid(check.heap);
	AcceptInvalidationMessages();
	InitMaterializedSRF(fcinfo, 0);
	check.result = (ReturnSetInfo *) fcinfo->resultinfo;
	check.alone = !RecoveryInProgress() &&
		ConditionalLockRelationOid(heapid, ShareUpdateExclusiveLock);
	check.snapshot = RegisterSnapshot(GetLatestSnapshot());
	PushActiveSnapshot(check.snapshot);
	check.strategy = GetAccessStrategy(BAS_BULKREAD);

	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(check.heap->rd_rel->relowner,
						   security | SECURITY_RESTRICTED_OPERATION);
	nest = NewGUCNestLevel();
	restrict_search_path();
	check_indexes(&check, relid == heapid ? InvalidOid : relid);
	AtEOXact_GUC(false, nest);
	SetUserIdAndSecContext(user, security);

	FreeAccessStrategy(check.strategy);
	PopActiveSnapshot();
	UnregisterSnapshot(check.snapshot);
	if (check.alone)
		UnlockRelationOid(heapid, ShareUpdateExclusiveLock);
	relation_close(check.heap, AccessShareLock);
	return (Datum) 0;
}
