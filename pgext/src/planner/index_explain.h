/*
 * index_explain.h
 *	  Lines of ours at index scans in EXPLAIN ANALYZE.
 */
#ifndef INDEX_EXPLAIN_H
#define INDEX_EXPLAIN_H

#include "commands/explain.h"
#include "nodes/execnodes.h"

/* Adds what there is to say of a node, if it is a scan of a vector index. */
extern void index_explain(PlanState *node, ExplainState *es);

#endif							/* INDEX_EXPLAIN_H */
