/*
 * scanmode.h
 *	  Walk the graph, or compare all records?
 */
#ifndef HNSW_SCANMODE_H
#define HNSW_SCANMODE_H

#include "hnsw/scan/nodefilter.h"

typedef enum SeedMode
{
	SEED_GRAPH,
	SEED_FLAT
} SeedMode;

/* Where records are compared. */
typedef enum SeedPlace
{
	SEED_ON_PAGES,
	SEED_IN_MEMORY,				/* of a version */
	SEED_BY_SKETCHES			/* of a version that has them */
} SeedPlace;

typedef struct SeedPlan
{
	SeedMode	mode;
	bool		wide;			/* look through nodes that fail */
} SeedPlan;

/*
 * How a scan starts: as the setting asks, or as costs less there.
 */
extern SeedPlan scanmode_choose(const NodeFilter *filter, const HnswMap *map,
								bool has_query, uint32 ef, SeedPlace place);

/* May a scan compare all records? Not more than sorted_hnsw.max_scan_tuples. */
extern bool scanmode_flat_is_allowed(const HnswMap *map);

/* Is a walk that has compared so many nodes, and wants more, better ended by
 * comparing all? */
extern bool scanmode_flat_is_better(const HnswMap *map, uint64 evaluated, SeedPlace place);

/*
 * What a walk and a flat pass cost, in distances of a walk: for an index of so
 * many rows, of which this share meets the conditions.
 */
extern double scanmode_walk_cost(double rows, double share, double ef, double m, bool wide);
extern double scanmode_flat_cost(double rows, double share, SeedPlace place);

#endif							/* HNSW_SCANMODE_H */
