/*
 * hnsw_search.c
 *	  The walk: step, admit, stop; resumption; filters.
 *
 * Where a seen node is, while a walk runs: on the frontier or followed
 * already, and also among the nearest, evicted from them, or failed by the
 * filter; or held (too far when it was seen: resumable walks only); or skipped
 * (wide walks only). Nothing else is remembered of it but that it was seen.
 */
#include "hnsw_search.h"

/* A walk with ef results sees about this many nodes for each. */
#define SEEN_PER_RESULT 16

void
hnsw_search_init(HnswSearch *search, CoreAlloc alloc, CoreStopFn stop, void *stop_state)
{
	memset(search, 0, offsetof(HnswSearch, ids));
	search->alloc = alloc;
	search->stop = stop;
	search->stop_state = stop_state;
}

static CoreStatus
begin(HnswSearch *search, const HnswStore *store, const void *query, uint32_t ef)
{
	CoreStatus	status;

	search->store = store;
	search->query = query;
	search->ef = ef > 0 ? ef : 1;
	search->frontier.count = 0;
	search->nearest.count = 0;
	search->held.count = 0;
	search->evicted.count = 0;
	search->skipped.count = 0;
	search->results.count = 0;
	search->evaluated = 0;
	search->expanded = 0;
	search->end = HNSW_END_ALL_SEEN;

	status = hnsw_keys_reserve(&search->nearest, &search->alloc, search->ef);
	if (status == CORE_OK && search->taken.count > 0)
		status = hnsw_visited_reset(&search->taken, &search->alloc, 0);
	if (status == CORE_OK)
		status = hnsw_visited_reset_within(&search->visited, &search->alloc,
										   search->ef < 4096 ? search->ef * SEEN_PER_RESULT
										   : search->ef, search->nnodes);
	return status;
}

static inline bool
full(const HnswSearch *search)
{
	return search->nearest.count >= search->ef;
}

/* Is a node at this place too far to follow or keep? The farthest kept is not: it
 * is to be followed, too. */
static inline bool
too_far(const HnswSearch *search, HnswKey key)
{
	return full(search) && key > ~search->nearest.items[0];
}

/* Room for one step's neighbours in every list they may enter. */
static CoreStatus
reserve_step(HnswSearch *search, uint32_t count)
{
	CoreStatus	status;

	status = hnsw_keys_reserve(&search->frontier, &search->alloc,
							   (uint64_t) search->frontier.count + count);
	if (status == CORE_OK && search->resumable)
	{
		status = hnsw_keys_reserve(&search->held, &search->alloc,
								   (uint64_t) search->held.count + count);
		if (status == CORE_OK)
			status = hnsw_keys_reserve(&search->evicted, &search->alloc,
									   (uint64_t) search->evicted.count + count);
	}
	return status;
}

static inline void
keep(HnswSearch *search, HnswKey key)
{
	if (!full(search))
		hnsw_heap_push(&search->nearest, ~key);
	else
	{
		if (search->resumable)
			hnsw_keys_append(&search->evicted, ~search->nearest.items[0]);
		hnsw_heap_replace_root(&search->nearest, ~key);
	}
}

static bool
passes(const HnswSearch *search, uint32_t node)
{
	bool		passed = true;

	if (search->filter != NULL)
		search->filter->pass(search->filter->state, &node, 1, &passed);
	return passed;
}

/* Of nodes with distances, what is too far is put aside; the rest moves to the
 * front, in order. */
static uint32_t
put_aside(HnswSearch *search, uint32_t *nodes, float *dists, uint32_t count)
{
	uint32_t	nnear = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		HnswKey		key = hnsw_key(dists[i], nodes[i]);

		if (too_far(search, key))
		{
			if (search->resumable)
				hnsw_keys_append(&search->held, key);
			continue;
		}
		nodes[nnear] = nodes[i];
		dists[nnear++] = dists[i];
	}
	return nnear;
}

/* Nodes with distances enter the walk. All of them pass, or the filter is
 * asked about those near enough: to ask may cost as much as a distance. */
static void
admit(HnswSearch *search, uint32_t *nodes, float *dists, uint32_t count, bool all_pass)
{
	const HnswFilter *filter = all_pass ? NULL : search->filter;

	if (filter != NULL)
	{
		count = put_aside(search, nodes, dists, count);
		if (count > 0)
			filter->pass(filter->state, nodes, count, search->passed);
	}
	for (uint32_t i = 0; i < count; i++)
	{
		HnswKey		key = hnsw_key(dists[i], nodes[i]);

		if (too_far(search, key))
		{
			if (search->resumable)
				hnsw_keys_append(&search->held, key);
			continue;
		}
		hnsw_heap_push(&search->frontier, key);
		if (filter == NULL || search->passed[i])
			keep(search, key);
	}
}

static CoreStatus
evaluate(HnswSearch *search, uint32_t *nodes, uint32_t count, bool all_pass)
{
	CoreStatus	status;

	if (count == 0)
		return CORE_OK;
	status = reserve_step(search, count);
	if (status != CORE_OK)
		return status;
	if (search->sketch != NULL)
		search->store->estimates(search->store->state, search->sketch, search->query,
								 nodes, count, search->dists);
	else
		search->store->distances(search->store->state, search->query, nodes, count,
								 search->dists);
	search->evaluated += count;
	admit(search, nodes, search->dists, count, all_pass);
	return CORE_OK;
}

/* The links of a node that were not seen before, now seen, in `ids`; *nlinks is
 * the number of all its links. */
static CoreStatus
unseen_links(HnswSearch *search, uint32_t node, int level, uint32_t *nlinks,
			 uint32_t *count)
{
	uint32_t   *ids = search->ids;
	CoreStatus	status;

	*nlinks = search->store->links(search->store->state, node, level, ids);
	*count = 0;
	status = hnsw_visited_reserve(&search->visited, &search->alloc, *nlinks);
	if (status != CORE_OK)
		return status;
	*count = hnsw_visited_add_all(&search->visited, ids, *nlinks);
	search->expanded++;
	return CORE_OK;
}

/* The nearest of the frontier comes next, unless this step finds a nearer one:
 * its links may come into the cache while distances are computed. */
static inline void
announce_next(const HnswSearch *search, int level)
{
	const HnswStore *store = search->store;

	if (level == 0 && store->announce != NULL && search->frontier.count > 0)
		store->announce(store->state, hnsw_key_node(search->frontier.items[0]));
}

static CoreStatus
step(HnswSearch *search, uint32_t node, int level)
{
	uint32_t	nlinks;
	uint32_t	count;
	CoreStatus	status = unseen_links(search, node, level, &nlinks, &count);

	if (status != CORE_OK)
		return status;
	announce_next(search, level);
	return evaluate(search, search->ids, count, false);
}

/* Move the nodes that pass to the front, in order; returns how many they are.
 * Those that fail follow. */
static uint32_t
partition(HnswSearch *search, uint32_t *ids, uint32_t count)
{
	uint32_t	npass = 0;

	search->filter->pass(search->filter->state, ids, count, search->passed);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	id = ids[i];

		if (!search->passed[i])
			continue;
		ids[i] = ids[npass];
		ids[npass++] = id;
	}
	return npass;
}

/*
 * Look through a node that fails: those of its links that pass and are not
 * seen yet join the step, up to `limit`. Those that fail too stay unseen, to be
 * met as links of a node that passes.
 */
static CoreStatus
look_through(HnswSearch *search, uint32_t node, uint32_t limit, uint32_t *count)
{
	uint32_t   *beyond = search->beyond;
	uint32_t	nlinks = search->store->links(search->store->state, node, 0, beyond);
	uint32_t	nunseen = 0;
	uint32_t	npass;
	CoreStatus	status = hnsw_visited_reserve(&search->visited, &search->alloc, nlinks);

	if (status != CORE_OK)
		return status;
	search->expanded++;
	for (uint32_t i = 0; i < nlinks; i++)
	{
		beyond[nunseen] = beyond[i];
		nunseen += !hnsw_visited_contains(&search->visited, beyond[i]);
	}
	npass = partition(search, beyond, nunseen);
	for (uint32_t i = 0; i < npass && *count < limit; i++)
	{
		if (hnsw_visited_add(&search->visited, beyond[i]))
			search->ids[(*count)++] = beyond[i];
	}
	return CORE_OK;
}

/* At most as many distances as a plain step could cost. */
static CoreStatus
step_wide(HnswSearch *search, uint32_t node)
{
	HnswKeys   *skipped = &search->skipped;
	uint32_t	nlinks;
	uint32_t	count;
	uint32_t	npass;
	uint32_t	nfailed;
	CoreStatus	status = unseen_links(search, node, 0, &nlinks, &count);

	if (status == CORE_OK)
		status = hnsw_keys_reserve(skipped, &search->alloc,
								   (uint64_t) skipped->count + count);
	if (status != CORE_OK)
		return status;
	npass = partition(search, search->ids, count);
	nfailed = count - npass;
	for (uint32_t i = 0; i < nfailed; i++)
		hnsw_keys_append(skipped, search->ids[npass + i]);
	for (uint32_t i = 0; i < nfailed && npass < nlinks; i++)
	{
		uint32_t	failed = (uint32_t) skipped->items[skipped->count - nfailed + i];

		status = look_through(search, failed, nlinks, &npass);
		if (status != CORE_OK)
			return status;
	}
	return evaluate(search, search->ids, npass, true);
}

/* The wide way ends: nodes that were looked through become steps of the walk. */
static CoreStatus
follow_skipped(HnswSearch *search)
{
	uint32_t	count = search->skipped.count;

	if (count > HNSW_MAX_LINKS)
		count = HNSW_MAX_LINKS;
	search->skipped.count -= count;
	for (uint32_t i = 0; i < count; i++)
		search->ids[i] = (uint32_t) search->skipped.items[search->skipped.count + i];
	return evaluate(search, search->ids, count, false);
}

static CoreStatus
walk(HnswSearch *search, int level)
{
	bool		wide = level == 0 && search->filter != NULL && search->filter->wide;

	search->end = HNSW_END_NEAREST;
	for (;;)
	{
		CoreStatus	status;

		if (search->stop != NULL && search->stop(search->stop_state))
			return CORE_STOPPED;
		if (search->max_evaluated > 0 && search->evaluated >= search->max_evaluated)
		{
			search->end = HNSW_END_LIMIT;
			return CORE_OK;
		}
		if (search->frontier.count > 0)
		{
			if (too_far(search, search->frontier.items[0]))
				return CORE_OK;
			status = wide ? step_wide(search, hnsw_key_node(hnsw_heap_pop(&search->frontier)))
				: step(search, hnsw_key_node(hnsw_heap_pop(&search->frontier)), level);
		}
		else if (search->skipped.count > 0 && !full(search))
			status = follow_skipped(search);
		else
		{
			/*
			 * What is held or skipped was not followed, what is evicted is
			 * still to be kept: by a larger ef.
			 */
			if (search->held.count + search->evicted.count + search->skipped.count == 0)
				search->end = HNSW_END_ALL_SEEN;
			return CORE_OK;
		}
		if (status != CORE_OK)
			return status;
	}
}

CoreStatus
hnsw_search_descend(HnswSearch *search, const HnswStore *store, const void *query,
					int level, HnswKey *nearest)
{
	HnswKey		before;

	do
	{
		uint32_t	count = store->links(store->state, hnsw_key_node(*nearest), level,
										 search->ids);

		if (search->stop != NULL && search->stop(search->stop_state))
			return CORE_STOPPED;
		before = *nearest;
		if (count > 0)
			store->distances(store->state, query, search->ids, count, search->dists);
		for (uint32_t i = 0; i < count; i++)
		{
			HnswKey		key = hnsw_key(search->dists[i], search->ids[i]);

			if (key < *nearest)
				*nearest = key;
		}
	} while (*nearest != before);
	return CORE_OK;
}

/* Of results that were estimated, the distances. */
static void
refine(HnswSearch *search)
{
	HnswKeys   *results = &search->results;

	for (uint32_t at = 0; at < results->count; at += HNSW_MAX_LINKS)
	{
		uint32_t	count = results->count - at;

		if (count > HNSW_MAX_LINKS)
			count = HNSW_MAX_LINKS;
		for (uint32_t i = 0; i < count; i++)
			search->ids[i] = hnsw_key_node(results->items[at + i]);
		search->store->distances(search->store->state, search->query, search->ids, count,
								 search->dists);
		for (uint32_t i = 0; i < count; i++)
			results->items[at + i] = hnsw_key(search->dists[i], search->ids[i]);
	}
}

/* The nearest, ascending, in `results`. */
static CoreStatus
collect(HnswSearch *search)
{
	CoreStatus	status;

	search->results.count = 0;
	status = hnsw_keys_reserve(&search->results, &search->alloc, search->nearest.count);
	if (status != CORE_OK)
		return status;
	for (uint32_t i = 0; i < search->nearest.count; i++)
		hnsw_keys_append(&search->results, ~search->nearest.items[i]);
	if (search->sketch != NULL)
		refine(search);
	hnsw_keys_sort(search->results.items, search->results.count);
	return CORE_OK;
}

/*
 * The walk starts from the nearest node that upper levels know, and from the
 * entry, which is further away: links may lead from the entry to nodes, itself
 * among them, to which none lead from elsewhere.
 */
static CoreStatus
start_level_0(HnswSearch *search, HnswKey nearest, HnswKey entry)
{
	uint32_t	nodes[2] = {hnsw_key_node(nearest), hnsw_key_node(entry)};
	float		dists[2] = {hnsw_key_dist(nearest), hnsw_key_dist(entry)};
	uint32_t	count = nearest == entry ? 1 : 2;
	CoreStatus	status = reserve_step(search, count);

	if (status != CORE_OK)
		return status;
	for (uint32_t i = 0; i < count; i++)
		hnsw_visited_add(&search->visited, nodes[i]);
	admit(search, nodes, dists, count, false);
	return walk(search, 0);
}

CoreStatus
hnsw_search_start(HnswSearch *search, const HnswStore *store, const void *query,
				  HnswEntry entry, uint32_t ef)
{
	CoreStatus	status = begin(search, store, query, ef);
	HnswKey		nearest;
	float		dist;

	if (status != CORE_OK || entry.node == HNSW_NO_NODE)
		return status;
	store->distances(store->state, query, &entry.node, 1, &dist);
	nearest = hnsw_key(dist, entry.node);
	for (int level = entry.level; level > 0; level--)
	{
		status = hnsw_search_descend(search, store, query, level, &nearest);
		if (status != CORE_OK)
			return status;
	}
	return start_level_0(search, nearest, hnsw_key(dist, entry.node));
}

CoreStatus
hnsw_search_level(HnswSearch *search, const HnswStore *store, const void *query,
				  int level, const HnswKey *from, uint32_t nfrom, uint32_t ef)
{
	CoreStatus	status = begin(search, store, query, ef);

	if (status == CORE_OK)
		status = hnsw_visited_reserve(&search->visited, &search->alloc, nfrom);
	if (status == CORE_OK)
		status = reserve_step(search, nfrom);
	if (status != CORE_OK)
		return status;
	for (uint32_t i = 0; i < nfrom; i++)
	{
		if (!hnsw_visited_add(&search->visited, hnsw_key_node(from[i])))
			continue;
		hnsw_heap_push(&search->frontier, from[i]);
		if (!too_far(search, from[i]) && passes(search, hnsw_key_node(from[i])))
			keep(search, from[i]);
	}
	status = walk(search, level);
	return status == CORE_OK ? collect(search) : status;
}

/*
 * Give a longer list of the nearest what was turned away: all evicted and all
 * held are farther than all kept, so the nearest of both fill it in order, and
 * those that do not fit stay where they are. The held ones go to the frontier
 * as well.
 */
static void
readmit(HnswSearch *search)
{
	HnswKeys   *evicted = &search->evicted;
	HnswKeys   *held = &search->held;
	uint32_t	e = 0;
	uint32_t	h = 0;

	hnsw_keys_sort(evicted->items, evicted->count);
	hnsw_keys_sort(held->items, held->count);
	while (!full(search) && (e < evicted->count || h < held->count))
	{
		if (h == held->count || (e < evicted->count && evicted->items[e] < held->items[h]))
		{
			keep(search, evicted->items[e++]);
			continue;
		}
		hnsw_heap_push(&search->frontier, held->items[h]);
		if (passes(search, hnsw_key_node(held->items[h])))
			keep(search, held->items[h]);
		h++;
	}
	evicted->count -= e;
	held->count -= h;
	if (e > 0 && evicted->count > 0)
		memmove(evicted->items, evicted->items + e, evicted->count * sizeof(HnswKey));
	if (h > 0 && held->count > 0)
		memmove(held->items, held->items + h, held->count * sizeof(HnswKey));
}

CoreStatus
hnsw_search_grow(HnswSearch *search, uint32_t ef)
{
	CoreStatus	status = hnsw_keys_reserve(&search->nearest, &search->alloc, ef);

	if (status == CORE_OK)
		status = reserve_step(search, search->held.count);
	if (status != CORE_OK)
		return status;
	if (ef > search->ef)
		search->ef = ef;
	readmit(search);
	return walk(search, 0);
}

CoreStatus
hnsw_search_offer(HnswSearch *search, const uint32_t *nodes, uint32_t count)
{
	uint32_t	at = 0;

	while (at < count)
	{
		uint32_t	unseen = 0;
		CoreStatus	status = hnsw_visited_reserve(&search->visited, &search->alloc,
												  HNSW_MAX_LINKS);

		if (status != CORE_OK)
			return status;
		if (search->stop != NULL && search->stop(search->stop_state))
			return CORE_STOPPED;
		for (; at < count && unseen < HNSW_MAX_LINKS; at++)
		{
			search->ids[unseen] = nodes[at];
			unseen += hnsw_visited_add(&search->visited, nodes[at]);
		}
		status = evaluate(search, search->ids, unseen, false);
		if (status != CORE_OK)
			return status;
	}
	return walk(search, 0);
}

/* Leave the results that were not taken before, and count them as taken. */
static CoreStatus
take_results(HnswSearch *search, const HnswKey **found, uint32_t *count)
{
	HnswKeys   *results = &search->results;
	CoreStatus	status = CORE_OK;

	*found = results->items;
	*count = 0;
	if (search->taken.slots == NULL)
		status = hnsw_visited_reset(&search->taken, &search->alloc, results->count);
	if (status == CORE_OK)
		status = hnsw_visited_reserve(&search->taken, &search->alloc, results->count);
	if (status != CORE_OK)
		return status;
	for (uint32_t i = 0; i < results->count; i++)
	{
		HnswKey		key = results->items[i];

		results->items[*count] = key;
		*count += hnsw_visited_add(&search->taken, hnsw_key_node(key));
	}
	return CORE_OK;
}

CoreStatus
hnsw_search_take(HnswSearch *search, const HnswKey **found, uint32_t *count)
{
	CoreStatus	status = collect(search);

	*found = search->results.items;
	*count = search->results.count;
	if (status != CORE_OK || !search->resumable)
		return status;
	return take_results(search, found, count);
}
