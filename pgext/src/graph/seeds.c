/*
 * seeds.c
 *	  The first step: which entities does a query start from?
 *
 * Either the caller names them, or they are the entities (or targets) of the
 * ann_k rows nearest to the query, under the total order of the ranking, so
 * that ties do not depend on where rows lie. Those come from the vector index,
 * or from an exact scan of all visible rows. ann_k counts rows: rows that share
 * an id give fewer seeds.
 */
#include "postgres.h"

#include "graph/seeds.h"

/* The nearest rows on their way to the frontier. */
typedef struct NearestSeeds
{
	Frontier   *frontier;
	Ranking		ranking;
	uint32		sure;			/* rows that need no rank any more */
} NearestSeeds;

static void
offer_row(void *state, const FactRow *row)
{
	NearestSeeds *seeds = (NearestSeeds *) state;

	if (row->ranked)
		ranking_offer(&seeds->ranking, row, row->distance);
}

static void
take_sure(void *state, bool isnull, int32 id)
{
	NearestSeeds *seeds = (NearestSeeds *) state;

	seeds->sure++;
	if (!isnull)
		frontier_add(seeds->frontier, id, 0);
}

static void
begin_nearest(NearestSeeds *seeds, Frontier *frontier, uint32 count)
{
	frontier_init(frontier);
	seeds->frontier = frontier;
	seeds->sure = 0;
	ranking_init(&seeds->ranking, count, NULL);
}

static const char *
add_nearest(const GraphCall *call, FactSource *source, Frontier *frontier)
{
	FactFilter	any = {.any = true};
	FactColumn	column = call->seeds == GRAPH_SEEDS_TARGET ? FACT_TARGET : FACT_ENTITY;
	NearestSeeds seeds;
	FactNearest want = {
		.filter = call->seed_hop1 ? &call->hops[0] : &any,
		.count = call->ann_k,
		.sink = offer_row,
		.sure = take_sure,
		.id = column,
		.state = &seeds
	};
	const char *method;
	uint32		left;

	begin_nearest(&seeds, frontier, call->ann_k);
	method = source->nearest(source, &want);
	if (method == NULL)
	{
		begin_nearest(&seeds, frontier, call->ann_k);
		source->scan(source, want.filter, offer_row, &seeds);
		method = "exact scan";
	}

	left = Min(seeds.ranking.heap.count, call->ann_k - seeds.sure);
	if (left < seeds.ranking.heap.count)
		ranking_finish(&seeds.ranking);
	for (uint32 i = 0; i < left; i++)
	{
		FactKey		key = ranking_key(&seeds.ranking.heap.items[i]);

		if (key.nulls & FACT_NULL(column))
			continue;
		frontier_add(frontier, column == FACT_TARGET ? key.target : key.entity, 0);
	}
	pfree(seeds.ranking.heap.items);
	return method;
}

const char *
seeds_find(const GraphCall *call, FactSource *source, Frontier *frontier)
{
	const char *method = "given";

	if (call->seeds == GRAPH_SEEDS_GIVEN)
	{
		frontier_init(frontier);
		for (size_t i = 0; i < call->nseed_ids; i++)
			frontier_add(frontier, call->seed_ids[i], 0);
	}
	else
		method = add_nearest(call, source, frontier);
	frontier_seal(frontier);
	return method;
}
