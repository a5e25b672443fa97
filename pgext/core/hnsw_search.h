/*
 * hnsw_search.h
 *	  Walks through a graph towards a query, which can stop and go on.
 *
 * A walk keeps the `ef` nearest nodes seen and a frontier of nodes whose links
 * it has not followed; it follows the nearest of the frontier until that is
 * farther than all `ef` kept. A walk started as resumable also keeps what it
 * turned away, so hnsw_search_grow continues it with a larger ef to where a new
 * walk with that ef would have come, without computing a distance twice.
 *
 * With a filter only nodes that pass are kept. A plain walk follows all nodes.
 * A wide one computes no distance to nodes that fail: it looks through them at
 * the links beyond (the expansion of ACORN-1), which is cheaper when few pass;
 * when that way leads no further, it turns to the nodes it looked through, so
 * it too sees all that is reachable before it gives up.
 *
 * With a sketch of the query a walk goes by the store's estimates, and computes
 * distances of what it has kept in the end: what is taken comes with distances, in
 * their order.
 *
 * A search may be used again and again; its memory grows to the largest walk.
 * After a callback has left by a non-local jump it must be initialised anew.
 */
#ifndef HNSW_SEARCH_H
#define HNSW_SEARCH_H

#include "hnsw.h"
#include "hnsw_keys.h"
#include "hnsw_visited.h"

typedef struct HnswFilter
{
	/* Which of the nodes may be results? Asked at most a few times a node. */
	void		(*pass) (void *state, const uint32_t *nodes, uint32_t count, bool *out);
	void	   *state;
	bool		wide;			/* look through nodes that fail */
} HnswFilter;

typedef enum HnswEnd
{
	HNSW_END_NEAREST,			/* nothing nearer is left on the frontier */
	HNSW_END_ALL_SEEN,			/* all reachable nodes that pass are kept, or
								 * were */
	HNSW_END_LIMIT				/* `max_evaluated` was reached */
} HnswEnd;

typedef struct HnswSearch
{
	CoreAlloc	alloc;
	CoreStopFn	stop;			/* or NULL */
	void	   *stop_state;

	/* What the caller may set between init and start */
	const HnswFilter *filter;	/* or NULL */
	const HnswSketchQuery *sketch;	/* or NULL */
	bool		resumable;
	uint64_t	max_evaluated;	/* distances on level 0; 0 for no limit */
	uint32_t	nnodes;			/* numbers of nodes are below; 0: not known.
								 * Nothing else is ever followed. */

	/* The walk */
	const HnswStore *store;
	const void *query;
	uint32_t	ef;
	HnswVisited visited;
	HnswKeys	frontier;		/* heap */
	HnswKeys	nearest;		/* heap of complements, at most ef */
	HnswKeys	held;			/* seen, not on the frontier, not asked about */
	HnswKeys	evicted;		/* were among the nearest, on the frontier or
								 * followed */
	HnswKeys	skipped;		/* failed and looked through; no distance yet */
	HnswKeys	results;		/* the nearest in order */
	HnswVisited taken;			/* given out by hnsw_search_take */

	/* What it cost, since start */
	uint64_t	evaluated;		/* nodes compared on level 0 */
	uint64_t	expanded;		/* lists of links read on level 0 */
	HnswEnd		end;

	/* One step's neighbours */
	uint32_t	ids[HNSW_MAX_LINKS];
	uint32_t	beyond[HNSW_MAX_LINKS];
	float		dists[HNSW_MAX_LINKS];
	bool		passed[HNSW_MAX_LINKS];
} HnswSearch;

/* No filter, not resumable, no limit. `stop` is asked at every step. */
extern void hnsw_search_init(HnswSearch *search, CoreAlloc alloc, CoreStopFn stop,
							 void *stop_state);

/*
 * From the entry down to level 0 and there to the ef nearest. The store and
 * the query must outlive the walk.
 */
extern CoreStatus hnsw_search_start(HnswSearch *search, const HnswStore *store,
									const void *query, HnswEntry entry, uint32_t ef);

/* Continue a resumable walk with a larger ef. */
extern CoreStatus hnsw_search_grow(HnswSearch *search, uint32_t ef);

/*
 * Nodes that links may not lead to join a walk that was started and has not given
 * out results; it goes on where they are near. Those it has seen are left out.
 */
extern CoreStatus hnsw_search_offer(HnswSearch *search, const uint32_t *nodes,
									uint32_t count);

/*
 * The nodes kept, nearest first, of a resumable walk those that were not taken
 * before: a list that lives until the next call with this search.
 */
extern CoreStatus hnsw_search_take(HnswSearch *search, const HnswKey **found,
								   uint32_t *count);

/* The nearest node of a level that single steps reach, from a node of it. */
extern CoreStatus hnsw_search_descend(HnswSearch *search, const HnswStore *store,
									  const void *query, int level, HnswKey *nearest);

/*
 * The ef nearest of one level, from given nodes and their distances; sorted in
 * `search->results`, ascending. For building: not resumable.
 */
extern CoreStatus hnsw_search_level(HnswSearch *search, const HnswStore *store,
									const void *query, int level,
									const HnswKey *from, uint32_t nfrom, uint32_t ef);

#endif							/* HNSW_SEARCH_H */
