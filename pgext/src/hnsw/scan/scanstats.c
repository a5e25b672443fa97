/*
 * scanstats.c
 *	  How this backend's scans of sorted_hnsw indexes went.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "hnsw/scan/scanstats.h"
#include "rolecounts.h"

typedef struct Counts
{
	Oid			role;			/* key */
	int64		scans;
	int64		flat;
	int64		bounded;
	SeedScanStats sum;
	SeedScanStats last;
} Counts;

static RoleCounts counts_by_role = {"sorted_hnsw scan counts", sizeof(Counts), NULL, NULL};

PG_FUNCTION_INFO_V1(sorted_hnsw_scan_stats);
PG_FUNCTION_INFO_V1(sorted_hnsw_reset_scan_stats);

const char *
seedscan_source_name(const SeedScanStats *stats)
{
	switch (stats->source)
	{
		case HNSW_SOURCE_SHARED:
			return stats->sketched ? "shared, sketches" : "shared";
		case HNSW_SOURCE_LOCAL:
			return stats->sketched ? "local, sketches" : "local";
		default:
			return "pages";
	}
}

void
hnsw_scanstats_count(const SeedScanStats *stats)
{
	Counts	   *counts = rolecounts_mine(&counts_by_role);

	counts->scans++;
	counts->flat += stats->flat;
	counts->bounded += stats->bounded;
	counts->sum.evaluated += stats->evaluated;
	counts->sum.fetched += stats->fetched;
	counts->sum.pages += stats->pages;
	counts->last = *stats;
}

static void
put_counts(const void *entry, Datum *values)
{
	const Counts *counts = entry;

	values[0] = ObjectIdGetDatum(counts->role);
	values[1] = Int64GetDatum(counts->scans);
	values[2] = Int64GetDatum(counts->flat);
	values[3] = Int64GetDatum(counts->bounded);
	values[4] = Int64GetDatum(counts->sum.evaluated);
	values[5] = Int64GetDatum(counts->sum.fetched);
	values[6] = Int64GetDatum(counts->sum.pages);
	values[7] = BoolGetDatum(counts->last.flat);
	values[8] = BoolGetDatum(counts->last.bounded);
	values[9] = Int64GetDatum(counts->last.evaluated);
	values[10] = Int64GetDatum(counts->last.fetched);
	values[11] = Int64GetDatum(counts->last.pages);
	values[12] = CStringGetTextDatum(seedscan_source_name(&counts->last));
}

Datum
sorted_hnsw_scan_stats(PG_FUNCTION_ARGS)
{
	return rolecounts_show(&counts_by_role, fcinfo, put_counts);
}

Datum
sorted_hnsw_reset_scan_stats(PG_FUNCTION_ARGS)
{
	rolecounts_reset(&counts_by_role);
	PG_RETURN_VOID();
}
