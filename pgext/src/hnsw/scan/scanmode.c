/*
 * scanmode.c
 *	  Walk the graph, or compare all records?
 */
#include "postgres.h"

#include <math.h>

#include "guc.h"
#include "hnsw/scan/scanmode.h"

/*
 * Of a slot in order, in distances of a walk: to look at it, and to compare it.
 * On pages a walk pins and locks for each node, a flat pass once a page; from
 * memory both wait for the same bytes, and only the walk meets some twice. Sketches
 * lie one after another, so that memory brings them before they are asked for, and a
 * flat pass has no lists to keep for each.
 */
static const struct
{
	double		look;
	double		compare;
}			flat_costs[] = {
	[SEED_ON_PAGES] = {0.1, 0.4},
	[SEED_IN_MEMORY] = {0.2, 0.8},
	[SEED_BY_SKETCHES] = {0.1, 0.2},
};

/* Of a node of a walk that is near enough to be kept, to ask whether it passes. */
#define WALK_ASK 0.5

/* Of a node that a plain walk would see, to look through it: a wide walk asks it
 * each time that a link leads there, and asking costs as much as comparing. */
#define WALK_LOOK 3.0

/* A walk compares about this many nodes for each link of each node it keeps. */
#define WALK_SHARE 0.4

/* Nodes that a walk sees however few it keeps: the way to the query. */
#define WALK_WAY 8.0

double
scanmode_walk_cost(double rows, double share, double ef, double m, bool wide)
{
	double		kept = Min(ef / share, rows);
	double		seen = Min(rows, (kept + WALK_WAY) * 2.0 * m * WALK_SHARE);

	/* a wide walk compares what passes alone */
	if (wide)
		return seen * (share + WALK_LOOK);
	return share < 1.0 ? seen * (1.0 + WALK_ASK * share) : seen;
}

double
scanmode_flat_cost(double rows, double share, SeedPlace place)
{
	return rows * (flat_costs[place].look + share * flat_costs[place].compare);
}

SeedPlan
scanmode_choose(const NodeFilter *filter, const HnswMap *map, bool has_query, uint32 ef,
				SeedPlace place)
{
	double		rows = hnsw_map_nodes(map);
	double		share = 1.0;
	double		plain;
	double		wide;
	SeedPlan	plan = {SEED_GRAPH, false};

	if (!has_query || guc_hnsw_scan_mode == HNSW_SCAN_FLAT)
	{
		plan.mode = SEED_FLAT;
		return plan;
	}
	if (filter->conditions != NULL)
		share = nodefilter_share(filter, map);
	plain = scanmode_walk_cost(rows, share, ef, map->shape.m, false);
	wide = scanmode_walk_cost(rows, share, ef, map->shape.m, true);
	plan.wide = wide < plain;
	if (guc_hnsw_scan_mode == HNSW_SCAN_AUTO &&
		scanmode_flat_cost(rows, share, place) <= Min(plain, wide))
		plan.mode = SEED_FLAT;
	return plan;
}

bool
scanmode_flat_is_allowed(const HnswMap *map)
{
	/* there is no telling how many slots of the last page are in use */
	return hnsw_map_nodes(map) <
		(double) guc_hnsw_max_scan_tuples + map->shape.per_page[HNSW_SPACE_NODES];
}

bool
scanmode_flat_is_better(const HnswMap *map, uint64 evaluated, SeedPlace place)
{
	double		rows = hnsw_map_nodes(map);

	return guc_hnsw_scan_mode == HNSW_SCAN_AUTO &&
		scanmode_flat_is_allowed(map) &&
		scanmode_flat_cost(rows, 1.0, place) <= evaluated;
}
