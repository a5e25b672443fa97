/*
 * hnsw_reach.h
 *	  Which nodes links lead to, in which order, and that none is left out.
 *
 * A node that is inserted links to others, but whether one of them keeps a link
 * back is up to the choice of links: a few nodes of a large graph end up with
 * none that leads to them. A finished graph has no such node.
 */
#ifndef HNSW_REACH_H
#define HNSW_REACH_H

#include "hnsw.h"
#include "hnsw_arrays.h"
#include "hnsw_place.h"

/*
 * Follow the links of level 0 from a node, breadth first. `order` gets the
 * nodes as they are met and `parent` for each node the one that led to it: the
 * start is its own parent, HNSW_NO_NODE marks those not reached. Both have
 * nnodes elements; returns how many were reached. Neighbours are near each
 * other in that order, so it is one to store nodes in.
 */
extern uint32_t hnsw_reach(const HnswStore *store, uint32_t start, uint32_t nnodes,
						   uint32_t *order, uint32_t *parent);

/*
 * Give every node of a finished graph a link that leads to it: the nearest node
 * with room, or with a link that hnsw_reach found no use for, which is given up.
 * `order` and `parent` are as for hnsw_reach and are afterwards a breadth-first
 * order and tree but for those attached, which come last.
 */
extern CoreStatus hnsw_attach_all(HnswArrays *arrays, HnswPlacer *placer,
								  uint32_t *order, uint32_t *parent);

#endif							/* HNSW_REACH_H */
