/*
 * stats.c
 *	  What the last graph call of this backend did, and how long it took.
 *
 * Backend-local, so there is nothing to lock. Counts are data: a record shows
 * only to the role that made the call (else a SECURITY DEFINER function would
 * betray how many rows it saw) and to members of pg_read_all_stats. The clock
 * is read a fixed number of times a call. Who made it is noted when it begins: a
 * stream may end under another role.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "graph/stats.h"

PG_FUNCTION_INFO_V1(sorted_heap_graph_rag_stats);
PG_FUNCTION_INFO_V1(sorted_heap_graph_rag_reset_stats);

#define STATS_COLUMNS 19

static GraphStats last_call;
static uint64 ncalls;

static double
elapsed_ms(instr_time from, instr_time to)
{
	INSTR_TIME_SUBTRACT(to, from);
	return INSTR_TIME_GET_MILLISEC(to);
}

void
stats_begin(GraphStats *stats, const char *api)
{
	stats->api = api;
	stats->caller = GetUserId();
	INSTR_TIME_SET_CURRENT(stats->start);
	stats->mark = stats->start;
}

void
stats_mark(GraphStats *stats, GraphStage stage)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	stats->stage_ms[stage] += elapsed_ms(stats->mark, now);
	stats->mark = now;
}

void
stats_end(GraphStats *stats)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	stats->total_ms = elapsed_ms(stats->start, now);
	last_call = *stats;
	ncalls++;
}

const GraphStats *
stats_last(void)
{
	return &last_call;
}

/* One row: the number of calls, and the last one's record where it shows. */
Datum
sorted_heap_graph_rag_stats(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Datum		values[STATS_COLUMNS] = {0};
	bool		nulls[STATS_COLUMNS];
	bool		shown = ncalls > 0 &&
		(last_call.caller == GetUserId() ||
		 has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS));

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE ||
		desc->natts != lengthof(values))
		elog(ERROR, "return type must be a row type of %d columns",
			 (int) lengthof(values));

	memset(nulls, !shown, sizeof(nulls));
	nulls[0] = false;
	values[0] = Int64GetDatum((int64) ncalls);
	if (shown)
	{
		values[1] = CStringGetTextDatum(last_call.api);
		values[2] = CStringGetTextDatum(last_call.seed_method);
		values[3] = CStringGetTextDatum(last_call.access);
		values[4] = Int64GetDatum((int64) last_call.seed_count);
		values[5] = Int64GetDatum((int64) last_call.expanded_rows);
		values[6] = Int64GetDatum((int64) last_call.reranked_rows);
		values[7] = Int64GetDatum((int64) last_call.returned_rows);
		values[8] = Int64GetDatum((int64) last_call.pages_read);
		values[9] = Float8GetDatum(last_call.stage_ms[GRAPH_STAGE_SEEDS]);
		values[10] = Float8GetDatum(last_call.stage_ms[GRAPH_STAGE_EXPAND]);
		values[11] = Float8GetDatum(last_call.stage_ms[GRAPH_STAGE_RERANK]);
		values[12] = Float8GetDatum(last_call.total_ms);
		values[13] = Float8GetDatum(last_call.stage_ms[GRAPH_STAGE_OPEN]);
		values[14] = Float8GetDatum(last_call.search_ms);
		values[15] = Float8GetDatum(last_call.stage_ms[GRAPH_STAGE_PAYLOAD]);
		nulls[16] = last_call.seed_source == NULL;
		if (!nulls[16])
			values[16] = CStringGetTextDatum(last_call.seed_source);
		values[17] = Int64GetDatum((int64) last_call.seeds_compared);
		values[18] = Int64GetDatum((int64) last_call.seed_rows);
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}

Datum
sorted_heap_graph_rag_reset_stats(PG_FUNCTION_ARGS)
{
	ncalls = 0;
	memset(&last_call, 0, sizeof(last_call));
	PG_RETURN_VOID();
}
