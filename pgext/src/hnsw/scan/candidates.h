/*
 * candidates.h
 *	  Rows that a walk or a flat pass has found, put in exact order with as few
 *	  fetches as that takes.
 *
 * Each candidate has numbers below and above which its exact distance is not expected
 * to be; it is looked at closer when it comes first by the lower one: in the
 * halves of the index where there are some, then in the row itself. What comes
 * first with its exact distance is the next row.
 */
#ifndef HNSW_CANDIDATES_H
#define HNSW_CANDIDATES_H

#include "hnsw/scan/rowfetch.h"
#include "hnsw/scan/seedscan.h"
#include "hnsw/scan/twinchains.h"
#include "hnsw/store.h"

typedef enum CandidateLevel
{
	CANDIDATE_RECORD,
	CANDIDATE_HALVES,
	CANDIDATE_EXACT,
	CANDIDATE_CHAIN				/* no row: the rest of a chain of twins */
} CandidateLevel;

typedef struct Candidate
{
	double		least;
	double		most;			/* until the row was read */
	uint32		node;
	uint32		chain;			/* of the row, or the rest of which it is */
	ItemPointerData tid;
	uint8		level;			/* CandidateLevel */
} Candidate;

typedef struct Candidates
{
	const HnswShape *shape;
	HnswPageStore *store;
	RowFetch   *rows;
	const DistQuery *query;		/* NULL: rows come as they are found */
	MemoryContext context;
	Candidate  *items;			/* heap */
	int			count;
	int			room;
	int			spare;			/* so many are left when there is no next row */
	uint64		dead;			/* that the snapshot did not see */
	TwinChains *chains;
} Candidates;

/* In the current memory context; all else must outlive it. */
extern void candidates_init(Candidates *candidates, const HnswShape *shape,
							HnswPageStore *store, RowFetch *rows, const DistQuery *query,
							TwinChains *chains);

/* `chain` is that of the row, or TWINCHAINS_NONE. */
extern void candidates_add(Candidates *candidates, uint32 node, uint32 chain,
						   const ItemPointerData *tid, HnswBounds bounds);

/* There is more of a chain. */
extern void candidates_add_chain(Candidates *candidates, uint32 chain);

typedef enum CandidatesNext
{
	CANDIDATES_END,
	CANDIDATES_ROW,				/* the next row that the snapshot sees */
	CANDIDATES_WANT_CHAIN		/* the next row may be in the rest of this
								 * chain, whose rows are to be added now */
} CandidatesNext;

extern CandidatesNext candidates_next(Candidates *candidates, SeedRow *row, uint32 *chain);

/*
 * Take all rows that are certain to be among the nearest `count` of all candidates by
 * what the index tells, in any order: fewer than that. There must be room for as many as
 * there are candidates.
 */
extern int	candidates_take_certain(Candidates *candidates, uint32 count,
									Candidate *certain);

/*
 * For a caller who reads rows himself: take up to `room` rows that may be as near
 * as `bound`, nearest first by what is known of them. Fewer where the next one is
 * farther (*beyond), where a chain is to be followed first, and at the end.
 */
extern int	candidates_take(Candidates *candidates, double bound, ItemPointerData *tids,
							int room, bool *beyond);

#endif							/* HNSW_CANDIDATES_H */
