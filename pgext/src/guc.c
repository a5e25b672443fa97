/*
 * guc.c
 *	  Every setting of the extension: name, default, range, one sentence.
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"
#include "utils/guc.h"

#include "guc.h"

bool		guc_enable_graph_scan = true;
bool		guc_enable_scan_pruning = true;
int			guc_graph_access = GRAPH_ACCESS_AUTO;
int			guc_graph_seeds = GRAPH_SEED_ACCESS_AUTO;
int			guc_hnsw_cache_size = 256 * 1024;
int			guc_hnsw_ef_search = 96;
int			guc_hnsw_iterative_scan = HNSW_ITERATIVE_STRICT;
int			guc_hnsw_local_cache_size = 64 * 1024;
int			guc_hnsw_max_scan_tuples = 100000;
int			guc_hnsw_scan_mode = HNSW_SCAN_AUTO;
bool		guc_hnsw_shared_cache = true;

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

static const struct config_enum_entry iterative_scan_options[] = {
	{"off", HNSW_ITERATIVE_OFF, false},
	{"strict", HNSW_ITERATIVE_STRICT, false},
	{"relaxed", HNSW_ITERATIVE_RELAXED, false},
	{NULL, 0, false}
};

static const struct config_enum_entry scan_mode_options[] = {
	{"auto", HNSW_SCAN_AUTO, false},
	{"flat", HNSW_SCAN_FLAT, false},
	{"graph", HNSW_SCAN_GRAPH, false},
	{NULL, 0, false}
};

static void
init_hnsw_cache(void)
{
	/*
	 * Part of shared memory from the start, where the library is there so
	 * early.
	 */
	DefineCustomIntVariable("sorted_hnsw.cache_size",
							"Sets how much shared memory holds decoded copies of indexes.",
							"Zero means none. It is fixed when the server starts or, where the library is not preloaded, when the first copy is made.",
							&guc_hnsw_cache_size, 256 * 1024, 0, INT_MAX,
							process_shared_preload_libraries_in_progress
							? PGC_POSTMASTER : PGC_SIGHUP,
							GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("sorted_hnsw.local_cache_size",
							"Sets how much memory of a session holds decoded copies of indexes that are not shared.",
							"Zero means none.",
							&guc_hnsw_local_cache_size, 64 * 1024, 0, INT_MAX,
							PGC_USERSET, GUC_UNIT_KB | GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("sorted_hnsw.shared_cache",
							 "Enables the use of decoded copies of indexes in shared memory.",
							 NULL,
							 &guc_hnsw_shared_cache, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
}

static void
init_hnsw(void)
{
	init_hnsw_cache();
	DefineCustomIntVariable("sorted_hnsw.ef_search",
							"Sets how many nodes the first walk of a scan keeps.",
							"More nodes give better recall and take longer.",
							&guc_hnsw_ef_search, 96, 1, HNSW_MAX_EF_SEARCH,
							PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable("sorted_hnsw.iterative_scan",
							 "Selects what a scan does when the rows of its first walk are used up.",
							 "It ends, goes on and leaves out rows found too late, or goes on and returns them out of order.",
							 &guc_hnsw_iterative_scan, HNSW_ITERATIVE_STRICT,
							 iterative_scan_options,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomIntVariable("sorted_hnsw.max_scan_tuples",
							"Sets how many nodes the walks of a scan compare with the query before it ends.",
							NULL,
							&guc_hnsw_max_scan_tuples, 100000, 1, INT_MAX,
							PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable("sorted_hnsw.scan_mode",
							 "Selects whether scans walk the graph or compare all nodes.",
							 "By default they do what is expected to be faster.",
							 &guc_hnsw_scan_mode, HNSW_SCAN_AUTO,
							 scan_mode_options,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	MarkGUCPrefixReserved("sorted_hnsw");
}

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
	init_hnsw();
}
