/*
 * hnsw_check.h
 *	  What must hold of a graph at rest.
 *
 *	 - The entry is a node of the highest level; only an empty graph has none.
 *	 - A list holds at most as many links as its level allows, each once, none
 *	   to its owner, and all to nodes that are on the level.
 *	 - Links of level 0 lead from the entry to every node.
 */
#ifndef HNSW_CHECK_H
#define HNSW_CHECK_H

#include "hnsw.h"

typedef enum HnswFaultKind
{
	HNSW_FAULT_NO_ENTRY,		/* there are nodes, but no valid entry */
	HNSW_FAULT_ENTRY_LEVEL,		/* `other` is a node above the entry `node` */
	HNSW_FAULT_TOO_MANY,		/* `node` has `other` links on `level` */
	HNSW_FAULT_SELF,			/* `node` links to itself */
	HNSW_FAULT_DUPLICATE,		/* `node` links to `other` more than once */
	HNSW_FAULT_NOWHERE,			/* `node` links to `other`, not on `level` */
	HNSW_FAULT_UNREACHED		/* no links lead to `node` */
} HnswFaultKind;

typedef struct HnswFault
{
	HnswFaultKind kind;
	uint32_t	node;
	int			level;
	uint32_t	other;
} HnswFault;

typedef struct HnswCheck
{
	HnswStore	store;
	HnswEntry	entry;
	uint32_t	m;
	uint32_t	nnodes;			/* numbers run from 0 to nnodes - 1 */

	/* The level of a node, -1 where the number has none. */
	int			(*level) (void *state, uint32_t node);

	/* Hears every fault; may leave by a non-local jump. */
	void		(*report) (void *state, const HnswFault *fault);
	void	   *state;			/* of these two */
	CoreStopFn	stop;
	void	   *stop_state;
} HnswCheck;

/* Memory comes from `alloc`: six bytes a node. */
extern CoreStatus hnsw_check(const HnswCheck *check, CoreAlloc alloc);

#endif							/* HNSW_CHECK_H */
