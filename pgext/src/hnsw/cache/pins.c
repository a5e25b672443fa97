/*
 * pins.c
 *	  Versions that this process holds.
 *
 * A scan gives its version up when it ends. After an error it never does, so the
 * record of a pin names the resource owner that was current, and goes with it.
 * That is what buffer pins do; kinds of resources of extensions came with 17, but
 * the callback that all versions have says as much.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "hnsw/cache/local.h"
#include "hnsw/cache/pins.h"
#include "hnsw/cache/shared.h"

static dlist_head held = DLIST_STATIC_INIT(held);
static dlist_head spare = DLIST_STATIC_INIT(spare);

static void
give_up(HnswVersion *version)
{
	dlist_delete(&version->node);
	dlist_push_head(&spare, &version->node);
	if (version->source == HNSW_SOURCE_SHARED)
		hnsw_shared_unpin(version->place);
	else
		hnsw_local_unpin(version->place);
}

static void
release_owned(ResourceReleasePhase phase, bool is_commit, bool is_top_level, void *arg)
{
	dlist_mutable_iter iter;

	if (phase != RESOURCE_RELEASE_AFTER_LOCKS)
		return;
	dlist_foreach_modify(iter, &held)
	{
		HnswVersion *version = dlist_container(HnswVersion, node, iter.cur);

		if (version->owner != CurrentResourceOwner)
			continue;
		if (is_commit)
			elog(WARNING, "sorted_hnsw cache: a scan has not given up its version");
		give_up(version);
	}
}

HnswVersion *
hnsw_pins_reserve(void)
{
	static bool registered = false;

	if (!registered)
		RegisterResourceReleaseCallback(release_owned, NULL);
	registered = true;
	if (dlist_is_empty(&spare))
	{
		HnswVersion *version = MemoryContextAllocZero(TopMemoryContext, sizeof(HnswVersion));

		dlist_push_head(&spare, &version->node);
	}
	return dlist_head_element(HnswVersion, node, &spare);
}

void
hnsw_pins_add(HnswVersion *version)
{
	dlist_delete(&version->node);
	version->owner = CurrentResourceOwner;
	dlist_push_head(&held, &version->node);
}

void
hnsw_cache_unpin(HnswVersion *version)
{
	give_up(version);
}
