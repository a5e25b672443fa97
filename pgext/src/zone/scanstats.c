/*
 * scanstats.c
 *	  What lookups in zone maps saved this backend.
 *
 * Backend-local, so there is nothing to lock. Counts are data, so they are kept
 * by the role that looked up (else a SECURITY DEFINER function would betray
 * what it read) and show to that role and to members of pg_read_all_stats.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/hsearch.h"

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

#define SCAN_STATS_COLUMNS 7

static HTAB *counts_by_role = NULL;
static ScanCounts *last_counts = NULL;	/* of the role that looked up last */

PG_FUNCTION_INFO_V1(sorted_heap_scan_stats);
PG_FUNCTION_INFO_V1(sorted_heap_reset_stats);

static ScanCounts *
counts_of_role(Oid role)
{
	bool		found;
	ScanCounts *counts;

	if (last_counts != NULL && last_counts->role == role)
		return last_counts;
	if (counts_by_role == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(Oid);
		control.entrysize = sizeof(ScanCounts);
		counts_by_role = hash_create("sorted_zone scan counts", 8, &control,
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
scanstats_count(BlockNumber heap_blocks, const ZoneBlocks *blocks,
				bool answered)
{
	ScanCounts *counts = counts_of_role(GetUserId());

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

Datum
sorted_heap_scan_stats(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	bool		sees_all = has_privs_of_role(GetUserId(),
											 ROLE_PG_READ_ALL_STATS);
	HASH_SEQ_STATUS status;
	ScanCounts *counts;

	InitMaterializedSRF(fcinfo, 0);
	if (counts_by_role == NULL)
		return (Datum) 0;
	hash_seq_init(&status, counts_by_role);
	while ((counts = hash_seq_search(&status)) != NULL)
	{
		Datum		values[SCAN_STATS_COLUMNS];
		bool		nulls[SCAN_STATS_COLUMNS] = {false};

		if (!sees_all && counts->role != GetUserId())
			continue;
		values[0] = ObjectIdGetDatum(counts->role);
		values[1] = Int64GetDatum(counts->lookups);
		values[2] = Int64GetDatum(counts->declined);
		values[3] = Int64GetDatum(counts->heap_blocks);
		values[4] = Int64GetDatum(counts->bounded_blocks);
		values[5] = Int64GetDatum(counts->searched_blocks);
		values[6] = Int64GetDatum(counts->heap_blocks -
								  counts->bounded_blocks -
								  counts->searched_blocks);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

Datum
sorted_heap_reset_stats(PG_FUNCTION_ARGS)
{
	if (counts_by_role != NULL)
		hash_destroy(counts_by_role);
	counts_by_role = NULL;
	last_counts = NULL;
	PG_RETURN_VOID();
}
