/*
 * links.h
 *	  Lists of links on pages: read one, plan changes to many, write them.
 *
 * Whom a full list leads to takes distances to choose, and so other pages; no
 * buffer is locked meanwhile. A list is read, its change planned, and written
 * only if the page still holds what was read.
 *
 * What keeps nodes reachable: a list of level 0 that is full gives up a link
 * only when another way of two steps leads from its owner there, through a node
 * that it keeps (the *witness*), or when the new node, to which nobody owes
 * anything yet, takes the link over. So whatever led to a node still does. Two
 * writers may each take the other's second step away: each looks again after it
 * has written, and the later of the two sees it and puts the link back
 * (hnsw_relink).
 *
 * The caller holds the inserts' page lock, or is VACUUM, which alone frees
 * slots.
 */
#ifndef HNSW_LINKS_H
#define HNSW_LINKS_H

#include "hnsw/pageio.h"
#include "hnsw/store.h"

/* Stands for a new node before it has a slot. */
#define HNSW_NEW_NODE HNSW_MAX_NODES

#define HNSW_LIST_ROOM (2 * HNSW_MAX_M + 1)

typedef struct HnswList
{
	uint32		owner;
	int			level;
	HnswNodeState state;		/* of the owner */
	uint32		slot;			/* in the space of nodes, or of uppers */
	uint32		count;
	uint32		links[HNSW_LIST_ROOM];
} HnswList;

typedef struct HnswChange
{
	HnswList	list;			/* as it was read */
	uint32		count;			/* as it shall be */
	uint32		links[HNSW_LIST_ROOM];
	uint32		dropped;		/* what it gives up, or HNSW_NO_NODE */
	uint32		witness;		/* leads there */
	bool		written;
} HnswChange;

/* What planning needs. */
typedef struct HnswLinker
{
	Relation	index;
	HnswMap    *map;
	HnswPlacer *placer;
	HnswStore	store;			/* over the map */
} HnswLinker;

/* The links of level 0 of a node that nothing leads to yet. */
typedef struct HnswOwnLinks
{
	uint32		count;
	uint32		nadopted;		/* of the first, taken over from others */
	uint32		links[HNSW_LIST_ROOM];
} HnswOwnLinks;

extern bool hnsw_list_has(const uint32 *links, uint32 count, uint32 node);

/* False when the owner is not in the graph or not on that level. */
extern bool hnsw_list_read(Relation index, HnswMap *map, uint32 owner, int level,
						   HnswList *list);

/*
 * The slot of a level above 0, by its owner's first; InvalidBuffer when the
 * chain does not lead there. Otherwise locked, and *slot is its place on the
 * page and *number in the space.
 */
extern Buffer hnsw_upper_read(Relation index, const HnswMap *map, uint32 owner,
							  uint32 first, int level, int lock, uint32 *slot,
							  uint32 *number);

/*
 * Plan that a list, in change->list, leads to `node`, whose vector is given.
 * False when it need not or cannot. `own` is NULL when the node cannot take over
 * links.
 */
extern bool hnsw_plan_link(const HnswLinker *linker, HnswChange *change, uint32 node,
						   const void *vector, HnswOwnLinks *own);

/* Plan it at the cost of the list's last link to a living node, which the node
 * takes over. */
extern void hnsw_plan_takeover(const HnswLinker *linker, HnswChange *change,
							   uint32 node, HnswOwnLinks *own);

/*
 * Write planned changes, one record for each page. Those whose list is not as
 * it was read, or whose owner does not live, stay unwritten.
 */
extern void hnsw_write_changes(Relation index, HnswMap *map, HnswChange **changes,
							   uint32 nchanges);

/* Does the witness of a written change still lead to what the list gave up? If
 * not, see to it. */
extern void hnsw_verify_change(const HnswLinker *linker, const HnswChange *change);

/* Make one node lead to another that lives, by at most two steps; false when it
 * cannot. */
extern bool hnsw_relink(const HnswLinker *linker, uint32 from, uint32 to);

/* The same for a node that nothing leads to yet, at the cost of a link that it
 * takes over. */
extern void hnsw_force_link(const HnswLinker *linker, uint32 from, uint32 to);

#endif							/* HNSW_LINKS_H */
