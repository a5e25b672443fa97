/*
 * stats.c
 *	  sorted_heap_zonemap_stats(regclass): what the zone maps of a table hold,
 *	  one row for each.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "tableaccess.h"
#include "zone/pageio.h"
#include "zone/stats.h"
#include "zone/zone.h"

enum
{
	STATS_INDEX,
	STATS_BLOCKS,
	STATS_SEALED,
	STATS_WIDE,
	STATS_EMPTY,
	STATS_OPEN,
	STATS_LOOSE,
	STATS_TRIED,
	STATS_GATHERING,
	STATS_CHAINS,
	STATS_WIDENS,
	STATS_INDEX_PAGES,
	STATS_COLUMNS
};

static void add_leaf(ZoneStats *stats, const ZoneLeaf *leaf, int nentries);
static void index_stats(Relation heap, Relation index, ReturnSetInfo *result);

PG_FUNCTION_INFO_V1(sorted_heap_zonemap_stats);

Datum
sorted_heap_zonemap_stats(PG_FUNCTION_ARGS)
{
	Relation	heap = table_open_for(PG_GETARG_OID(0), TABLE_MAY_MONITOR,
									  AccessShareLock);
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, zone_indexes_of(heap))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		index_stats(heap, index, (ReturnSetInfo *) fcinfo->resultinfo);
		index_close(index, AccessShareLock);
	}
	relation_close(heap, AccessShareLock);
	return (Datum) 0;
}

static void
index_stats(Relation heap, Relation index, ReturnSetInfo *result)
{
	ZoneStats	stats;
	Datum		values[STATS_COLUMNS];
	bool		nulls[STATS_COLUMNS] = {false};

	zone_stats_collect(heap, index, &stats);
	values[STATS_INDEX] = ObjectIdGetDatum(RelationGetRelid(index));
	values[STATS_BLOCKS] = Int64GetDatum(stats.heap_blocks);
	values[STATS_SEALED] = Int64GetDatum(stats.states[ZONE_SEALED]);
	values[STATS_WIDE] = Int64GetDatum(stats.states[ZONE_WIDE]);
	values[STATS_EMPTY] = Int64GetDatum(stats.states[ZONE_EMPTY]);
	values[STATS_OPEN] = Int64GetDatum(stats.states[ZONE_OPEN]);
	values[STATS_LOOSE] = Int64GetDatum(stats.states[ZONE_LOOSE]);
	values[STATS_TRIED] = Int64GetDatum(stats.states[ZONE_TRIED]);
	values[STATS_GATHERING] = Int64GetDatum(stats.states[ZONE_GATHERING]);
	values[STATS_CHAINS] = Int64GetDatum(stats.chains);
	values[STATS_WIDENS] = Int64GetDatum(stats.widens);
	values[STATS_INDEX_PAGES] = Int64GetDatum(RelationGetNumberOfBlocks(index));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

void
zone_stats_collect(Relation heap, Relation index, ZoneStats *stats)
{
	BlockNumber heap_blocks = RelationGetNumberOfBlocks(heap);

	memset(stats, 0, sizeof(*stats));
	stats->heap_blocks = heap_blocks;
	for (uint32 zone = 0; zone < zone_count(heap_blocks); zone++)
	{
		BlockNumber address = zone_leaf_address(zone);
		int			nentries = zone_entries_within(zone, heap_blocks);
		Buffer		buffer = zone_pin(index, address);

		CHECK_FOR_INTERRUPTS();
		if (!BufferIsValid(buffer))
		{
			stats->states[ZONE_OPEN] += nentries;
			continue;
		}
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		if (zone_page_check(index, address, BufferGetPage(buffer)))
			add_leaf(stats, zone_leaf(BufferGetPage(buffer)), nentries);
		else
			stats->states[ZONE_OPEN] += nentries;
		UnlockReleaseBuffer(buffer);
	}
}

/* Chains go on from page to page as long as their bounds ascend. */
static void
add_leaf(ZoneStats *stats, const ZoneLeaf *leaf, int nentries)
{
	stats->widens += leaf->widens;
	for (int i = 0; i < nentries; i++)
	{
		uint8		state = leaf->states[i];

		stats->states[state < ZONE_STATES ? state : ZONE_OPEN]++;
		if (!zone_state_is_bounded(state))
			continue;
		if (stats->chains == 0 ||
			zone_pair_compare(leaf->bounds[i].low, stats->chain_end) < 0)
			stats->chains++;
		stats->chain_end = leaf->bounds[i].high;
	}
}
