/*
 * local.c
 *	  Versions of this process alone.
 *
 * A version is made by the scan that needs it, so it must be worth its price: as
 * many scans by pages come before it as cost about the same. All versions
 * together stay below sorted_hnsw.local_cache_size; those used longest ago make
 * room. What it knows of indexes that are gone, versions and all, is freed when the
 * process next looks for one, after the catalog's message has come.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "guc.h"
#include "hnsw/cache/files.h"
#include "hnsw/cache/local.h"
#include "hnsw/vacuum/settle.h"

/* To copy a node costs about this part of a scan by pages. */
#define NODES_PER_SCAN 500
#define FIRST_SCANS 8

#define ASK_MS 1000

static HTAB *locals = NULL;
static uint64 uses = 0;
static bool any_suspect = false;

static void
on_invalidation(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS status;
	HnswLocal  *local;

	if (locals == NULL)
		return;
	if (OidIsValid(relid))
	{
		local = hash_search(locals, &relid, HASH_FIND, NULL);
		if (local != NULL)
			local->suspect = any_suspect = true;
		return;
	}
	hash_seq_init(&status, locals);
	while ((local = hash_seq_search(&status)) != NULL)
		local->suspect = any_suspect = true;
}

static HnswLocal *
local_of(Oid relid)
{
	bool		found;
	HnswLocal  *local;

	if (locals == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(Oid);
		control.entrysize = sizeof(HnswLocal);
		locals = hash_create("sorted_hnsw cache", 16, &control, HASH_ELEM | HASH_BLOBS);
		CacheRegisterRelcacheCallback(on_invalidation, (Datum) 0);
	}
	local = hash_search(locals, &relid, HASH_ENTER, &found);
	if (!found)
		memset((char *) local + sizeof(Oid), 0, sizeof(HnswLocal) - sizeof(Oid));
	return local;
}

static void
drop_version(HnswLocal *local)
{
	if (local->context != NULL)
		MemoryContextDelete(local->context);
	local->context = NULL;
	local->block = NULL;
	local->suspect = false;
	local->walked = 0;
}

bool
hnsw_local_may_ask(Relation index)
{
	HnswLocal  *local;
	TimestampTz now = GetCurrentTimestamp();

	hnsw_local_sweep();
	local = local_of(RelationGetRelid(index));

	if (local->asked != 0 && !TimestampDifferenceExceeds(local->asked, now, ASK_MS))
		return false;
	local->asked = now;
	return true;
}

void
hnsw_local_sweep(void)
{
	HASH_SEQ_STATUS status;
	HnswLocal  *local;

	if (!any_suspect)
		return;
	any_suspect = false;
	hash_seq_init(&status, locals);
	while ((local = hash_seq_search(&status)) != NULL)
	{
		uint32		files;

		if (!local->suspect)
			continue;
		files = hnsw_cache_files(local->relid);
		if (files != 0 && (local->block == NULL || files == local->key.relnumber))
			local->suspect = false;
		else if (local->pins > 0)
			any_suspect = true;
		else
		{
			drop_version(local);
			if (files == 0)
				(void) hash_search(locals, &local->relid, HASH_REMOVE, NULL);
		}
	}
}

static Size
limit(void)
{
	return (Size) guc_hnsw_local_cache_size * 1024;
}

/* Room for a version, beside those in use. */
static bool
make_room(Size bytes)
{
	for (;;)
	{
		HASH_SEQ_STATUS status;
		HnswLocal  *local;
		HnswLocal  *oldest = NULL;
		Size		sum = 0;

		hash_seq_init(&status, locals);
		while ((local = hash_seq_search(&status)) != NULL)
		{
			if (local->block == NULL)
				continue;
			sum += local->block->bytes;
			if (local->pins == 0 && (oldest == NULL || local->used < oldest->used))
				oldest = local;
		}
		if (sum <= limit() && limit() - sum >= bytes)
			return true;
		if (oldest == NULL)
			return false;
		drop_version(oldest);
	}
}

static void
make_version(HnswLocal *local, Relation index, const HnswCacheKey *key)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "sorted_hnsw cache work",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext context = AllocSetContextCreate(work, "sorted_hnsw version",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	HnswBlockPlan *plan = palloc0(sizeof(HnswBlockPlan));

	if (hnsw_settle(index, false) && hnsw_block_plan(index, plan) && make_room(plan->bytes))
	{
		char	   *memory = MemoryContextAllocHuge(context, plan->bytes + HNSW_IMAGE_LINE);

		memory = (char *) TYPEALIGN(HNSW_IMAGE_LINE, memory);
		if (hnsw_block_fill(plan, memory))
		{
			MemoryContextSetParent(context, CacheMemoryContext);
			local->context = context;
			local->block = (HnswBlock *) memory;
			local->key = *key;
			local->suspect = false;
		}
	}
	local->walked = 0;
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

HnswLocal *
hnsw_local_pin(Relation index, const HnswCacheKey *key, const HnswMap *map)
{
	HnswLocal  *local;

	if (limit() == 0)
		return NULL;
	hnsw_local_sweep();
	local = local_of(RelationGetRelid(index));
	if (local->block != NULL &&
		(!hnsw_cache_same_key(&local->key, key) || !hnsw_block_is_current(local->block, map)))
	{
		/* A scan that has it goes on with it. */
		if (local->pins > 0)
			return NULL;
		drop_version(local);
	}
	if (local->block == NULL)
	{
		if (local->walked++ < FIRST_SCANS + hnsw_map_nodes(map) / NODES_PER_SCAN ||
			hnsw_block_estimate(map) > limit())
			return NULL;
		make_version(local, index, key);
		if (local->block == NULL || !hnsw_block_is_current(local->block, map))
			return NULL;
	}
	local->pins++;
	local->scans++;
	local->used = ++uses;
	return local;
}

void
hnsw_local_unpin(HnswLocal *local)
{
	Assert(local->pins > 0);
	local->pins--;
}

void
hnsw_local_outgrown(HnswLocal *local)
{
	if (local->pins == 0)
		drop_version(local);
}

HnswLocal *
hnsw_local_next(HnswLocal *after)
{
	HASH_SEQ_STATUS status;
	HnswLocal  *local;
	HnswLocal  *next = NULL;

	if (locals == NULL)
		return NULL;
	hash_seq_init(&status, locals);
	while ((local = hash_seq_search(&status)) != NULL)
	{
		if (local->block != NULL && (after == NULL || local->relid > after->relid) &&
			(next == NULL || local->relid < next->relid))
			next = local;
	}
	return next;
}
