/*
 * arena.h
 *	  The shared memory of versions: the table, and parts of the arena.
 */
#ifndef HNSW_CACHE_ARENA_H
#define HNSW_CACHE_ARENA_H

#include "hnsw/cache/shared.h"

typedef struct HnswShared
{
	LWLock		lock;			/* of all that follows */
	int			tranche;
	bool		in_place;		/* the arena follows this struct */
	bool		refused;		/* its segment could not be had */
	dsm_handle	arena;			/* else its segment, once there is one */
	Size		arena_bytes;
	int			nslots;			/* that were ever in use */
	HnswSharedSlot slots[HNSW_SHARED_SLOTS];
} HnswShared;

/* The table; NULL where this server has none. */
extern HnswShared *hnsw_arena_table(void);

/* Where the arena is in this process; NULL as long as there is none. */
extern char *hnsw_arena_attach(HnswShared *shared);

/* The same, and make it where there is none. May be an error, and then nobody
 * tries again. */
extern char *hnsw_arena_make(HnswShared *shared);

/* The lock is held from here on. A part of the arena that nobody has. */
extern bool hnsw_arena_find(const HnswShared *shared, Size bytes, Size *offset);

/*
 * The version that nobody holds and that was used longest ago; versions of an
 * index that is to get a new one come first. NULL when all are held.
 */
extern HnswSharedSlot *hnsw_arena_oldest(HnswShared *shared, const HnswCacheKey *renewed);

#endif							/* HNSW_CACHE_ARENA_H */
