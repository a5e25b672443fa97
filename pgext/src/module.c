/*
 * module.c
 *	  Library entry point: magic and the order of initialization.
 */
#include "postgres.h"

#include "fmgr.h"

#include "dist.h"
#include "guc.h"
#include "hnsw/cache/shared.h"
#include "hnsw/options.h"
#include "planner/hooks.h"
#include "tableam/sorted_heap.h"
#include "zone/zone.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	(void) dist_kernels();
	sorted_heap_maps = &zone_table_maps;
	hnsw_options_init();
	guc_init();
	hnsw_shared_init();
	planner_hooks_init();
}
