/*
 * delta.h
 *	  Rows that a version does not lead to: slots filled since it was made, and
 *	  its strays.
 *
 * New rows go to the pages that the list of free slots begins with, then to the
 * last page, then to pages beyond; VACUUM alone frees slots, which ends the
 * version. So they are few pages to look at, and a bound is known before.
 */
#ifndef HNSW_CACHE_DELTA_H
#define HNSW_CACHE_DELTA_H

#include "hnsw/cache/cache.h"
#include "hnsw/store.h"

/* No more slots than this can have been filled. */
extern uint32 hnsw_delta_bound(const HnswBlock *block, const HnswMap *map);

/* So many of them a scan puts up with. */
extern uint32 hnsw_delta_limit(const HnswBlock *block, const HnswMap *map);

/*
 * Their numbers, from a store that reads pages; palloc'd, ascending page by page,
 * strays last. The first *nfilled are not in the version. NULL when VACUUM has
 * made the version stale since the map was read.
 */
extern uint32 *hnsw_delta_find(const HnswVersion *version, HnswPageStore *store,
							   uint32 *nfilled, uint32 *count);

#endif							/* HNSW_CACHE_DELTA_H */
