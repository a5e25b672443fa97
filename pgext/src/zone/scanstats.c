/*
 * scanstats.c
 *	  What lookups in zone maps saved this backend.
 */
#include "postgres.h"

#include "rolecounts.h"
#include "zone/scanstats.h"

typedef struct ScanCounts
{
	Oid			role;			/* key */
	int64		lookups;
	int64		declined;		/* given up: too many blocks to search */
	int64		heap_blocks;	/* sizes of the heaps, added up */
	int64		bounded_blocks; /* returned by their bounds */
	int64		searched_blocks;	/* returned because nothing is known */
} ScanCounts;

static RoleCounts counts_by_role = {"sorted_zone scan counts", sizeof(ScanCounts), NULL, NULL};

PG_FUNCTION_INFO_V1(sorted_heap_scan_stats);
PG_FUNCTION_INFO_V1(sorted_heap_reset_stats);

void
scanstats_count(BlockNumber heap_blocks, const ZoneBlocks *blocks,
				bool answered)
{
	ScanCounts *counts = rolecounts_mine(&counts_by_role);

	counts->lookups++;
	if (!answered)
	{
		counts->declined++;
		return;
	}
	counts->heap_blocks += heap_blocks;
	counts->bounded_blocks += blocks->bounded_blocks;
	counts->searched_blocks += blocks->searched_blocks;
}

static void
put_counts(const void *entry, Datum *values)
{
	const ScanCounts *counts = entry;

	values[0] = ObjectIdGetDatum(counts->role);
	values[1] = Int64GetDatum(counts->lookups);
	values[2] = Int64GetDatum(counts->declined);
	values[3] = Int64GetDatum(counts->heap_blocks);
	values[4] = Int64GetDatum(counts->bounded_blocks);
	values[5] = Int64GetDatum(counts->searched_blocks);
	values[6] = Int64GetDatum(counts->heap_blocks - counts->bounded_blocks -
							  counts->searched_blocks);
}

Datum
sorted_heap_scan_stats(PG_FUNCTION_ARGS)
{
	return rolecounts_show(&counts_by_role, fcinfo, put_counts);
}

Datum
sorted_heap_reset_stats(PG_FUNCTION_ARGS)
{
	rolecounts_reset(&counts_by_role);
	PG_RETURN_VOID();
}
