/*
 * hnsw_place.c
 *	  Levels, the choice of links, and the walk of a new node to its place.
 */
#include "hnsw_place.h"

/* So many chosen links are compared with a candidate at a time. */
#define COMPARE_STEP 4

int
hnsw_level(uint64_t seed, uint32_t ordinal, uint32_t m)
{
	/* splitmix64, a stream of its own for each ordinal */
	uint64_t	state = seed ^ (ordinal * UINT64_C(0xD1342543DE82EF95));
	int			level = 0;

	while (level < HNSW_MAX_LEVEL)
	{
		uint64_t	z = (state += UINT64_C(0x9E3779B97F4A7C15));

		z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
		z ^= z >> 31;
		if (z >= UINT64_MAX / m)
			break;
		level++;
	}
	return level;
}

CoreStatus
hnsw_placer_init(HnswPlacer *placer, HnswParams params, CoreAlloc alloc,
				 CoreStopFn stop, void *stop_state)
{
	size_t		bytes = (size_t) (HNSW_MAX_LEVEL + 2) * params.m * sizeof(uint32_t);

	memset(placer, 0, offsetof(HnswPlacer, chosen));
	placer->params = params;
	placer->self = HNSW_NO_NODE;
	hnsw_search_init(&placer->search, alloc, stop, stop_state);
	placer->links = alloc.alloc(alloc.state, bytes);
	if (placer->links == NULL)
		return CORE_NO_MEMORY;
	/* All that hnsw_revise needs: it may run under a lock of the host. */
	return hnsw_keys_reserve(&placer->candidates, &alloc, HNSW_MAX_LINKS + 1);
}

/* Is one of the chosen nearer to the candidate than the owner is? */
static bool
occluded(const HnswStore *store, HnswKey candidate, const uint32_t *chosen,
		 uint32_t nchosen)
{
	float		bound = hnsw_key_dist(candidate);
	const void *vector;

	if (nchosen == 0)
		return false;
	vector = store->vector(store->state, hnsw_key_node(candidate));
	for (uint32_t i = 0; i < nchosen; i += COMPARE_STEP)
	{
		float		dists[COMPARE_STEP];
		uint32_t	n = nchosen - i < COMPARE_STEP ? nchosen - i : COMPARE_STEP;

		store->distances(store->state, vector, chosen + i, n, dists);
		for (uint32_t j = 0; j < n; j++)
		{
			if (dists[j] < bound)
				return true;
		}
	}
	return false;
}

uint32_t
hnsw_choose(HnswPlacer *placer, const HnswStore *store, const HnswKey *candidates,
			uint32_t count, uint32_t max, uint32_t *out)
{
	uint32_t   *chosen = placer->chosen;
	uint32_t	nchosen = 0;
	uint32_t	nspare;
	uint32_t	nout = 0;
	uint32_t	at = 0;

	if (count > max)
	{
		for (uint32_t i = 0; i < count && nchosen < max; i++)
		{
			if (!occluded(store, candidates[i], chosen, nchosen))
				chosen[nchosen++] = hnsw_key_node(candidates[i]);
		}
	}
	/* Merge the chosen with the nearest of the others. */
	nspare = (count < max ? count : max) - nchosen;
	for (uint32_t i = 0; i < count && nout < nchosen + nspare; i++)
	{
		uint32_t	node = hnsw_key_node(candidates[i]);

		if (at < nchosen && chosen[at] == node)
			at++;
		else if (nout - at < nspare)
			;
		else
			continue;
		out[nout++] = node;
	}
	return nout;
}

/* The walk of level 0 starts from nodes that arrive at the same time, too. */
static CoreStatus
start_from_arriving(HnswPlacer *placer, const HnswStore *store, const void *vector)
{
	HnswKeys   *starts = &placer->starts;
	float		dists[HNSW_MAX_ARRIVING];
	CoreStatus	status;

	if (placer->narriving == 0)
		return CORE_OK;
	status = hnsw_keys_reserve(starts, &placer->search.alloc,
							   (uint64_t) starts->count + placer->narriving);
	if (status != CORE_OK)
		return status;
	store->distances(store->state, vector, placer->arriving, placer->narriving, dists);
	for (uint32_t i = 0; i < placer->narriving; i++)
		hnsw_keys_append(starts, hnsw_key(dists[i], placer->arriving[i]));
	return CORE_OK;
}

/* One that arrives at the same time may have linked to the new node. */
static void
leave_out_self(const HnswPlacer *placer, HnswKeys *found)
{
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < found->count; i++)
	{
		if (hnsw_key_node(found->items[i]) != placer->self)
			found->items[kept++] = found->items[i];
	}
	found->count = kept;
}

CoreStatus
hnsw_place(HnswPlacer *placer, const HnswStore *store, HnswEntry entry,
		   const void *vector, int level)
{
	HnswSearch *search = &placer->search;
	HnswKeys   *starts = &placer->starts;
	CoreStatus	status;
	HnswKey		nearest;
	float		dist;

	memset(placer->counts, 0, sizeof(placer->counts));
	placer->level = -1;
	if (entry.node == HNSW_NO_NODE)
		return CORE_OK;
	store->distances(store->state, vector, &entry.node, 1, &dist);
	nearest = hnsw_key(dist, entry.node);
	for (int above = entry.level; above > level; above--)
	{
		status = hnsw_search_descend(search, store, vector, above, &nearest);
		if (status != CORE_OK)
			return status;
	}
	starts->count = 0;
	status = hnsw_keys_reserve(starts, &search->alloc, placer->params.ef_construction);
	if (status != CORE_OK)
		return status;
	hnsw_keys_append(starts, nearest);
	placer->level = level < entry.level ? level : entry.level;
	for (int at = placer->level; at >= 0; at--)
	{
		HnswKeys	found;

		if (at == 0)
		{
			status = start_from_arriving(placer, store, vector);
			if (status != CORE_OK)
				return status;
		}
		status = hnsw_search_level(search, store, vector, at, starts->items,
								   starts->count, placer->params.ef_construction);
		if (status != CORE_OK)
			return status;
		found = search->results;
		leave_out_self(placer, &found);
		placer->counts[at] = hnsw_choose(placer, store, found.items, found.count,
										 hnsw_max_links(placer->params.m, at),
										 (uint32_t *) hnsw_placer_links(placer, at));

		/*
		 * The lists change places: the walk below starts where this one
		 * ended, if a filter let it keep anything.
		 */
		if (found.count > 0)
		{
			search->results = *starts;
			*starts = found;
		}
	}
	return CORE_OK;
}

void
hnsw_revise(HnswPlacer *placer, const HnswStore *store, uint32_t owner,
			uint32_t *links, uint32_t *count, uint32_t max)
{
	HnswKeys   *candidates = &placer->candidates;

	if (*count <= max)
		return;
	store->distances(store->state, store->vector(store->state, owner), links, *count,
					 placer->dists);
	candidates->count = 0;
	for (uint32_t i = 0; i < *count; i++)
		hnsw_keys_append(candidates, hnsw_key(placer->dists[i], links[i]));
	hnsw_keys_sort(candidates->items, candidates->count);
	*count = hnsw_choose(placer, store, candidates->items, candidates->count, max, links);
}
