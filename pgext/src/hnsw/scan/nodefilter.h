/*
 * nodefilter.h
 *	  Which nodes a scan's conditions let through.
 */
#ifndef HNSW_NODEFILTER_H
#define HNSW_NODEFILTER_H

#include "hnsw/columns.h"
#include "hnsw/store.h"
#include "hnsw_search.h"

typedef struct NodeFilter
{
	HnswFilter	core;
	HnswPageStore *store;
	const HnswConditions *conditions;	/* NULL: only life is asked for */
} NodeFilter;

/* Both must outlive it. */
extern void nodefilter_init(NodeFilter *filter, HnswPageStore *store,
							const HnswConditions *conditions);

/* Does the slot hold a row that may meet the conditions? On a locked page. */
static inline bool
nodefilter_row(const HnswShape *shape, const HnswConditions *conditions, HnswNode *node)
{
	HnswNodeState state = hnsw_node_state(node);

	return (state == HNSW_NODE_LIVE || state == HNSW_NODE_TWIN) &&
		(conditions == NULL ||
		 hnsw_conditions_meet(conditions, hnsw_node_columns(shape, node), node->nulls));
}

/*
 * The same for a slot that a chain of twins leads to. VACUUM may have taken it
 * out of the chain and put its row in the head's place since the head was looked
 * at; until the slot is freed it has the row, and leads on.
 */
static inline bool
nodefilter_twin(const HnswShape *shape, const HnswConditions *conditions, HnswNode *node)
{
	return conditions == NULL ||
		hnsw_conditions_meet(conditions, hnsw_node_columns(shape, node), node->nulls);
}

static inline bool
nodefilter_is_twin(const HnswNode *node)
{
	HnswNodeState state = hnsw_node_state(node);

	return state == HNSW_NODE_TWIN || state == HNSW_NODE_DYING;
}

/*
 * The same for a pass over all slots. VACUUM may put the row of a slot that is to
 * come in the place of a head that the pass has seen; what is marked but dead
 * the snapshot does not see.
 */
static inline bool
nodefilter_slot(const HnswShape *shape, const HnswConditions *conditions, HnswNode *node)
{
	return hnsw_node_state(node) != HNSW_NODE_FREE &&
		nodefilter_twin(shape, conditions, node);
}

/* The share of rows that meet the conditions, by some pages; never 0. */
extern double nodefilter_share(const NodeFilter *filter, const HnswMap *map);

#endif							/* HNSW_NODEFILTER_H */
