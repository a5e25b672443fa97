/*
 * handler.c
 *	  The index access method sorted_hnsw: its properties.
 *
 * Strategies are those of btree for the columns after the vector. The vector
 * column has one operator, of strategy 1, to order by; since classes are looked
 * up by column, the two meanings of 1 do not meet.
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/stratnum.h"
#include "commands/vacuum.h"
#include "fmgr.h"
#include "utils/rel.h"

#include "compat.h"
#include "hnsw/am.h"
#include "hnsw/options.h"

PG_FUNCTION_INFO_V1(sorted_hnsw_handler);

Datum
sorted_hnsw_handler(PG_FUNCTION_ARGS)
{
	IndexAmRoutine *am = makeNode(IndexAmRoutine);

	am->amstrategies = BTMaxStrategyNumber;

	/* The distance function of the vector column; other columns have none. */
	am->amsupport = 1;
	am->amcanorderbyop = true;
	am->amcanmulticol = true;

	/*
	 * A scan needs an operator to order by, not a condition; rows without a
	 * vector, which are not in the index, have no place in that order.
	 */
	am->amoptionalkey = true;
	am->amsearcharray = true;
	am->amsearchnulls = true;
	am->amcaninclude = true;
	am->amparallelvacuumoptions = VACUUM_OPTION_PARALLEL_BULKDEL |
		VACUUM_OPTION_PARALLEL_COND_CLEANUP;
	am->amkeytype = InvalidOid;
#ifdef HAVE_AMCANBUILDPARALLEL
	am->amcanbuildparallel = true;
#endif

	am->ambuild = hnsw_am_build;
	am->ambuildempty = hnsw_am_build_empty;
	am->aminsert = hnsw_am_insert;
	am->ambulkdelete = hnsw_am_bulk_delete;
	am->amvacuumcleanup = hnsw_am_vacuum_cleanup;
	am->amcostestimate = hnsw_am_cost_estimate;
	am->amoptions = hnsw_options;
	am->ambuildphasename = hnsw_am_build_phase;
	am->amvalidate = hnsw_am_validate;
	am->ambeginscan = hnsw_am_begin_scan;
	am->amrescan = hnsw_am_rescan;
	am->amgettuple = hnsw_am_get_tuple;
	am->amendscan = hnsw_am_end_scan;

	PG_RETURN_POINTER(am);
}

bool
hnsw_is_hnsw_index(Relation index)
{
	return index->rd_indam != NULL && index->rd_indam->ambuild == hnsw_am_build;
}
