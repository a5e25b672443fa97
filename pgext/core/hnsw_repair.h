/*
 * hnsw_repair.h
 *	  New links for nodes whose neighbours die.
 *
 * A list is repaired before the nodes it leads to are taken away: it gets the
 * living nodes that its dying neighbours lead to, through further dying nodes
 * where it must. Where those are few, a walk from the entry finds more. Dying
 * nodes are followed all the while and chosen never, so the graph may be
 * searched while its lists are repaired one by one.
 *
 * Nothing is written: the host replaces the lists, under its own locks.
 */
#ifndef HNSW_REPAIR_H
#define HNSW_REPAIR_H

#include "hnsw.h"
#include "hnsw_form.h"
#include "hnsw_place.h"
#include "hnsw_search.h"

typedef struct HnswRepair
{
	HnswPlacer *placer;
	const HnswStore *store;
	const HnswForm *form;		/* of the store's vectors */
	HnswEntry	entry;			/* a node that lives, or none when none does */
	const HnswFilter *living;	/* which nodes stay */

	/* One list's work */
	HnswVisited seen;
	HnswKeys	candidates;		/* living, with distances in the end */
	HnswKeys	dying;			/* whose links are still to be read */
	uint32_t	owner;
} HnswRepair;

extern void hnsw_repair_init(HnswRepair *repair, HnswPlacer *placer, const HnswStore *store,
							 const HnswForm *form, HnswEntry entry,
							 const HnswFilter *living);

/*
 * Replace the links of a living node on a level where one of them dies;
 * *changed is false when none does, and the list is as it was. `links` has room
 * for HNSW_MAX_LINKS; on entry it holds what the store gave.
 */
extern CoreStatus hnsw_repair_list(HnswRepair *repair, uint32_t owner, int level,
								   uint32_t *links, uint32_t *count, bool *changed);

#endif							/* HNSW_REPAIR_H */
