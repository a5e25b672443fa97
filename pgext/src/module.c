/*
 * module.c
 *	  Library entry point: magic and the order of initialization.
 */
#include "postgres.h"

#include "fmgr.h"

#include "dist.h"
#include "guc.h"
#include "planner/hooks.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	(void) dist_kernels();
	guc_init();
	planner_hooks_init();
}
