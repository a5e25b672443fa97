/*
 * stats.c
 *	  sorted_hnsw_cache_stats(): which versions there are.
 *
 * Shared ones for members of pg_monitor and for an index's owner; this process's
 * own for whoever asks, who has read those indexes.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "compat.h"
#include "hnsw/cache/files.h"
#include "hnsw/cache/local.h"
#include "hnsw/cache/shared.h"

#define COLUMNS 8

PG_FUNCTION_INFO_V1(sorted_hnsw_cache_stats);

static const char *const state_names[] = {
	[HNSW_SLOT_EMPTY] = "empty",
	[HNSW_SLOT_WANTED] = "wanted",
	[HNSW_SLOT_BUILDING] = "building",
	[HNSW_SLOT_READY] = "ready",
	[HNSW_SLOT_RETIRED] = "retired",
	[HNSW_SLOT_FAILED] = "failed"
};

/* May the caller know of a version? Indexes may be gone that one was asked for. */
static bool
is_owned(const HnswCacheKey *key)
{
	return key->database == MyDatabaseId &&
		hnsw_cache_files(key->relid) != 0 &&
		table_ownercheck(key->relid, GetUserId());
}

static void
put_row(ReturnSetInfo *result, const HnswCacheKey *key, const char *source,
		const char *state, int64 nodes, int64 bytes, uint32 pins, uint64 scans)
{
	bool		nulls[COLUMNS] = {false};
	Datum		values[COLUMNS] = {
		ObjectIdGetDatum(key->database),
		ObjectIdGetDatum(key->relid),
		CStringGetTextDatum(source),
		CStringGetTextDatum(state),
		Int64GetDatum(nodes),
		Int64GetDatum(bytes),
		Int32GetDatum((int32) pins),
		Int64GetDatum((int64) scans)
	};

	/* Names of other databases' indexes are not to be had here. */
	nulls[1] = key->database != MyDatabaseId;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_shared(ReturnSetInfo *result)
{
	bool		monitors = has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
	HnswSharedSlot *slots;

	if (!hnsw_shared_available())
		return;
	hnsw_shared_sweep();
	slots = hnsw_shared_copy();
	for (int i = 0; i < HNSW_SHARED_SLOTS; i++)
	{
		HnswSharedSlot *slot = &slots[i];

		if (slot->state == HNSW_SLOT_EMPTY ||
			(!monitors && !is_owned(&slot->key)))
			continue;
		put_row(result, &slot->key, "shared", state_names[slot->state], slot->nodes,
				(int64) slot->bytes, pg_atomic_read_u32(&slot->pins),
				pg_atomic_read_u64(&slot->scans));
	}
}

static void
put_local(ReturnSetInfo *result)
{
	HnswLocal  *local = NULL;

	hnsw_local_sweep();
	while ((local = hnsw_local_next(local)) != NULL)
	{
		const HnswImageHead *image = hnsw_block_image(local->block);

		put_row(result, &local->key, "local", "ready", image->nused,
				(int64) local->block->bytes, local->pins, local->scans);
	}
}

Datum
sorted_hnsw_cache_stats(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	put_shared((ReturnSetInfo *) fcinfo->resultinfo);
	put_local((ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}
