/*
 * index_explain.c
 *	  Lines of ours at index scans in EXPLAIN ANALYZE.
 *
 * An index scan is core's node; what it did inside the vector index only the
 * scan knows. Since 18 a hook can add lines to a node (docs/decisions/0107 tells
 * of earlier versions). Of a node that was run again, the last run is shown.
 */
#include "postgres.h"

#include "access/relscan.h"
#include "utils/rel.h"

#include "compat.h"
#include "hnsw/am.h"
#include "hnsw/scan/scan.h"
#include "planner/index_explain.h"

#ifdef HAVE_EXPLAIN_PER_NODE

void
index_explain(PlanState *node, ExplainState *es)
{
	IndexScanDesc scan;
	const SeedScanStats *stats;

	if (!es->analyze || !IsA(node, IndexScanState))
		return;
	scan = ((IndexScanState *) node)->iss_ScanDesc;
	if (scan == NULL || !hnsw_is_hnsw_index(scan->indexRelation))
		return;
	stats = hnsw_scan_stats(scan);
	if (stats == NULL)
		return;
	ExplainPropertyText("Vector Search", stats->flat ? "flat" :
						stats->ended_flat ? "graph, then flat" : "graph", es);
	ExplainPropertyUInteger("Vectors Compared", NULL, stats->evaluated, es);
	ExplainPropertyUInteger("Rows Looked At", NULL, stats->fetched, es);
	if (es->buffers)
		ExplainPropertyText("Vector Index Read", seedscan_source_name(stats), es);
	if (stats->bounded)
		ExplainPropertyText("Ended By", "sorted_hnsw.max_scan_tuples", es);
}

#endif							/* HAVE_EXPLAIN_PER_NODE */
