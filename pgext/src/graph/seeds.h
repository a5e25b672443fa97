/*
 * seeds.h
 *	  The first step: which entities does a query start from?
 */
#ifndef SEEDS_H
#define SEEDS_H

#include "graph/engine.h"
#include "graph/score.h"

/* How such seeds are found, for statistics and EXPLAIN. */
extern const char *seeds_method(GraphSeeds seeds);

/* Fill and seal the frontier with the call's seeds, each at no cost. */
extern void seeds_find(const GraphCall *call, FactSource *source,
					   Frontier *frontier);

#endif							/* SEEDS_H */
