/*
 * scan.h
 *	  What an executor's scan of an index did, for EXPLAIN.
 */
#ifndef HNSW_SCAN_H
#define HNSW_SCAN_H

#include "access/genam.h"

#include "hnsw/scan/seedscan.h"

/* Of a scan of a sorted_hnsw index; NULL where it has not been started. */
extern const SeedScanStats *hnsw_scan_stats(IndexScanDesc scan);

#endif							/* HNSW_SCAN_H */
