/*
 * zonescan.h
 *	  Entities -> candidate blocks, through the zone map led by the entity.
 */
#ifndef ZONESCAN_H
#define ZONESCAN_H

#include "graph/facts.h"
#include "tableam/pageread.h"
#include "zone/zonemap.h"

typedef struct ZoneScan
{
	Relation	rel;
	Relation	index;
	Snapshot	snapshot;
	const FactColumns *columns;
	ZoneMap    *map;			/* from the first search on */
	bool		locked;			/* the table, against phantoms */
	bool		relation_key;	/* the map's second column is the relation */
	BlockNumber *blocks;		/* result of the last search, ascending */
	size_t		nblocks;
} ZoneScan;

/* The index is usable for the snapshot. */
extern void zonescan_begin(ZoneScan *zs, Relation rel, Relation index,
						   const FactColumns *columns, Snapshot snapshot);

/*
 * Blocks that can hold rows of the hop, in zs->blocks. With may_decline, false
 * where the btree would find the rows sooner; then there is no result.
 */
extern bool zonescan_search(ZoneScan *zs, const FactHop *hop,
							bool may_decline);

extern void zonescan_end(ZoneScan *zs);

/* The key test for the blocks: which tuples are rows of the hop? */
typedef struct SeedTest
{
	const FactColumns *columns;
	const FactHop *hop;
	size_t		at;				/* the last seed found at or below an entity */
	size_t		hinted;			/* the same for hints */
} SeedTest;

extern int	seed_test(void *state, Page page, OffsetNumber last,
					  OffsetNumber *matches);

/*
 * Ask the CPU for the rows of a pinned page that look as if they would pass, where rows
 * are long. Nothing that is read for that is believed, as of all hints.
 */
extern void seed_hint(SeedTest *test, Buffer buffer);

#endif							/* ZONESCAN_H */
