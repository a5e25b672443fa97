/*
 * flatpass.h
 *	  All records compared with a query, page by page, instead of a walk.
 *
 * Slots are taken as they lie, twins like nodes, so each is a row of its own. Between
 * two takes VACUUM may put a twin in its node's place and free its slot: who takes
 * more looks at the counters then.
 */
#ifndef HNSW_FLATPASS_H
#define HNSW_FLATPASS_H

#include "hnsw/scan/nodefilter.h"

typedef struct FlatPass
{
	HnswPageStore *store;
	const HnswConditions *conditions;
	CoreAlloc	alloc;
	uint32		ef;				/* how many are at hand first */
	uint32		guesses;		/* of how many records are compared, by
								 * sketches */
	uint32		room;			/* for how many keys beyond these */
	HnswKeys	nearest;		/* heap of complements, then in order */
	HnswKeys	rest;			/* heap once `nearest` was taken */
	HnswKey		farthest;		/* not kept, as is all beyond */
	bool		limited;		/* rows were not kept */
	bool		partial;		/* by sketches: beyond `ef` there are more */
	HnswKeys	guessed;		/* nearest by sketches, and some more */
	HnswKey		farthest_guess; /* not among them, as is all beyond */
	uint32		takes;
	uint64		evaluated;
	uint32		next_page;		/* of a pass in any order */
} FlatPass;

extern void flatpass_init(FlatPass *pass, HnswPageStore *store,
						  const HnswConditions *conditions, CoreAlloc alloc,
						  uint32 ef, uint32 guesses, uint32 room);

/*
 * Compare all; leaves out nodes of `seen`, which may be NULL. With a sketch of the
 * query, which may be NULL, of the slots of an image only the nearest `guesses` by their
 * sketches are compared by records: it is not exact, as a walk is not.
 */
extern void flatpass_run(FlatPass *pass, const void *record, const HnswSketchQuery *sketch,
						 const HnswVisited *seen);

/* The next keys, nearest first, at most `max` after the first `ef`; *count is 0
 * at the end. They live until the next call. */
extern const HnswKey *flatpass_take(FlatPass *pass, uint32 max, uint32 *count);

/* After the first take: those that are as far as the last of it, as twins are. */
extern const HnswKey *flatpass_take_ties(FlatPass *pass, uint32 *count);

/* Without comparing: some more slots with rows that meet the conditions, as
 * keys of distance 0. */
extern const HnswKey *flatpass_take_any(FlatPass *pass, uint32 *count);

/* Give memory back; of a pass that was never begun, too. */
extern void flatpass_end(FlatPass *pass);

#endif							/* HNSW_FLATPASS_H */
