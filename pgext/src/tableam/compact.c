/*
 * compact.c
 *	  sorted_heap_compact(regclass): rewrite a table in primary key order, and
 *	  create its zone map where it is missing.
 *
 * The rewrite is VACUUM FULL's, which sorts (see rewrite.c), but callable
 * inside a function or transaction block. Core does the rest of it: predicate
 * locks, a check for open cursors and pending triggers, and index functions
 * that run as the table's owner under SECURITY_RESTRICTED_OPERATION.
 *
 * Locks: AccessExclusiveLock on the table, until the transaction ends.
 */
#include "postgres.h"

#include "access/table.h"
#include "commands/cluster.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"
#include "tableam/maintain.h"
#include "tableam/sorted_heap.h"

PG_FUNCTION_INFO_V1(sorted_heap_compact);
PG_FUNCTION_INFO_V1(sorted_heap_compact_online);

Datum
sorted_heap_compact(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);
	Oid			order_index;
	Relation	rel;

	PreventCommandDuringRecovery("sorted_heap_compact()");

	rel = maintain_open(relid, "compact");
	order_index = maintain_order(rel);
	sorted_heap_rewrite_and_close(rel);

	/* Its build reads rows in order, so all blocks are sealed. */
	sorted_heap_maps->create_missing(relid, order_index);

	PG_RETURN_VOID();
}

void
sorted_heap_rewrite_and_close(Relation rel)
{
	ClusterParams params = {0};

	cluster_rel_and_close(rel, InvalidOid, &params);
}

/* To come: a copy kept up with the table while it is read and written. */
Datum
sorted_heap_compact_online(PG_FUNCTION_ARGS)
{
	maintain_check(PG_GETARG_OID(0), "compact");
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("online compaction is not supported"),
			 errhint("Use sorted_heap_compact(), which keeps others away from the table while it runs.")));
}
