/*
 * engine.c
 *	  One engine behind all graph functions: seeds, hops, score, best k.
 *
 * A call runs in stages: find seeds; for each hop but the last, turn the seeds'
 * rows into the next seeds; rank the rows of the last hop; fetch the payloads
 * of the winners. limit_rows bounds each hop by itself.
 *
 * Path score is dynamic programming over hops: an id's cost is the least sum
 * of distances over the paths that reach it, and one result row stands for one
 * row of the last hop. A row without a rankable embedding has no distance, so
 * no path goes through it; under the endpoint score it still leads on.
 *
 * Everything is read with the caller's active snapshot, or a stream's own.
 * Memory lives in a context of the call's own; only the result is the caller's.
 *
 * A stream is an expansion at the caller's pace: rows lie on the pinned page
 * they were found on. Where rows come through a query instead, they are all
 * put into a tuplestore by the first fetch.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "graph/engine.h"
#include "graph/registry.h"
#include "graph/resolved.h"
#include "graph/score.h"
#include "graph/seeds.h"
#include "graph/stats.h"

/* What a running call holds. */
typedef struct GraphRun
{
	const GraphCall *call;
	MemoryContext context;
	RelGate		gate;
	FactColumns columns;
	DistQuery	query;
	FactSource *source;
	GraphStats	stats;
} GraphRun;

static void
run_open(GraphRun *run, const GraphCall *call, Snapshot snapshot)
{
	FactNames	names;

	memset(&run->stats, 0, sizeof(run->stats));
	stats_begin(&run->stats, call->api);
	run->call = call;
	run->context = AllocSetContextCreate(CurrentMemoryContext,
										 "graph call",
										 ALLOCSET_DEFAULT_SIZES);
	relgate_open(&run->gate, call->relid);
	registry_names(&names, call->relid, call->home);
	resolved_columns(&run->columns, run->gate.rel, &names, call->home);
	relgate_admit(&run->gate, run->columns.attno, FACT_NCOLUMNS);
	if (call->query != NULL)
	{
		svec_check_datum(call->query);
		dist_query_init(&run->query, DIST_COSINE, call->query->x,
						(uint32_t) call->query->dim);
	}
	MemoryContextSwitchTo(run->context);
	if (run->gate.path == RELGATE_PAGES)
		run->source = facts_open_pages(&run->gate, &run->columns,
									   snapshot, &run->query);
	else
		run->source = facts_open_query(&run->gate, &run->columns,
									   snapshot, &run->query);
	stats_mark(&run->stats, GRAPH_STAGE_OPEN);
}

/* What only the source knows. */
static void
fill_stats(GraphRun *run)
{
	const FactSource *source = run->source;

	run->stats.access = source->access;
	run->stats.pages_read = source->pages;
	run->stats.seed_source = source->search.name;
	run->stats.seeds_compared = source->search.compared;
	run->stats.seed_rows = source->search.rows;
	run->stats.search_ms = source->search.ms;
}

static void
run_close(GraphRun *run)
{
	fill_stats(run);
	run->source->close(run->source);
	relgate_close(&run->gate);
	MemoryContextDelete(run->context);
	stats_end(&run->stats);
}

/* Sink of a hop that is not the last. */
typedef struct HopState
{
	const GraphCall *call;
	const Frontier *from;
	Frontier   *to;
	uint64		rows;
} HopState;

static void
follow_row(void *arg, const FactRow *row)
{
	HopState   *state = (HopState *) arg;

	state->rows++;
	if (row->key.nulls & FACT_NULL(FACT_TARGET))
		return;
	if (state->call->score == GRAPH_SCORE_ENDPOINT)
		frontier_add(state->to, row->key.target, 0);
	else if (row->ranked)
		frontier_add(state->to, row->key.target,
					 frontier_cost(state->from, row->key.entity) +
					 row->distance);
}

/* Sink of the last hop. */
typedef struct FinalState
{
	const GraphCall *call;
	const Frontier *from;
	Ranking		ranking;
	uint64		rows;
	uint64		ranked;
} FinalState;

static void
rank_row(void *arg, const FactRow *row)
{
	FinalState *state = (FinalState *) arg;
	double		score = row->distance;

	state->rows++;
	if (!row->ranked)
		return;
	state->ranked++;
	if (state->call->score == GRAPH_SCORE_PATH && state->call->nhops > 1)
		score += frontier_cost(state->from, row->key.entity);
	ranking_offer(&state->ranking, row, score);
}

static FactHop
hop_from(const GraphCall *call, const Frontier *from, int number,
		 FactWant want)
{
	FactHop		hop;

	hop.seeds = from->ids;
	hop.nseeds = from->count;
	hop.filter = call->hops[number];
	hop.limit = call->limit_rows;
	hop.want = want;
	return hop;
}

/* Follow all hops but the last; `frontier` holds the seeds, then the ends. */
static void
follow_hops(GraphRun *run, Frontier *frontier)
{
	const GraphCall *call = run->call;
	FactWant	want = call->score == GRAPH_SCORE_PATH ?
		FACT_WANT_DISTANCE : FACT_WANT_KEYS;

	for (int i = 0; i < call->nhops - 1; i++)
	{
		FactHop		hop = hop_from(call, frontier, i, want);
		Frontier	next;
		HopState	state = {call, frontier, &next, 0};

		frontier_init(&next);
		run->source->expand(run->source, &hop, follow_row, &state);
		frontier_seal(&next);
		run->stats.expanded_rows += state.rows;
		*frontier = next;
	}
}

/* The winners with their payloads, in the caller's context. */
static void
collect(GraphRun *run, const Ranking *ranking, MemoryContext caller,
		GraphResult *result)
{
	MemoryContextSwitchTo(caller);
	result->nrows = ranking->heap.count;
	result->rows = (GraphRow *)
		MemoryContextAllocHuge(caller, Max(result->nrows, 1) *
							   sizeof(GraphRow));
	for (uint32 i = 0; i < result->nrows; i++)
	{
		const TopkItem *item = &ranking->heap.items[i];
		GraphRow   *row = &result->rows[i];

		row->key = ranking_key(item);
		row->distance = item->dist;
		row->payload = run->source->payload(run->source, item->ref,
											&row->payload_null);
	}
}

void
graph_rank(const GraphCall *call, GraphResult *result)
{
	MemoryContext caller = CurrentMemoryContext;
	GraphRun	run;
	Frontier	frontier;
	FactHop		last;
	FinalState	final;

	run_open(&run, call, GetActiveSnapshot());
	run.stats.seed_method = seeds_find(call, run.source, &frontier);
	run.stats.seed_count = frontier.count;
	stats_mark(&run.stats, GRAPH_STAGE_SEEDS);

	follow_hops(&run, &frontier);
	stats_mark(&run.stats, GRAPH_STAGE_EXPAND);

	memset(&final, 0, sizeof(final));
	final.call = call;
	final.from = &frontier;
	ranking_init(&final.ranking, call->top_k, run.source);
	last = hop_from(call, &frontier, call->nhops - 1, FACT_WANT_DISTANCE);
	run.source->expand(run.source, &last, rank_row, &final);
	ranking_finish(&final.ranking);
	stats_mark(&run.stats, GRAPH_STAGE_RERANK);
	collect(&run, &final.ranking, caller, result);
	run.stats.expanded_rows += final.rows;
	run.stats.reranked_rows = final.ranked;
	run.stats.returned_rows = result->nrows;
	stats_mark(&run.stats, GRAPH_STAGE_PAYLOAD);

	run_close(&run);
}

/* Counts what passes through graph_expand. */
typedef struct ExpandState
{
	FactSink	sink;
	void	   *state;
	uint64		rows;
} ExpandState;

static void
count_row(void *arg, const FactRow *row)
{
	ExpandState *state = (ExpandState *) arg;

	state->rows++;
	state->sink(state->state, row);
}

void
graph_expand(const GraphCall *call, FactSink sink, void *state)
{
	MemoryContext caller = CurrentMemoryContext;
	ExpandState counted = {sink, state, 0};
	GraphRun	run;
	Frontier	frontier;
	FactHop		hop;

	run_open(&run, call, GetActiveSnapshot());
	run.stats.seed_method = seeds_find(call, run.source, &frontier);
	run.stats.seed_count = frontier.count;
	stats_mark(&run.stats, GRAPH_STAGE_SEEDS);

	hop = hop_from(call, &frontier, 0, FACT_WANT_WHOLE);
	run.source->expand(run.source, &hop, count_row, &counted);
	run.stats.expanded_rows = counted.rows;
	run.stats.returned_rows = counted.rows;
	stats_mark(&run.stats, GRAPH_STAGE_EXPAND);

	MemoryContextSwitchTo(caller);
	run_close(&run);
}

struct GraphStream
{
	GraphRun	run;
	Frontier	frontier;
	FactHop		hop;
	int			nrows;			/* of the page at hand */
	int			next;			/* row of it to return */
	FactRow		rows[MaxHeapTuplesPerPage];
	Tuplestorestate *store;		/* where there are no pages: all rows, */
	TupleTableSlot *slot;		/* and the one returned */
};

/* Sink: the rows of a page, of which they are part. */
static void
keep_row(void *arg, const FactRow *row)
{
	GraphStream *stream = (GraphStream *) arg;

	Assert(stream->nrows < MaxHeapTuplesPerPage);
	stream->rows[stream->nrows++] = *row;
}

/* Sink: rows of a query, in FactColumn order. */
static void
store_row(void *arg, const FactRow *row)
{
	GraphStream *stream = (GraphStream *) arg;
	Datum		values[FACT_NCOLUMNS];
	bool		nulls[FACT_NCOLUMNS];

	for (int i = FACT_ENTITY; i <= FACT_TARGET; i++)
		nulls[i] = (row->key.nulls & FACT_NULL(i)) != 0;
	values[FACT_ENTITY] = Int32GetDatum(row->key.entity);
	values[FACT_RELATION] = Int16GetDatum(row->key.relation);
	values[FACT_TARGET] = Int32GetDatum(row->key.target);
	values[FACT_EMBEDDING] = row->embedding;
	nulls[FACT_EMBEDDING] = row->embedding_null;
	values[FACT_PAYLOAD] = row->payload;
	nulls[FACT_PAYLOAD] = row->payload_null;
	tuplestore_putvalues(stream->store,
						 stream->slot->tts_tupleDescriptor, values, nulls);
}

static void
fill_store(GraphStream *stream)
{
	GraphRun   *run = &stream->run;
	TupleDesc	desc = CreateTemplateTupleDesc(FACT_NCOLUMNS);

	for (int i = 0; i < FACT_NCOLUMNS; i++)
		TupleDescCopyEntry(desc, i + 1, run->columns.desc,
						   run->columns.attno[i]);
	stream->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	stream->store = tuplestore_begin_heap(false, false, work_mem);
	run->source->expand(run->source, &stream->hop, store_row, stream);
}

/* The next row of the store as rows[0]. */
static bool
fetch_stored(GraphStream *stream)
{
	TupleTableSlot *slot = stream->slot;
	FactRow    *row = &stream->rows[0];

	if (!tuplestore_gettupleslot(stream->store, true, false, slot))
		return false;
	slot_getallattrs(slot);
	memset(row, 0, sizeof(*row));
	for (int i = FACT_ENTITY; i <= FACT_TARGET; i++)
		if (slot->tts_isnull[i])
			row->key.nulls |= FACT_NULL(i);
	row->key.entity = DatumGetInt32(slot->tts_values[FACT_ENTITY]);
	row->key.relation = DatumGetInt16(slot->tts_values[FACT_RELATION]);
	row->key.target = DatumGetInt32(slot->tts_values[FACT_TARGET]);
	row->embedding = slot->tts_values[FACT_EMBEDDING];
	row->embedding_null = slot->tts_isnull[FACT_EMBEDDING];
	row->halves = stream->run.source->halves;
	row->payload = slot->tts_values[FACT_PAYLOAD];
	row->payload_null = slot->tts_isnull[FACT_PAYLOAD];
	return true;
}

GraphStream *
graph_stream_open(const GraphCall *call, Snapshot snapshot, FactWant want)
{
	MemoryContext caller = CurrentMemoryContext;
	GraphStream *stream = (GraphStream *) palloc(sizeof(GraphStream));
	GraphRun   *run = &stream->run;

	run_open(run, call, snapshot);
	run->stats.seed_method = seeds_find(call, run->source, &stream->frontier);
	run->stats.seed_count = stream->frontier.count;
	stats_mark(&run->stats, GRAPH_STAGE_SEEDS);

	stream->hop = hop_from(call, &stream->frontier, 0, want);
	stream->nrows = stream->next = 0;
	stream->store = NULL;
	stream->slot = NULL;
	if (run->source->start != NULL)
		run->source->start(run->source, &stream->hop);
	else
		fill_store(stream);
	MemoryContextSwitchTo(caller);
	return stream;
}

/* More rows into rows[]; false when there are no more. */
static bool
refill(GraphStream *stream)
{
	GraphRun   *run = &stream->run;
	MemoryContext caller = MemoryContextSwitchTo(run->context);
	bool		more = true;

	stream->nrows = stream->next = 0;
	if (stream->store != NULL)
		stream->nrows = fetch_stored(stream) ? 1 : 0;
	else
		while (more && stream->nrows == 0)
			more = run->source->next(run->source, keep_row, stream);
	MemoryContextSwitchTo(caller);
	return stream->nrows > 0;
}

const FactRow *
graph_stream_next(GraphStream *stream)
{
	if (stream->next == stream->nrows && !refill(stream))
		return NULL;
	stream->run.stats.expanded_rows++;
	return &stream->rows[stream->next++];
}

const GraphStats *
graph_stream_stats(GraphStream *stream)
{
	GraphRun   *run = &stream->run;

	fill_stats(run);
	run->stats.returned_rows = run->stats.expanded_rows;
	return &run->stats;
}

void
graph_stream_close(GraphStream *stream)
{
	GraphRun   *run = &stream->run;

	(void) graph_stream_stats(stream);
	stats_mark(&run->stats, GRAPH_STAGE_EXPAND);
	if (stream->slot != NULL)
		ExecDropSingleTupleTableSlot(stream->slot);
	if (stream->store != NULL)
		tuplestore_end(stream->store);
	run_close(run);
	pfree(stream);
}
