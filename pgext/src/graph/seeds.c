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

static void
offer_row(void *state, const FactRow *row)
{
	if (row->ranked)
		ranking_offer((Ranking *) state, row, row->distance);
}

static const char *
add_nearest(const GraphCall *call, FactSource *source, Frontier *frontier)
{
	FactFilter	any = {.any = true};
	const FactFilter *filter = call->seed_hop1 ? &call->hops[0] : &any;
	const char *method;
	Ranking		nearest;

	ranking_init(&nearest, call->ann_k, NULL);
	method = source->nearest(source, filter, call->ann_k, offer_row, &nearest);
	if (method == NULL)
	{
		pfree(nearest.heap.items);
		ranking_init(&nearest, call->ann_k, NULL);
		source->scan(source, filter, offer_row, &nearest);
		method = "exact scan";
	}
	for (uint32 i = 0; i < nearest.heap.count; i++)
	{
		FactKey		key = ranking_key(&nearest.heap.items[i]);
		bool		by_target = (call->seeds == GRAPH_SEEDS_TARGET);

		if (key.nulls & FACT_NULL(by_target ? FACT_TARGET : FACT_ENTITY))
			continue;
		frontier_add(frontier, by_target ? key.target : key.entity, 0);
	}
	pfree(nearest.heap.items);
	return method;
}

const char *
seeds_find(const GraphCall *call, FactSource *source, Frontier *frontier)
{
	const char *method = "given";

	frontier_init(frontier);
	if (call->seeds == GRAPH_SEEDS_GIVEN)
	{
		for (size_t i = 0; i < call->nseed_ids; i++)
			frontier_add(frontier, call->seed_ids[i], 0);
	}
	else
		method = add_nearest(call, source, frontier);
	frontier_seal(frontier);
	return method;
}
