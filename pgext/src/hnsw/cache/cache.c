/*
 * cache.c
 *	  Which version a scan reads: a shared one, its process's own, or none.
 *
 * Shared versions are made by workers (cache/worker.c), so no query waits for
 * one: it reads pages meanwhile. A version to which too much was added is not
 * used; well before that, a newer one is asked for.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "guc.h"
#include "hnsw/cache/cache.h"
#include "hnsw/cache/delta.h"
#include "hnsw/cache/local.h"
#include "hnsw/cache/pins.h"
#include "hnsw/cache/shared.h"
#include "hnsw/cache/worker.h"

/* A newer version is asked for at this part of what scans put up with. */
#define REFRESH_AT 8

static void
ask(Relation index, const HnswCacheKey *key)
{
	if (!hnsw_local_may_ask(index))
		return;
	if (hnsw_shared_want(key) && !hnsw_cache_launch_worker())
		hnsw_shared_unwant(key);
}

static void
held(HnswVersion *version, const HnswMap *map)
{
	Assert(hnsw_image_fits(hnsw_block_image(version->block),
						   version->block->bytes - version->block->image_at,
						   &map->shape.form));
	version->image = hnsw_image_attach(hnsw_block_image(version->block), &map->shape.form);
	hnsw_pins_add(version);
}

/* Who knows this build's files, and could make a version of them? Not a worker,
 * when they are temporary. */
static bool
may_be_shared(Relation index, const HnswMap *map)
{
	return guc_hnsw_shared_cache && !RelationUsesLocalBuffers(index) &&
		hnsw_shared_available() && hnsw_block_estimate(map) <= hnsw_shared_room();
}

/* Too much was added since: the scan would compare it one by one. */
static bool
is_outgrown(const HnswVersion *version, const HnswMap *map)
{
	return hnsw_delta_bound(version->block, map) > hnsw_delta_limit(version->block, map);
}

static HnswVersion *
pin_shared(Relation index, const HnswCacheKey *key, const HnswMap *map)
{
	HnswVersion *version = hnsw_pins_reserve();

	version->source = HNSW_SOURCE_SHARED;
	version->place = hnsw_shared_pin(key, map, &version->block);
	if (version->place == NULL)
	{
		ask(index, key);
		return NULL;
	}
	/* Held before anything that may fail. */
	held(version, map);
	if (hnsw_delta_bound(version->block, map) >
		hnsw_delta_limit(version->block, map) / REFRESH_AT)
		ask(index, key);
	if (!is_outgrown(version, map))
		return version;
	hnsw_cache_unpin(version);
	return NULL;
}

static HnswVersion *
pin_local(Relation index, const HnswCacheKey *key, const HnswMap *map)
{
	HnswVersion *version = hnsw_pins_reserve();
	HnswLocal  *local = hnsw_local_pin(index, key, map);

	if (local == NULL)
		return NULL;
	version->source = HNSW_SOURCE_LOCAL;
	version->place = local;
	version->block = local->block;
	held(version, map);
	if (!is_outgrown(version, map))
		return version;
	hnsw_cache_unpin(version);
	hnsw_local_outgrown(local);
	return NULL;
}

HnswVersion *
hnsw_cache_pin(Relation index, const HnswMap *map)
{
	HnswCacheKey key;

	/* Whether a snapshot is too old for a page is seen on the page alone. */
	if (map->entry.node == HNSW_NO_NODE || snapshots_grow_old())
		return NULL;
	key = hnsw_cache_key(index, map->nonce);
	if (may_be_shared(index, map))
	{
		if (!hnsw_map_in_change(map))
			return pin_shared(index, &key, map);
		/* A worker sees whether it really is, or a VACUUM was broken off. */
		if (!RecoveryInProgress())
			ask(index, &key);
		return NULL;
	}
	return pin_local(index, &key, map);
}
