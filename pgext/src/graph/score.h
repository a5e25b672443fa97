/*
 * score.h
 *	  What becomes of a hop's rows: the next hop's seeds, or the best k.
 */
#ifndef SCORE_H
#define SCORE_H

#include "graph/facts.h"
#include "topk.h"

/* Ids to visit next, each with the least cost at which it was reached. */
typedef struct FrontierItem
{
	double		cost;
	int32		id;
} FrontierItem;

typedef struct Frontier
{
	MemoryContext context;
	FrontierItem *items;		/* as they came, until sealed */
	size_t		count;
	size_t		allocated;
	int32	   *ids;			/* sealed: ascending, without duplicates */
	double	   *costs;			/* sealed: least cost of each id */
} Frontier;

extern void frontier_init(Frontier *frontier);
extern void frontier_add(Frontier *frontier, int32 id, double cost);
extern void frontier_seal(Frontier *frontier);

/* The cost of a sealed id. */
extern double frontier_cost(const Frontier *frontier, int32 id);

/*
 * The best k rows under the total order (distance, entity, relation, target),
 * nulls last. The heap grows with the rows offered, so that a large k costs
 * nothing by itself.
 */
typedef struct Ranking
{
	MemoryContext context;
	FactSource *source;			/* where kept rows live, or NULL to keep none */
	Topk		heap;
	uint32		k;
} Ranking;

extern void ranking_init(Ranking *ranking, uint32 k, FactSource *source);
extern void ranking_offer(Ranking *ranking, const FactRow *row, double score);

/* Sort what was kept, best first. */
extern void ranking_finish(Ranking *ranking);

/* The row's key back from an item. */
extern FactKey ranking_key(const TopkItem *item);

#endif							/* SCORE_H */
