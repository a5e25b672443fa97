/*
 * blockkeys.h
 *	  The range of keys on one heap block, read from its tuples.
 */
#ifndef ZONE_BLOCKKEYS_H
#define ZONE_BLOCKKEYS_H

#include "access/htup.h"
#include "storage/buf.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "zone/image.h"

typedef struct BlockKeys
{
	ZoneRange	range;			/* empty: no tuple needs cover */
	bool		readable;		/* false: some key is stored out of line or
								 * compressed; range means nothing then */
} BlockKeys;

/* Told of every tuple that has a line pointer, under a share lock. */
typedef void (*BlockTupleFn) (HeapTuple tuple, Buffer buffer, void *arg);

/*
 * Are the rows of the table heap tuples on heap pages, so that its blocks can
 * be read here?
 */
extern bool block_keys_supported(Relation heap);

/*
 * Cover every LP_NORMAL tuple of a block, dead or alive, committed or not:
 * some snapshot may see it. No buffer lock is held by the caller. each may be
 * NULL.
 */
extern BlockKeys block_keys_read(Relation heap, BlockNumber block,
								 const ZoneKey *key,
								 BufferAccessStrategy strategy,
								 BlockTupleFn each, void *arg);

/* The range of one tuple on a locked page; false when a key is not stored
 * inline and plain. */
extern bool block_tuple_range_inline(Relation heap, HeapTuple tuple,
									 const ZoneKey *key, ZoneRange *range);

/* The same without a lock, fetching what must be fetched. */
extern void block_tuple_range(Relation heap, HeapTuple tuple,
							  const ZoneKey *key, ZoneRange *range);

#endif							/* ZONE_BLOCKKEYS_H */
