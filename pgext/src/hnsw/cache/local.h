/*
 * local.h
 *	  Versions of this process alone, where there are no shared ones; and when it
 *	  last asked for a shared one.
 */
#ifndef HNSW_CACHE_LOCAL_H
#define HNSW_CACHE_LOCAL_H

#include "datatype/timestamp.h"

#include "hnsw/cache/block.h"
#include "hnsw/cache/shared.h"

/* What this process knows of an index. */
typedef struct HnswLocal
{
	Oid			relid;			/* key of the table */
	HnswCacheKey key;
	TimestampTz asked;			/* for a shared version */
	uint32		walked;			/* scans by pages since there was a version */
	bool		suspect;		/* the catalog has changed */

	/* The version, if there is one */
	MemoryContext context;
	HnswBlock  *block;
	uint32		pins;
	uint64		scans;
	uint64		used;			/* in order of use */
} HnswLocal;

/* May this process ask for a shared version now? At most once a second. */
extern bool hnsw_local_may_ask(Relation index);

/*
 * Pin the version that is current for the map; makes one where scans by pages have
 * cost as much as that would, and sorted_hnsw.local_cache_size has room. NULL
 * when there is none.
 */
extern HnswLocal *hnsw_local_pin(Relation index, const HnswCacheKey *key, const HnswMap *map);
extern void hnsw_local_unpin(HnswLocal *local);

/* Too much was added since: make another in due time. */
extern void hnsw_local_outgrown(HnswLocal *local);

/* Forget what is gone. Pointers to entries without a pin are void after it. */
extern void hnsw_local_sweep(void);

/* For statistics: the entries with a version, one after another; NULL at the end. */
extern HnswLocal *hnsw_local_next(HnswLocal *after);

#endif							/* HNSW_CACHE_LOCAL_H */
