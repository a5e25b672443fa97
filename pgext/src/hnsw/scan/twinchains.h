/*
 * twinchains.h
 *	  The twins of the nodes that a scan has found, taken a part at a time.
 *
 * A hundred thousand rows may have one vector: a LIMIT of ten must not look at
 * all of them. So a chain is followed in parts, each twice as long as the one
 * before, and the rest of it waits among the candidates. Twins have one record,
 * which says little about exact distances. While all rows of a chain that were
 * fetched are equally far, the rest is taken to be as far as they, since equal
 * records nearly always come of equal vectors; else it is only known to be no
 * nearer than the record allows, and all of it comes before any of its rows.
 * If that is wrong after a whole part was alike, a row comes late, as others
 * that a walk finds late.
 */
#ifndef HNSW_TWINCHAINS_H
#define HNSW_TWINCHAINS_H

#include "hnsw/scan/nodefilter.h"

#define TWINCHAINS_NONE UINT32_C(0xFFFFFFFF)

/* Of a chain, the first part. */
#define TWINCHAINS_FIRST 64

typedef struct TwinChain
{
	uint32		head;
	uint32		next;			/* the first slot of the rest, or HNSW_NO_NODE */
	uint16		version;		/* of that slot */
	bool		alike;			/* so far, and some were fetched */
	bool		differ;
	uint32		part;			/* how many slots were in the last one */
	double		least;			/* by the record */
	double		seen;			/* exact distance of rows fetched */
} TwinChain;

typedef struct TwinChains
{
	MemoryContext context;
	TwinChain  *items;
	uint32		count;
	uint32		room;
} TwinChains;

/* In the current memory context. */
extern void twinchains_init(TwinChains *chains);

/* A new chain: of a head, from its first twin on. */
extern uint32 twinchains_add(TwinChains *chains, uint32 head, uint32 next, double least);

/* A row of a chain was fetched. */
extern void twinchains_saw(TwinChains *chains, uint32 chain, double distance);

/* What the rest of a chain is hardly nearer than. */
extern double twinchains_least(const TwinChains *chains, uint32 chain);

/*
 * Go on along a chain: `take` gets each slot of its next part, on its locked
 * page. False when that was the rest of it. Under the page lock of walks. Slots
 * of before may be given again, where VACUUM has freed the one to go on from.
 */
typedef void (*TwinTaker) (void *state, const TwinChain *chain, uint32 number,
						   HnswNode *node);

extern bool twinchains_follow(TwinChains *chains, uint32 chain, HnswPageStore *store,
							  TwinTaker take, void *state);

#endif							/* HNSW_TWINCHAINS_H */
