/*
 * check.c
 *	  sorted_heap_check(regclass): faults of a table's zone maps, one row each.
 *
 * What is checked: every page is what its address says; a chain ascends; each
 * summary is that of its child; and the rule itself, that an entry with bounds
 * covers every tuple on its block that is not dead. Rows out of key order are
 * no fault of anything, since order is an aim; of sorted_heap tables they give
 * one row that is a warning.
 *
 * Under writers, without false alarms: a block's tuples are read first, then
 * its entry. A tuple counts only if its inserter has committed, so its cover
 * came before; and only if our snapshot, which keeps it from being pruned,
 * finds it not dead, so that no sealer can miss it in between.
 *
 * Inserters that our snapshot does not see do not count: on a standby, nobody
 * waits for us before an index that was valid a moment ago is left to decay, as
 * REINDEX CONCURRENTLY does. What our snapshot sees was covered while the index
 * was valid, since we look at that after the snapshot, and with invalidations
 * taken in: a transaction that has locked the table before takes none by itself.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "tableaccess.h"
#include "zone/blockkeys.h"
#include "zone/pageio.h"
#include "zone/strays.h"
#include "zone/zone.h"

typedef struct Check
{
	Relation	heap;
	Relation	index;
	ZoneKey		key;
	Snapshot	snapshot;
	TransactionId horizon;		/* deleted before: dead */
	BufferAccessStrategy strategy;
	ReturnSetInfo *result;
	int64		nfaults;		/* of this index */
	int64		nrows;			/* not dead, of the blocks read */

	/* Of the block being read. */
	ZoneRange	range;			/* of its tuples that are not dead */
	List	   *fetched;		/* copies of tuples whose keys must be fetched */
} Check;

static void check_index(Check *check);
static void check_order(Check *check);
static void check_leaf(Check *check, uint32 zone);
static void check_summaries(Check *check, uint32 zone, Buffer leaf_buffer);
static void check_block(Check *check, BlockNumber block, Buffer leaf_buffer);
static void add_tuple(HeapTuple tuple, Buffer buffer, void *arg);
static void report(Check *check, int64 block, const char *format,...) pg_attribute_printf(3, 4);

PG_FUNCTION_INFO_V1(sorted_heap_check);

Datum
sorted_heap_check(PG_FUNCTION_ARGS)
{
	Check		check = {0};
	ListCell   *lc;

	check.heap = table_open_for(PG_GETARG_OID(0), TABLE_MAY_MONITOR,
								AccessShareLock);
	AcceptInvalidationMessages();
	check.snapshot = GetActiveSnapshot();
	check.horizon = check.snapshot->xmin;
	check.strategy = GetAccessStrategy(BAS_BULKREAD);
	InitMaterializedSRF(fcinfo, 0);
	check.result = (ReturnSetInfo *) fcinfo->resultinfo;

	foreach(lc, zone_indexes_of(check.heap))
	{
		check.index = index_open(lfirst_oid(lc), AccessShareLock);
		/* Nobody keeps up or reads one that is not ready or not valid. */
		check.nfaults = check.nrows = 0;
		if (check.index->rd_index->indisvalid)
		{
			check_index(&check);
			/* A map that cannot be trusted tells nothing of order. */
			if (check.nfaults == 0)
				check_order(&check);
		}
		index_close(check.index, AccessShareLock);
	}

	FreeAccessStrategy(check.strategy);
	relation_close(check.heap, AccessShareLock);
	return (Datum) 0;
}

static void
add_row(Check *check, int64 block, const char *text, const char *severity)
{
	Datum		values[4];
	bool		nulls[4] = {false, block < 0, false, false};

	values[0] = ObjectIdGetDatum(RelationGetRelid(check->index));
	values[1] = Int64GetDatum(block);
	values[2] = CStringGetTextDatum(text);
	values[3] = CStringGetTextDatum(severity);
	tuplestore_putvalues(check->result->setResult, check->result->setDesc,
						 values, nulls);
}

/* block is of the heap, or -1 for a fault of the map itself. */
static void
report(Check *check, int64 block, const char *format,...)
{
	StringInfoData fault;

	initStringInfo(&fault);
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, format);
		needed = appendStringInfoVA(&fault, format, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&fault, needed);
	}
	add_row(check, block, fault.data, "fault");
	pfree(fault.data);
	check->nfaults++;
}

/* Lock a page shared and report it if it is not what belongs there; true if it
 * can be read. */
static bool
lock_sound_page(Check *check, Buffer buffer)
{
	BlockNumber address = BufferGetBlockNumber(buffer);
	const char *fault;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	fault = zone_page_fault(address, BufferGetPage(buffer));
	if (fault == NULL && !PageIsNew(BufferGetPage(buffer)))
		return true;
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (fault != NULL)
		report(check, -1, "page %u of the zone map is invalid: %s",
			   address, fault);
	return false;
}

static void
check_index(Check *check)
{
	Buffer		meta;
	const char *fault;

	zone_key_of_index(check->index, &check->key);
	if (RelationGetNumberOfBlocks(check->index) == 0)
	{
		report(check, -1, "the zone map has no metapage");
		return;
	}
	meta = ReadBuffer(check->index, ZONE_META_BLOCK);
	LockBuffer(meta, BUFFER_LOCK_SHARE);
	fault = zone_meta_fault(BufferGetPage(meta), &check->key);
	UnlockReleaseBuffer(meta);
	if (fault != NULL)
	{
		report(check, -1, "the metapage is invalid: %s", fault);
		return;
	}

	for (uint32 zone = 0;
		 zone < zone_count(RelationGetNumberOfBlocks(check->heap)); zone++)
		check_leaf(check, zone);
}

static void
check_leaf(Check *check, uint32 zone)
{
	BlockNumber address = zone_leaf_address(zone);
	BlockNumber heap_blocks = RelationGetNumberOfBlocks(check->heap);
	int			nentries = zone_entries_within(zone, heap_blocks);
	Buffer		leaf_buffer;

	/* A page that is not there makes no promise. */
	if (address >= RelationGetNumberOfBlocks(check->index))
		return;

	leaf_buffer = ReadBuffer(check->index, address);
	check_summaries(check, zone, leaf_buffer);
	for (int i = 0; i < nentries; i++)
	{
		CHECK_FOR_INTERRUPTS();
		check_block(check, zone_first_block(zone) + i, leaf_buffer);
	}
	ReleaseBuffer(leaf_buffer);
}

/* Does the parent say of this child what the child says? Both are locked by the
 * caller. */
static void
check_parent(Check *check, Buffer parent, int child, ZoneSummary summary)
{
	if (!zone_directory_differs(zone_directory(BufferGetPage(parent)), child,
								&summary))
		return;
	report(check, -1, "page %u of the zone map has a wrong summary of its child %d",
		   BufferGetBlockNumber(parent), child);
}

/* The zone page's own order, its directory and the top page above. */
static void
check_summaries(Check *check, uint32 zone, Buffer leaf_buffer)
{
	uint32		number = zone / ZONE_FANOUT;
	Buffer		directory = ReadBuffer(check->index, zone_directory_address(number));
	Buffer		top = ReadBuffer(check->index, zone_top_address(number / ZONE_FANOUT));
	ZonePair	last = {0, 0};

	if (lock_sound_page(check, leaf_buffer))
	{
		const ZoneLeaf *leaf = zone_leaf(BufferGetPage(leaf_buffer));

		for (int i = 0; i < ZONE_ENTRIES; i++)
		{
			if (leaf->states[i] >= ZONE_STATES)
				report(check, zone_first_block(zone) + i,
					   "the entry has an unrecognized state: %u",
					   leaf->states[i]);
			if (!zone_state_is_bounded(leaf->states[i]))
				continue;
			if (zone_range_is_empty(leaf->bounds[i]) ||
				zone_pair_compare(leaf->bounds[i].low, last) < 0)
				report(check, zone_first_block(zone) + i,
					   "the entry's bounds do not ascend");
			last = leaf->bounds[i].high;
		}
		if (lock_sound_page(check, directory))
		{
			check_parent(check, directory, zone % ZONE_FANOUT,
						 zone_leaf_summary(leaf));
			if (lock_sound_page(check, top))
			{
				check_parent(check, top, number % ZONE_FANOUT,
							 zone_directory_summary(zone_directory(BufferGetPage(directory))));
				LockBuffer(top, BUFFER_LOCK_UNLOCK);
			}
			LockBuffer(directory, BUFFER_LOCK_UNLOCK);
		}
		LockBuffer(leaf_buffer, BUFFER_LOCK_UNLOCK);
	}
	ReleaseBuffer(top);
	ReleaseBuffer(directory);
}

static void
check_block(Check *check, BlockNumber block, Buffer leaf_buffer)
{
	int			entry = zone_entry_of_block(block);
	ZoneRange	bounds = zone_range_everything;
	uint8		state = ZONE_OPEN;
	ListCell   *lc;

	check->range = zone_range_nothing;
	check->fetched = NIL;
	(void) block_keys_read(check->heap, block, &check->key, check->strategy,
						   add_tuple, check);
	foreach(lc, check->fetched)
	{
		HeapTuple	tuple = (HeapTuple) lfirst(lc);
		ZoneRange	range;

		block_tuple_range(check->heap, tuple, &check->key, &range);
		check->range = zone_range_union(check->range, range);
		heap_freetuple(tuple);
	}
	list_free(check->fetched);

	LockBuffer(leaf_buffer, BUFFER_LOCK_SHARE);
	if (zone_page_fault(BufferGetBlockNumber(leaf_buffer),
						BufferGetPage(leaf_buffer)) == NULL)
	{
		const ZoneLeaf *leaf = zone_leaf(BufferGetPage(leaf_buffer));

		state = leaf->states[entry];
		bounds = leaf->bounds[entry];
	}
	LockBuffer(leaf_buffer, BUFFER_LOCK_UNLOCK);

	if (state == ZONE_EMPTY && !zone_range_is_empty(check->range))
		report(check, block, "the zone map takes the block for empty, but it has keys");
	else if (zone_state_is_bounded(state) &&
			 !zone_range_is_empty(check->range) &&
			 !zone_range_contains(bounds, check->range))
		report(check, block, "the zone map does not cover all keys of the block");
}

static void
add_tuple(HeapTuple tuple, Buffer buffer, void *arg)
{
	Check	   *check = (Check *) arg;
	ZoneRange	range;

	switch (HeapTupleSatisfiesVacuum(tuple, check->horizon, buffer))
	{
		case HEAPTUPLE_DEAD:
		case HEAPTUPLE_INSERT_IN_PROGRESS:
			return;
		case HEAPTUPLE_LIVE:
		case HEAPTUPLE_RECENTLY_DEAD:
		case HEAPTUPLE_DELETE_IN_PROGRESS:
			break;
	}
	if (XidInMVCCSnapshot(HeapTupleHeaderGetXmin(tuple->t_data),
						  check->snapshot))
		return;
	check->nrows++;
	if (block_tuple_range_inline(check->heap, tuple, &check->key, &range))
		check->range = zone_range_union(check->range, range);
	else
		check->fetched = lappend(check->fetched, heap_copytuple(tuple));
}

/*
 * How many rows would sorted_heap_merge() have to move, runs of an earlier one
 * left aside? Only asked where order is kept up at all: heap promises none.
 */
static void
check_order(Check *check)
{
	StrayRows	strays;
	char	   *text;

	if (check->heap->rd_tableam == GetHeapamTableAmRoutine())
		return;
	zone_find_strays(check->heap, check->index, GetActiveSnapshot(),
					 RUNS_STAY, &strays);
	if (strays.nrows > 0)
	{
		text = psprintf("rows out of key order: %llu of %lld",
						(unsigned long long) strays.nrows,
						(long long) Max(check->nrows, (int64) strays.nrows));

		add_row(check, -1, text, "warning");
		pfree(text);
	}
	pfree(strays.blocks);
	if (strays.tids != NULL)
		pfree(strays.tids);
}
