/*
 * hnsw_place.h
 *	  Where a new node belongs, and which links a full node keeps.
 *
 * Both choose by the heuristic of the HNSW paper: a candidate, nearest first,
 * becomes a link unless a link chosen before is nearer to it than the owner is
 * (then the walk gets there through that one). What room is left is filled
 * with the nearest of those turned away.
 *
 * Nothing is written: the host links the nodes, under its own locks.
 */
#ifndef HNSW_PLACE_H
#define HNSW_PLACE_H

#include "hnsw.h"
#include "hnsw_arriving.h"
#include "hnsw_search.h"

typedef struct HnswParams
{
	uint32_t	m;				/* HNSW_MIN_M to HNSW_MAX_M */
	uint32_t	ef_construction;	/* at least 1 */
} HnswParams;

typedef struct HnswPlacer
{
	HnswParams	params;
	HnswSearch	search;
	HnswKeys	starts;			/* where the walk of a level starts */
	HnswKeys	candidates;
	uint32_t   *links;			/* of level l from (l == 0 ? 0 : (l + 1) * m) */
	uint32_t	counts[HNSW_MAX_LEVEL + 1];
	int			level;			/* highest level that has links */

	/*
	 * Where several build, set before each hnsw_place: the new node's number,
	 * and nodes of level 0 that links may not lead to yet.
	 */
	uint32_t	self;			/* HNSW_NO_NODE: it has none yet */
	uint32_t	narriving;
	uint32_t	arriving[HNSW_MAX_ARRIVING];
	uint32_t	chosen[2 * HNSW_MAX_M];
	float		dists[HNSW_MAX_LINKS + 1];
} HnswPlacer;

extern CoreStatus hnsw_placer_init(HnswPlacer *placer, HnswParams params, CoreAlloc alloc,
								   CoreStopFn stop, void *stop_state);

/*
 * The links of a new node of a level with this vector, at most
 * hnsw_max_links() a level, nearest first: placer->counts and
 * hnsw_placer_links(). Levels above the entry's have none.
 */
extern CoreStatus hnsw_place(HnswPlacer *placer, const HnswStore *store, HnswEntry entry,
							 const void *vector, int level);

static inline const uint32_t *
hnsw_placer_links(const HnswPlacer *placer, int level)
{
	return placer->links + (level == 0 ? 0 : (level + 1) * placer->params.m);
}

/*
 * Choose at most `max` of the owner's `*count` links, at most HNSW_MAX_LINKS + 1,
 * in place, nearest first; a list no longer than `max` stays as it is. The list
 * has no duplicates and not the owner. Calls nothing but the store.
 */
extern void hnsw_revise(HnswPlacer *placer, const HnswStore *store, uint32_t owner,
						uint32_t *links, uint32_t *count, uint32_t max);

/*
 * Choose at most `max`, which is at most 2 * HNSW_MAX_M, of candidates sorted by
 * their distance from the owner; the result is in the same order.
 */
extern uint32_t hnsw_choose(HnswPlacer *placer, const HnswStore *store,
							const HnswKey *candidates, uint32_t count, uint32_t max,
							uint32_t *out);

#endif							/* HNSW_PLACE_H */
