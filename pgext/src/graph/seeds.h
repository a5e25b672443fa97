/*
 * seeds.h
 *	  The first step: which entities does a query start from?
 */
#ifndef SEEDS_H
#define SEEDS_H

#include "graph/engine.h"
#include "graph/score.h"

/*
 * Fill and seal the frontier with the call's seeds, each at no cost. Returns how
 * they were found, for statistics and EXPLAIN: a literal.
 */
extern const char *seeds_find(const GraphCall *call, FactSource *source,
							  Frontier *frontier);

#endif							/* SEEDS_H */
