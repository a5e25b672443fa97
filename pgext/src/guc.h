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

extern bool guc_enable_graph_scan;
extern bool guc_enable_scan_pruning;
extern int	guc_graph_access;	/* a GraphAccess */
extern int	guc_graph_seeds;	/* a GraphSeedAccess */

extern void guc_init(void);

#endif							/* SORTED_HEAP_GUC_H */
