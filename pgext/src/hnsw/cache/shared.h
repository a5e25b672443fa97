/*
 * shared.h
 *	  Versions that all processes share: a table of them, and the arena in which
 *	  they lie.
 *
 * The arena has a fixed size, sorted_hnsw.cache_size, and is never given back, so
 * that nothing a process has mapped can go away or grow. Where the library is
 * preloaded it is part of the server's shared memory; else, since PostgreSQL 17,
 * the table is found through the DSM registry and the arena is a segment that the
 * first who publishes makes.
 *
 * A slot's way: empty, wanted (some scan asked), building (by one worker), ready,
 * and, once another takes its place while scans hold it, retired. What it is of
 * never changes between wanted and empty.
 *
 * The lock of the table is held for moments, never while something is read,
 * allocated or launched. A pin keeps a slot's part of the arena from being given
 * to others. A process that ends without giving up its pins has crashed, and
 * the postmaster makes shared memory anew.
 */
#ifndef HNSW_CACHE_SHARED_H
#define HNSW_CACHE_SHARED_H

#include "datatype/timestamp.h"
#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/lwlock.h"
#include "utils/relcache.h"

#include "hnsw/cache/block.h"

#define HNSW_SHARED_SLOTS 256

/* Files of an index, and which build's. */
typedef struct HnswCacheKey
{
	uint64		nonce;
	Oid			tablespace;
	Oid			database;
	uint32		relnumber;
	Oid			relid;			/* to open it by */
} HnswCacheKey;

typedef enum HnswSlotState
{
	HNSW_SLOT_EMPTY = 0,
	HNSW_SLOT_WANTED,
	HNSW_SLOT_BUILDING,
	HNSW_SLOT_READY,
	HNSW_SLOT_RETIRED,
	HNSW_SLOT_FAILED			/* not to be tried for a while */
} HnswSlotState;

typedef struct HnswSharedSlot
{
	HnswSlotState state;
	HnswCacheKey key;
	int			builder;		/* pid, while building */
	uint64		vacuums;
	uint64		repairs;
	Size		offset;			/* in the arena */
	Size		bytes;			/* 0: has no part of it */
	uint32		nodes;
	TimestampTz since;			/* when it came into its state */
	int64		cost;			/* microseconds that building took */
	int			failures;		/* in a row */
	pg_atomic_uint32 pins;
	pg_atomic_uint64 scans;
	pg_atomic_uint64 used;		/* TimestampTz of the last */
} HnswSharedSlot;

/* At server start, while shared memory may still be asked for. */
extern void hnsw_shared_init(void);

/* Is there shared memory for versions in this server? */
extern bool hnsw_shared_available(void);

/* Bytes that a version may have at most. */
extern Size hnsw_shared_room(void);

extern HnswCacheKey hnsw_cache_key(Relation index, uint64 nonce);
extern bool hnsw_cache_same_key(const HnswCacheKey *a, const HnswCacheKey *b);

/* Pin the version of the key that is current for the map; NULL when there is
 * none. Its block in *block. */
extern HnswSharedSlot *hnsw_shared_pin(const HnswCacheKey *key, const HnswMap *map,
									   const HnswBlock **block);
extern void hnsw_shared_unpin(HnswSharedSlot *slot);

/*
 * Ask for a version, or for a newer one. True when the caller is to launch a
 * worker of its database.
 */
extern bool hnsw_shared_want(const HnswCacheKey *key);

/* Nobody could be launched. */
extern void hnsw_shared_unwant(const HnswCacheKey *key);

/* For workers: take a wanted slot of this database; NULL when there is none. */
extern HnswSharedSlot *hnsw_shared_take(void);

/* Memory for the version that this worker builds; NULL when versions in use leave
 * no room. Evicts what was used longest ago. */
extern void *hnsw_shared_allocate(HnswSharedSlot *slot, Size bytes);

/* It is made: it takes the place of all others of its index. */
extern void hnsw_shared_publish(HnswSharedSlot *slot, const HnswBlock *block, int64 cost);

/* It is not, unless it was published: through the index's fault, so that the next
 * try waits twice as long as this one did, or for what is soon over. */
extern void hnsw_shared_fail(HnswSharedSlot *slot, bool index_is_to_blame);

/* What this process was building, when it ends. */
extern void hnsw_shared_abandon(void);

/* Forget indexes of this database, and databases, that are gone: their versions, and
 * that they were asked for. In a transaction. */
extern void hnsw_shared_sweep(void);

/* A copy of the table; slots in no use have state empty. */
extern HnswSharedSlot *hnsw_shared_copy(void);

#endif							/* HNSW_CACHE_SHARED_H */
