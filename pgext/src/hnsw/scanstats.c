/*
 * scanstats.c
 *	  How this backend's scans of sorted_hnsw indexes went.
 *
 * Backend-local, kept by the role that scanned and shown to that role and to
 * members of pg_read_all_stats, as counts of lookups in zone maps are.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/hsearch.h"

#include "hnsw/scanstats.h"

typedef struct Counts
{
	Oid			role;			/* key */
	int64		scans;
	int64		flat;
	int64		bounded;
	SeedScanStats sum;
	SeedScanStats last;
} Counts;

#define STATS_COLUMNS 12

static HTAB *counts_by_role = NULL;
static Counts *last_counts = NULL;	/* of the role that scanned last */

PG_FUNCTION_INFO_V1(sorted_hnsw_scan_stats);
PG_FUNCTION_INFO_V1(sorted_hnsw_reset_scan_stats);

static Counts *
counts_of_role(Oid role)
{
	bool		found;
	Counts	   *counts;

	if (last_counts != NULL && last_counts->role == role)
		return last_counts;
	if (counts_by_role == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(Oid);
		control.entrysize = sizeof(Counts);
		counts_by_role = hash_create("sorted_hnsw scan counts", 8, &control,
									 HASH_ELEM | HASH_BLOBS);
	}
	counts = hash_search(counts_by_role, &role, HASH_ENTER, &found);
	if (!found)
	{
		memset(counts, 0, sizeof(*counts));
		counts->role = role;
	}
	last_counts = counts;
	return counts;
}

void
hnsw_scanstats_count(const SeedScanStats *stats)
{
	Counts	   *counts = counts_of_role(GetUserId());

	counts->scans++;
	counts->flat += stats->flat;
	counts->bounded += stats->bounded;
	counts->sum.evaluated += stats->evaluated;
	counts->sum.fetched += stats->fetched;
	counts->sum.pages += stats->pages;
	counts->last = *stats;
}

static void
put_counts(ReturnSetInfo *result, const Counts *counts)
{
	bool		nulls[STATS_COLUMNS] = {false};
	Datum		values[STATS_COLUMNS] = {
		ObjectIdGetDatum(counts->role),
		Int64GetDatum(counts->scans),
		Int64GetDatum(counts->flat),
		Int64GetDatum(counts->bounded),
		Int64GetDatum(counts->sum.evaluated),
		Int64GetDatum(counts->sum.fetched),
		Int64GetDatum(counts->sum.pages),
		BoolGetDatum(counts->last.flat),
		BoolGetDatum(counts->last.bounded),
		Int64GetDatum(counts->last.evaluated),
		Int64GetDatum(counts->last.fetched),
		Int64GetDatum(counts->last.pages)
	};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
sorted_hnsw_scan_stats(PG_FUNCTION_ARGS)
{
	bool		sees_all = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);
	HASH_SEQ_STATUS status;
	Counts	   *counts;

	InitMaterializedSRF(fcinfo, 0);
	if (counts_by_role == NULL)
		return (Datum) 0;
	hash_seq_init(&status, counts_by_role);
	while ((counts = hash_seq_search(&status)) != NULL)
	{
		if (sees_all || counts->role == GetUserId())
			put_counts((ReturnSetInfo *) fcinfo->resultinfo, counts);
	}
	return (Datum) 0;
}

Datum
sorted_hnsw_reset_scan_stats(PG_FUNCTION_ARGS)
{
	if (counts_by_role != NULL)
		hash_destroy(counts_by_role);
	counts_by_role = NULL;
	last_counts = NULL;
	PG_RETURN_VOID();
}
