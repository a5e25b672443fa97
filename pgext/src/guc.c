/*
 * guc.c
 *	  Every setting of the extension: name, default, range, one sentence.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "guc.h"

bool		guc_enable_graph_scan = true;

void
guc_init(void)
{
	DefineCustomBoolVariable("sorted_heap.enable_graph_scan",
							 "Enables the planner's use of a plan node of its own for graph functions in FROM.",
							 "Rows are the same either way.",
							 &guc_enable_graph_scan, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	MarkGUCPrefixReserved("sorted_heap");
}
