/*
 * pageio.h
 *	  Pages of one zone map: finding, creating and changing them.
 *
 * A change of a zone page and of the summaries above it is one ZoneChange: one
 * atomic step for readers and one WAL record. zone_change_begin() and _finish()
 * are the only takers of exclusive locks on zone map pages, in the README's
 * lock order.
 */
#ifndef ZONE_PAGEIO_H
#define ZONE_PAGEIO_H

#include "access/generic_xlog.h"
#include "storage/bufmgr.h"

#include "zone/page.h"

/* Kept in rd_amcache: gone after any relcache invalidation, so never hold the
 * pointer over anything that may process one. */
typedef struct ZoneCache
{
	ZoneKey		key;
	BlockNumber index_blocks;	/* the index has at least so many */
} ZoneCache;

typedef enum ZoneChangeMode
{
	ZONE_CHANGE_LOGGED,			/* generic WAL */
	ZONE_CHANGE_BUILD			/* in place; the build logs whole pages */
} ZoneChangeMode;

typedef struct ZoneChange
{
	Relation	index;
	uint32		zone;
	ZoneLeaf   *leaf;			/* to be edited */
	GenericXLogState *wal;		/* NULL during a build */
	Buffer		leaf_buffer;	/* pinned by the caller */
	Buffer		directory_buffer;	/* locked as long as the zone page is */
} ZoneChange;

/* The columns of an index, from its relcache entry. */
extern void zone_key_of_index(Relation index, ZoneKey *key);

/* Reads and checks the metapage the first time. */
extern ZoneCache *zone_cache(Relation index);

/* Forget what is cached: the relation file starts over. */
extern void zone_cache_reset(Relation index);

/* Pin a page; InvalidBuffer when the index is too short to have it. */
extern Buffer zone_pin(Relation index, BlockNumber address);

/* Pin a page, extending the index with empty pages up to it. */
extern Buffer zone_pin_or_create(Relation index, BlockNumber address);

/*
 * Add an empty page at the end of the index, which must be address; returns its
 * buffer pinned. The caller keeps others from extending.
 */
extern Buffer zone_extend(Relation index, ForkNumber fork, BlockNumber address,
						  const ZoneKey *key, bool log);

/*
 * Lock the zone page and its directory page, and offer a copy of the zone page
 * to edit. Then finish, or abandon to leave everything as it was. Both unlock,
 * neither unpins leaf_buffer.
 */
extern void zone_change_begin(ZoneChange *change, Relation index, uint32 zone,
							  Buffer leaf_buffer, ZoneChangeMode mode);
extern void zone_change_finish(ZoneChange *change);
extern void zone_change_abandon(ZoneChange *change);

#endif							/* ZONE_PAGEIO_H */
