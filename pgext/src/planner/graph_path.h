/*
 * graph_path.h
 *	  A graph function in FROM becomes a plan node of its own.
 */
#ifndef GRAPH_PATH_H
#define GRAPH_PATH_H

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* Offer the node for a base relation, when it is such a call. */
extern void graph_path_add(PlannerInfo *root, RelOptInfo *rel,
						   RangeTblEntry *rte);

extern void graph_path_init(void);

/* Execution state of the node (graph_exec.c). custom_exprs holds the arguments
 * of the call; custom_private a constant, the function's oid. */
extern Node *graph_exec_create(CustomScan *cscan);

#endif							/* GRAPH_PATH_H */
