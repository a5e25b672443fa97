/*
 * scanstats.h
 *	  How this backend's scans of sorted_hnsw indexes went.
 */
#ifndef HNSW_SCANSTATS_H
#define HNSW_SCANSTATS_H

#include "hnsw/cache/cache.h"

/* How a scan went, for statistics and EXPLAIN. */
typedef struct SeedScanStats
{
	bool		flat;			/* all records compared, no walk */
	bool		ended_flat;		/* or after one */
	HnswSource	source;			/* of the graph */
	bool		sketched;		/* there by sketches, which find about the
								 * same */
	bool		bounded;		/* ended by sorted_hnsw.max_scan_tuples */
	uint64		evaluated;		/* distances to records */
	uint64		fetched;		/* rows fetched for their exact distance */
	uint64		pages;			/* of the index */
	double		search_ms;		/* in walks and flat passes */
} SeedScanStats;

/* Where a graph was read, and by what. */
extern const char *seedscan_source_name(const SeedScanStats *stats);

/* Count a scan that is over, or starts anew. */
extern void hnsw_scanstats_count(const SeedScanStats *stats);

#endif							/* HNSW_SCANSTATS_H */
