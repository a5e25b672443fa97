/*
 * twinchains.c
 *	  The twins of the nodes that a scan has found, taken a part at a time.
 *
 * Between two parts a chain is remembered by the number of the slot to go on
 * from. VACUUM may free that slot meanwhile, and an insert may fill it again:
 * its version or state tells, and the chain is followed from its head once more.
 * The head keeps its number as long as any snapshot sees a row of the chain.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "hnsw/scan/twinchains.h"

void
twinchains_init(TwinChains *chains)
{
	memset(chains, 0, sizeof(*chains));
	chains->context = CurrentMemoryContext;
}

uint32
twinchains_add(TwinChains *chains, uint32 head, uint32 next, double least)
{
	TwinChain	chain = {0};

	if (chains->count == chains->room)
	{
		chains->room = Max(2 * chains->room, 16);
		chains->items = chains->items == NULL
			? MemoryContextAlloc(chains->context, chains->room * sizeof(TwinChain))
			: repalloc_huge(chains->items, (Size) chains->room * sizeof(TwinChain));
	}
	chain.head = head;
	chain.next = next;
	chain.least = least;
	chains->items[chains->count] = chain;
	return chains->count++;
}

void
twinchains_saw(TwinChains *chains, uint32 number, double distance)
{
	TwinChain  *chain;

	if (number == TWINCHAINS_NONE)
		return;
	chain = &chains->items[number];
	if (chain->differ)
		return;
	chain->differ = chain->alike && distance != chain->seen;
	chain->alike = !chain->differ;
	chain->seen = distance;
}

double
twinchains_least(const TwinChains *chains, uint32 chain)
{
	const TwinChain *item = &chains->items[chain];

	return item->alike ? item->seen : item->least;
}

/* Where to go on: the slot remembered, or the head's first twin; then the head is taken
 * once more, for the row of the slot remembered may have come there. */
static HnswNode *
rest_of(TwinChain *chain, HnswPageStore *store, TwinTaker take, void *state, uint32 *number)
{
	HnswNode   *node = hnsw_store_lock_linked(store, chain->next);

	*number = chain->next;
	if (node != NULL && nodefilter_is_twin(node) &&
		(chain->part == 0 || node->version == chain->version))
		return node;
	if (chain->part == 0)
		return NULL;
	node = hnsw_store_lock_linked(store, chain->head);
	if (node == NULL || !hnsw_node_in_graph(node))
		return NULL;
	take(state, chain, chain->head, node);
	*number = node->twin;
	node = *number == HNSW_NO_NODE ? NULL : hnsw_store_lock_linked(store, *number);
	/* all of it again, and with it what is left */
	chain->part = Max(chain->part, hnsw_map_nodes(hnsw_store_map(store)) / 2);
	return node != NULL && nodefilter_is_twin(node) ? node : NULL;
}

bool
twinchains_follow(TwinChains *chains, uint32 which, HnswPageStore *store,
				  TwinTaker take, void *state)
{
	TwinChain  *chain = &chains->items[which];
	uint32		number;
	HnswNode   *node = rest_of(chain, store, take, state, &number);
	uint32		left;

	/* A damaged chain may have no end: parts have, and all parts together. */
	chain->part = chain->part == 0 ? TWINCHAINS_FIRST
		: Min(2 * chain->part, PG_UINT32_MAX / 4);
	if (chain->part > 2 * hnsw_map_nodes(hnsw_store_map(store)) + TWINCHAINS_FIRST)
		return false;
	for (left = chain->part; node != NULL && left > 0; left--)
	{
		take(state, chain, number, node);
		number = node->twin;
		node = NULL;
		if (number == HNSW_NO_NODE)
			break;
		if (left % TWINCHAINS_FIRST == 0)
		{
			hnsw_store_unlock(store);
			CHECK_FOR_INTERRUPTS();
		}
		node = hnsw_store_lock_linked(store, number);
		if (node != NULL && !nodefilter_is_twin(node))
			node = NULL;
	}
	if (node != NULL)
	{
		chain->next = number;
		chain->version = node->version;
	}
	hnsw_store_unlock(store);
	return node != NULL;
}
