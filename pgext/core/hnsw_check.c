/*
 * hnsw_check.c
 *	  The checker: levels and entry, lists, reach.
 *
 * It trusts nothing that the store says but the length of a list: the graph
 * may be on pages that went bad.
 */
#include "hnsw_check.h"

#include "hnsw_keys.h"

#define NO_LEVEL -1

typedef struct Checking
{
	const HnswCheck *check;
	int8_t	   *levels;			/* of each node, NO_LEVEL where there is none */
	uint32_t   *order;			/* as met from the entry */
	bool	   *reached;		/* whom links lead to from there */
} Checking;

static void
report(const Checking *checking, HnswFaultKind kind, uint32_t node, int level, uint32_t other)
{
	HnswFault	fault = {kind, node, level, other};

	checking->check->report(checking->check->state, &fault);
}

static bool
stopped(const Checking *checking)
{
	const HnswCheck *check = checking->check;

	return check->stop != NULL && check->stop(check->stop_state);
}

/* Is the entry there, and none above it? False when walks have no start. */
static bool
check_entry(const Checking *checking)
{
	HnswEntry	entry = checking->check->entry;
	uint32_t	nnodes = checking->check->nnodes;
	uint32_t	highest = HNSW_NO_NODE;

	for (uint32_t node = 0; node < nnodes; node++)
	{
		int8_t		level = checking->levels[node];

		if (level != NO_LEVEL &&
			(highest == HNSW_NO_NODE || level > checking->levels[highest]))
			highest = node;
	}
	if (highest == HNSW_NO_NODE && entry.node == HNSW_NO_NODE)
		return false;
	if (entry.node >= nnodes || checking->levels[entry.node] != entry.level)
	{
		report(checking, HNSW_FAULT_NO_ENTRY, entry.node, entry.level, highest);
		return false;
	}
	if (checking->levels[highest] > entry.level)
		report(checking, HNSW_FAULT_ENTRY_LEVEL, entry.node, entry.level, highest);
	return true;
}

static void
check_list(const Checking *checking, uint32_t node, int level)
{
	const HnswCheck *check = checking->check;
	uint32_t	links[HNSW_MAX_LINKS];
	uint32_t	count = check->store.links(check->store.state, node, level, links);

	if (count > hnsw_max_links(check->m, level))
		report(checking, HNSW_FAULT_TOO_MANY, node, level, count);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	link = links[i];
		bool		before = false;

		if (link >= check->nnodes || checking->levels[link] < level)
		{
			report(checking, HNSW_FAULT_NOWHERE, node, level, link);
			continue;
		}
		if (link == node)
			report(checking, HNSW_FAULT_SELF, node, level, link);
		for (uint32_t j = 0; j < i; j++)
			before |= links[j] == link;
		if (before)
			report(checking, HNSW_FAULT_DUPLICATE, node, level, link);
	}
}

static CoreStatus
check_lists(const Checking *checking)
{
	for (uint32_t node = 0; node < checking->check->nnodes; node++)
	{
		if (stopped(checking))
			return CORE_STOPPED;
		for (int level = 0; level <= checking->levels[node]; level++)
			check_list(checking, node, level);
	}
	return CORE_OK;
}

static CoreStatus
check_reach(const Checking *checking)
{
	const HnswCheck *check = checking->check;
	uint32_t   *order = checking->order;
	bool	   *reached = checking->reached;
	uint32_t	count = 1;

	memset(reached, 0, check->nnodes * sizeof(bool));
	order[0] = check->entry.node;
	reached[order[0]] = true;
	for (uint32_t done = 0; done < count; done++)
	{
		uint32_t	links[HNSW_MAX_LINKS];
		uint32_t	nlinks = check->store.links(check->store.state, order[done], 0, links);

		if (stopped(checking))
			return CORE_STOPPED;
		for (uint32_t i = 0; i < nlinks; i++)
		{
			uint32_t	link = links[i];

			if (link >= check->nnodes || checking->levels[link] == NO_LEVEL || reached[link])
				continue;
			reached[link] = true;
			order[count++] = link;
		}
	}
	for (uint32_t node = 0; node < check->nnodes; node++)
	{
		if (checking->levels[node] != NO_LEVEL && !reached[node])
			report(checking, HNSW_FAULT_UNREACHED, node, 0, HNSW_NO_NODE);
	}
	return CORE_OK;
}

CoreStatus
hnsw_check(const HnswCheck *check, CoreAlloc alloc)
{
	uint32_t	n = check->nnodes > 0 ? check->nnodes : 1;
	Checking	checking = {check, NULL, NULL, NULL};
	CoreStatus	status;
	size_t		bytes;

	if (!core_mul_size(n, sizeof(uint32_t), &bytes))
		return CORE_TOO_LARGE;
	checking.levels = alloc.alloc(alloc.state, n);
	checking.reached = alloc.alloc(alloc.state, n);
	checking.order = alloc.alloc(alloc.state, bytes);
	if (checking.levels == NULL || checking.reached == NULL || checking.order == NULL)
		return CORE_NO_MEMORY;
	for (uint32_t node = 0; node < check->nnodes; node++)
	{
		int			level = check->level(check->state, node);

		if (stopped(&checking))
			return CORE_STOPPED;
		checking.levels[node] = level < 0 || level > HNSW_MAX_LEVEL ? NO_LEVEL
			: (int8_t) level;
	}
	status = check_lists(&checking);
	if (status == CORE_OK && check_entry(&checking))
		status = check_reach(&checking);
	return status;
}
