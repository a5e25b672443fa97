/*
 * guc.c
 *	  Every setting of the extension: name, default, range, one sentence.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "guc.h"

bool		guc_enable_graph_scan = true;
bool		guc_enable_scan_pruning = true;
int			guc_graph_access = GRAPH_ACCESS_AUTO;
int			guc_graph_seeds = GRAPH_SEED_ACCESS_AUTO;

static const struct config_enum_entry graph_access_options[] = {
	{"auto", GRAPH_ACCESS_AUTO, false},
	{"zone", GRAPH_ACCESS_ZONE, false},
	{"btree", GRAPH_ACCESS_BTREE, false},
	{NULL, 0, false}
};

static const struct config_enum_entry graph_seeds_options[] = {
	{"auto", GRAPH_SEED_ACCESS_AUTO, false},
	{"index", GRAPH_SEED_ACCESS_INDEX, false},
	{"exact", GRAPH_SEED_ACCESS_EXACT, false},
	{NULL, 0, false}
};

void
guc_init(void)
{
	DefineCustomBoolVariable("sorted_heap.enable_graph_scan",
							 "Enables the planner's use of a plan node of its own for graph functions in FROM.",
							 "Rows are the same either way.",
							 &guc_enable_graph_scan, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("sorted_heap.enable_scan_pruning",
							 "Enables the use of zone maps to skip blocks.",
							 "Rows are the same either way. Graph functions of a table without a btree index to use still read its map.",
							 &guc_enable_scan_pruning, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable("sorted_heap.graph_access",
							 "Selects the index by which graph functions find rows of an entity.",
							 "Rows are the same by either. A table that must be read through a query is not affected.",
							 &guc_graph_access, GRAPH_ACCESS_AUTO,
							 graph_access_options,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable("sorted_heap.graph_seeds",
							 "Selects how graph functions find the rows nearest to a query.",
							 "By default a sorted_hnsw index of the embeddings is used where there is one. An exact scan reads the whole table.",
							 &guc_graph_seeds, GRAPH_SEED_ACCESS_AUTO,
							 graph_seeds_options,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	MarkGUCPrefixReserved("sorted_heap");
}
