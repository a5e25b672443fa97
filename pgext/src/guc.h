/*
 * guc.h
 *	  Every setting of the extension.
 */
#ifndef SORTED_HEAP_GUC_H
#define SORTED_HEAP_GUC_H

/* sorted_heap.graph_access: which index finds rows by entity. */
typedef enum GraphAccess
{
	GRAPH_ACCESS_AUTO,			/* the zone map where it pays, else the btree */
	GRAPH_ACCESS_ZONE,
	GRAPH_ACCESS_BTREE
} GraphAccess;

/* sorted_heap.graph_seeds: how rows nearest to a query are found. */
typedef enum GraphSeedAccess
{
	GRAPH_SEED_ACCESS_AUTO,		/* by the vector index where there is one */
	GRAPH_SEED_ACCESS_INDEX,
	GRAPH_SEED_ACCESS_EXACT
} GraphSeedAccess;

#define HNSW_MAX_EF_SEARCH 10000

/* sorted_hnsw.iterative_scan: what follows the first walk. */
typedef enum HnswIterativeScan
{
	HNSW_ITERATIVE_OFF,
	HNSW_ITERATIVE_STRICT,		/* rows found too late are left out */
	HNSW_ITERATIVE_RELAXED		/* rows found late come late */
} HnswIterativeScan;

/* sorted_hnsw.scan_mode */
typedef enum HnswScanMode
{
	HNSW_SCAN_AUTO,
	HNSW_SCAN_FLAT,				/* compare all nodes */
	HNSW_SCAN_GRAPH				/* walk */
} HnswScanMode;

extern bool guc_enable_graph_scan;
extern bool guc_enable_scan_pruning;
extern int	guc_graph_access;	/* a GraphAccess */
extern int	guc_graph_seeds;	/* a GraphSeedAccess */
extern int	guc_hnsw_cache_size;	/* kB, of the server */
extern int	guc_hnsw_ef_search;
extern int	guc_hnsw_iterative_scan;	/* an HnswIterativeScan */
extern int	guc_hnsw_local_cache_size;	/* kB */
extern int	guc_hnsw_max_scan_tuples;
extern int	guc_hnsw_scan_mode; /* an HnswScanMode */
extern bool guc_hnsw_shared_cache;

extern void guc_init(void);

#endif							/* SORTED_HEAP_GUC_H */
