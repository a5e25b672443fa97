/*
 * seeds.h
 *	  The first step: which entities does a query start from?
 */
#ifndef SEEDS_H
#define SEEDS_H

#include "graph/engine.h"
#include "graph/score.h"

/* How the seeds of a call are found, for the statistics. */
extern const char *seeds_method(const GraphCall *call);

/* Fill and seal the frontier with the call's seeds, each at no cost. */
extern void seeds_find(const GraphCall *call, FactSource *source,
					   Frontier *frontier);

#endif							/* SEEDS_H */
