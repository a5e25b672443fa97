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
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "hnsw/am.h"
#include "hnsw/check/check.h"
#include "tableaccess.h"

static void add_row(HnswIndexCheck *check, BlockNumber block, const char *severity,
					const char *format, va_list arguments) pg_attribute_printf(4, 0);

static void
add_row(HnswIndexCheck *check, BlockNumber block, const char *severity,
		const char *format, va_list arguments)
{
	Datum		values[4];
	bool		nulls[4] = {false, block == InvalidBlockNumber, false, false};
	StringInfoData text;

	initStringInfo(&text);
	for (;;)
	{
		va_list		copy;
		int			needed;

		va_copy(copy, arguments);
		needed = appendStringInfoVA(&text, format, copy);
		va_end(copy);
		if (needed == 0)
			break;
		enlargeStringInfo(&text, needed);
	}
	values[0] = ObjectIdGetDatum(RelationGetRelid(check->index));
	values[1] = Int64GetDatum(block);
	values[2] = CStringGetTextDatum(text.data);
	values[3] = CStringGetTextDatum(severity);
	tuplestore_putvalues(check->result->setResult, check->result->setDesc, values, nulls);
	pfree(text.data);
}

void
hnsw_check_fault(HnswIndexCheck *check, BlockNumber block, const char *format,...)
{
	va_list		arguments;

	check->nfaults++;
	if (check->silent)
		return;
	va_start(arguments, format);
	add_row(check, block, "fault", format, arguments);
	va_end(arguments);
}

void
hnsw_check_warning(HnswIndexCheck *check, BlockNumber block, const char *format,...)
{
	va_list		arguments;

	check->nwarnings++;
	if (check->silent)
		return;
	va_start(arguments, format);
	add_row(check, block, "warning", format, arguments);
	va_end(arguments);
}

Buffer
hnsw_check_slot(HnswIndexCheck *check, HnswSpace space, uint32 number, uint32 *slot)
{
	uint32		per_page = check->map.shape.per_page[space];
	uint32		page = per_page > 0 ? number / per_page : HNSW_NO_PAGE;
	BlockNumber block = hnsw_map_block(&check->map, space, page);
	Buffer		buffer;

	CHECK_FOR_INTERRUPTS();
	if (block == InvalidBlockNumber || block >= RelationGetNumberOfBlocks(check->index))
		return InvalidBuffer;
	buffer = ReadBufferExtended(check->index, MAIN_FORKNUM, block, RBM_NORMAL, check->strategy);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	*slot = number % per_page;
	if (hnsw_page_fault(BufferGetPage(buffer), hnsw_space_page_kind(space), page) == NULL)
		return buffer;
	UnlockReleaseBuffer(buffer);
	return InvalidBuffer;
}

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
