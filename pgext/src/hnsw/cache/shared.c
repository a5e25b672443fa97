/*
 * shared.c
 *	  The table of shared versions: who wants one, who has one, who may go.
 *
 * A reader looks for its slot under the lock in share mode and counts its pin
 * there; whoever retires or evicts holds it exclusively, so a pin is either seen
 * or comes too late. The last reader of a retired version gives its part of
 * the arena back.
 *
 * Nothing can leak: what no scan asks for any more, be its index dropped or its
 * database, is evicted when room is wanted, and the arena does not grow.
 * hnsw_shared_sweep only makes room earlier.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "hnsw/cache/arena.h"
#include "hnsw/cache/files.h"
#include "hnsw/cache/shared.h"

/* A wanted slot that nobody has taken for so long wants another worker. */
#define LAUNCH_MS 10000

/* When a version could not be made now, no other try for so long; when the index
 * is to blame, for longer each time. */
#define RETRY_MS 1000
#define FAILED_MS 5000
#define MAX_DOUBLINGS 7

/* What was used within this time is not evicted for something else: where
 * all indexes in use do not fit, some stay instead of all taking turns. */
#define IN_USE_MS 1000

/* The next version of an index takes at most this share of a worker's time. */
#define REFRESH_SHARE 10

HnswCacheKey
hnsw_cache_key(Relation index, uint64 nonce)
{
	HnswCacheKey key = {nonce};

	key.tablespace = locator_tablespace(relation_locator(index));
	key.database = locator_database(relation_locator(index));
	key.relnumber = locator_number(relation_locator(index));
	key.relid = RelationGetRelid(index);
	return key;
}

bool
hnsw_cache_same_key(const HnswCacheKey *a, const HnswCacheKey *b)
{
	return a->nonce == b->nonce && a->relnumber == b->relnumber &&
		a->database == b->database && a->tablespace == b->tablespace;
}

static bool
same_index(const HnswCacheKey *a, const HnswCacheKey *b)
{
	return a->database == b->database && a->relid == b->relid;
}

static bool
older_than(TimestampTz since, int ms)
{
	return TimestampDifferenceExceeds(since, GetCurrentTimestamp(), ms);
}

/* Is it time for another try? */
static bool
may_be_tried(const HnswSharedSlot *slot)
{
	if (slot->failures == 0)
		return older_than(slot->since, RETRY_MS);
	return older_than(slot->since, FAILED_MS << Min(slot->failures - 1, MAX_DOUBLINGS));
}

static void
enter_state(HnswSharedSlot *slot, HnswSlotState state)
{
	slot->state = state;
	slot->since = GetCurrentTimestamp();
}

/* Its part of the arena is free again. */
static void
empty_slot(HnswSharedSlot *slot)
{
	slot->state = HNSW_SLOT_EMPTY;
	slot->bytes = 0;
	slot->failures = 0;
}

static void
retire(HnswSharedSlot *slot)
{
	if (pg_atomic_read_u32(&slot->pins) == 0)
		empty_slot(slot);
	else
		enter_state(slot, HNSW_SLOT_RETIRED);
}

HnswSharedSlot *
hnsw_shared_pin(const HnswCacheKey *key, const HnswMap *map, const HnswBlock **block)
{
	HnswShared *shared = hnsw_arena_table();
	HnswSharedSlot *found = NULL;
	char	   *arena = hnsw_arena_attach(shared);	/* before there is a pin */

	if (arena == NULL)
		return NULL;
	LWLockAcquire(&shared->lock, LW_SHARED);
	for (int i = 0; i < shared->nslots && found == NULL; i++)
	{
		HnswSharedSlot *slot = &shared->slots[i];

		if (slot->key.nonce != key->nonce || slot->state != HNSW_SLOT_READY ||
			!hnsw_cache_same_key(&slot->key, key) ||
			slot->vacuums != map->vacuums || slot->repairs != map->repairs)
			continue;
		found = slot;
		pg_atomic_fetch_add_u32(&slot->pins, 1);
	}
	LWLockRelease(&shared->lock);
	if (found == NULL)
		return NULL;
	pg_atomic_fetch_add_u64(&found->scans, 1);
	pg_atomic_write_u64(&found->used, (uint64) GetCurrentStatementStartTimestamp());
	*block = (const HnswBlock *) (arena + found->offset);
	return found;
}

void
hnsw_shared_unpin(HnswSharedSlot *slot)
{
	HnswShared *shared = hnsw_arena_table();
	bool		last;

	LWLockAcquire(&shared->lock, LW_SHARED);
	last = pg_atomic_sub_fetch_u32(&slot->pins, 1) == 0 && slot->state == HNSW_SLOT_RETIRED;
	LWLockRelease(&shared->lock);
	if (!last)
		return;
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (slot->state == HNSW_SLOT_RETIRED && pg_atomic_read_u32(&slot->pins) == 0)
		empty_slot(slot);
	LWLockRelease(&shared->lock);
}

/* Was the version used a moment ago? */
static bool
is_in_use(HnswSharedSlot *slot)
{
	return !older_than((TimestampTz) pg_atomic_read_u64(&slot->used), IN_USE_MS);
}

/* A slot for a new version: one in no use, or the one that can best be missed. */
static HnswSharedSlot *
free_slot(HnswShared *shared)
{
	HnswSharedSlot *oldest;

	for (int i = 0; i < HNSW_SHARED_SLOTS; i++)
	{
		HnswSharedSlot *slot = &shared->slots[i];

		if (slot->state != HNSW_SLOT_EMPTY)
			continue;
		shared->nslots = Max(shared->nslots, i + 1);
		return slot;
	}
	for (int i = 0; i < HNSW_SHARED_SLOTS; i++)
	{
		HnswSharedSlot *slot = &shared->slots[i];

		if (slot->state != HNSW_SLOT_FAILED || !may_be_tried(slot))
			continue;
		empty_slot(slot);
		return slot;
	}
	oldest = hnsw_arena_oldest(shared, NULL);
	if (oldest == NULL || is_in_use(oldest))
		return NULL;
	empty_slot(oldest);
	return oldest;
}

/* Is a newer version wanted so soon that making it would be all that is done? */
static bool
too_soon(const HnswSharedSlot *ready)
{
	return !older_than(ready->since, Max(1000, (int) (ready->cost * REFRESH_SHARE / 1000)));
}

bool
hnsw_shared_want(const HnswCacheKey *key)
{
	HnswShared *shared = hnsw_arena_table();
	HnswSharedSlot *slot;
	HnswSharedSlot *mine = NULL;
	bool		launch = true;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < shared->nslots; i++)
	{
		slot = &shared->slots[i];
		if (slot->state == HNSW_SLOT_EMPTY || slot->state == HNSW_SLOT_RETIRED ||
			slot->key.database != key->database)
			continue;
		if (hnsw_cache_same_key(&slot->key, key))
		{
			bool		again = false;

			switch (slot->state)
			{
				case HNSW_SLOT_READY:
					again = !too_soon(slot);
					break;
				case HNSW_SLOT_FAILED:
					again = may_be_tried(slot);
					mine = slot;
					break;
				case HNSW_SLOT_WANTED:
					/* its worker never came: this is another try */
					again = older_than(slot->since, LAUNCH_MS);
					mine = slot;
					break;
				default:
					break;
			}
			if (!again)
			{
				LWLockRelease(&shared->lock);
				return false;
			}
		}
		/* Whoever is at work looks for more before it ends. */
		if (slot->state == HNSW_SLOT_BUILDING ||
			(slot->state == HNSW_SLOT_WANTED && !older_than(slot->since, LAUNCH_MS)))
			launch = false;
	}
	slot = mine != NULL ? mine : free_slot(shared);
	if (slot != NULL)
	{
		slot->key = *key;
		slot->bytes = 0;
		slot->nodes = 0;
		pg_atomic_write_u32(&slot->pins, 0);
		pg_atomic_write_u64(&slot->scans, 0);
		enter_state(slot, HNSW_SLOT_WANTED);
	}
	LWLockRelease(&shared->lock);
	return slot != NULL && launch;
}

void
hnsw_shared_unwant(const HnswCacheKey *key)
{
	HnswShared *shared = hnsw_arena_table();

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < shared->nslots; i++)
	{
		HnswSharedSlot *slot = &shared->slots[i];

		if (slot->state == HNSW_SLOT_WANTED && hnsw_cache_same_key(&slot->key, key))
			enter_state(slot, HNSW_SLOT_FAILED);
	}
	LWLockRelease(&shared->lock);
}

HnswSharedSlot *
hnsw_shared_take(void)
{
	HnswShared *shared = hnsw_arena_table();
	HnswSharedSlot *taken = NULL;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < shared->nslots && taken == NULL; i++)
	{
		HnswSharedSlot *slot = &shared->slots[i];

		if (slot->state != HNSW_SLOT_WANTED || slot->key.database != MyDatabaseId)
			continue;
		enter_state(slot, HNSW_SLOT_BUILDING);
		slot->builder = MyProcPid;
		taken = slot;
	}
	LWLockRelease(&shared->lock);
	return taken;
}

void *
hnsw_shared_allocate(HnswSharedSlot *slot, Size bytes)
{
	HnswShared *shared = hnsw_arena_table();
	char	   *arena = hnsw_arena_make(shared);
	bool		found;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	slot->bytes = 0;			/* this may be another try */
	while (!(found = hnsw_arena_find(shared, bytes, &slot->offset)))
	{
		HnswSharedSlot *oldest = hnsw_arena_oldest(shared, &slot->key);

		/* An older version of the same index goes when the new one is there. */
		if (oldest == NULL ||
			(!same_index(&oldest->key, &slot->key) && is_in_use(oldest)))
			break;
		empty_slot(oldest);
	}
	if (found)
		slot->bytes = bytes;
	LWLockRelease(&shared->lock);
	return found ? arena + slot->offset : NULL;
}

void
hnsw_shared_publish(HnswSharedSlot *slot, const HnswBlock *block, int64 cost)
{
	HnswShared *shared = hnsw_arena_table();
	const HnswImageHead *image = hnsw_block_image(block);

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < shared->nslots; i++)
	{
		HnswSharedSlot *other = &shared->slots[i];

		if (other->state == HNSW_SLOT_READY && same_index(&other->key, &slot->key))
		{
			pg_atomic_write_u64(&slot->scans, pg_atomic_read_u64(&slot->scans) +
								pg_atomic_read_u64(&other->scans));
			retire(other);
		}
	}
	slot->vacuums = block->vacuums;
	slot->repairs = block->repairs;
	slot->nodes = image->nused;
	slot->cost = cost;
	slot->failures = 0;
	slot->builder = 0;
	enter_state(slot, HNSW_SLOT_READY);
	pg_atomic_write_u64(&slot->used, (uint64) slot->since);
	LWLockRelease(&shared->lock);
}

void
hnsw_shared_fail(HnswSharedSlot *slot, bool index_is_to_blame)
{
	HnswShared *shared = hnsw_arena_table();

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (slot->state == HNSW_SLOT_BUILDING && slot->builder == MyProcPid)
	{
		slot->bytes = 0;
		slot->builder = 0;
		if (index_is_to_blame)
			slot->failures++;
		enter_state(slot, HNSW_SLOT_FAILED);
	}
	LWLockRelease(&shared->lock);
}

void
hnsw_shared_abandon(void)
{
	HnswShared *shared = hnsw_arena_table();

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < shared->nslots; i++)
	{
		HnswSharedSlot *slot = &shared->slots[i];

		if (slot->state == HNSW_SLOT_BUILDING && slot->builder == MyProcPid)
			empty_slot(slot);
	}
	LWLockRelease(&shared->lock);
}

/* Does the catalog still know the files that a key names? */
static bool
is_gone(const HnswCacheKey *key)
{
	if (key->database != MyDatabaseId)
		return !SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(key->database));
	return hnsw_cache_files(key->relid) != key->relnumber;
}

/* Not what some worker is at, or what only scans that hold it keep. */
static bool
may_be_swept(HnswSlotState state)
{
	return state == HNSW_SLOT_READY || state == HNSW_SLOT_WANTED || state == HNSW_SLOT_FAILED;
}

void
hnsw_shared_sweep(void)
{
	HnswShared *shared = hnsw_arena_table();
	HnswSharedSlot *slots = hnsw_shared_copy();

	for (int i = 0; i < HNSW_SHARED_SLOTS; i++)
	{
		HnswSharedSlot *slot = &shared->slots[i];

		if (!may_be_swept(slots[i].state) || !is_gone(&slots[i].key))
			continue;
		LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
		if (may_be_swept(slot->state) && hnsw_cache_same_key(&slot->key, &slots[i].key))
			retire(slot);
		LWLockRelease(&shared->lock);
	}
	pfree(slots);
}

HnswSharedSlot *
hnsw_shared_copy(void)
{
	HnswShared *shared = hnsw_arena_table();
	HnswSharedSlot *slots = palloc0(HNSW_SHARED_SLOTS * sizeof(HnswSharedSlot));

	LWLockAcquire(&shared->lock, LW_SHARED);
	memcpy(slots, shared->slots, shared->nslots * sizeof(HnswSharedSlot));
	LWLockRelease(&shared->lock);
	return slots;
}
