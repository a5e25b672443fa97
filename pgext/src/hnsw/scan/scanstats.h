/*
 * scanstats.h
 *	  How this backend's scans of sorted_hnsw indexes went.
 */
#ifndef HNSW_SCANSTATS_H
#define HNSW_SCANSTATS_H

#include "hnsw/scan/seedscan.h"

/* Count a scan that is over, or starts anew. */
extern void hnsw_scanstats_count(const SeedScanStats *stats);

#endif							/* HNSW_SCANSTATS_H */
