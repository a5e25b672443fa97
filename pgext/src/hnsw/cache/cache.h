/*
 * cache.h
 *	  Versions: decoded copies of indexes in memory, that scans read instead of
 *	  pages.
 *
 * A version never changes. It describes an index as of three facts of the
 * metapage: nonce, `vacuums`, `repairs`. While the metapage still has them, every
 * slot in the version holds what it held, but for links and twins that are
 * older; and slots in use that it does not have are on a few pages that can be
 * told (cache/delta.h). Why that is enough stands in README.md.
 *
 * Where a version lies is one of two places: the arena that all processes share,
 * or this backend's memory.
 */
#ifndef HNSW_CACHE_H
#define HNSW_CACHE_H

#include "hnsw/cache/block.h"
#include "hnsw/pageio.h"

/* Where a scan reads the graph. */
typedef enum HnswSource
{
	HNSW_SOURCE_PAGES,
	HNSW_SOURCE_SHARED,
	HNSW_SOURCE_LOCAL
} HnswSource;

/* A version in use by a scan. */
typedef struct HnswVersion
{
	HnswSource	source;
	const HnswBlock *block;
	HnswImage	image;

	/* cache/pins.c */
	dlist_node	node;
	struct ResourceOwnerData *owner;
	void	   *place;			/* the slot, or the backend's own entry */
} HnswVersion;

/*
 * A version of the index that is right for a map which was read after the
 * caller's snapshot was taken, held until hnsw_cache_unpin or the end of the
 * current resource owner; NULL when there is none, and pages are to be read.
 * Asks for one to be made where that may pay.
 */
extern HnswVersion *hnsw_cache_pin(Relation index, const HnswMap *map);

extern void hnsw_cache_unpin(HnswVersion *version);

#endif							/* HNSW_CACHE_H */
