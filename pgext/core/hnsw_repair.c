/*
 * hnsw_repair.c
 *	  Candidates around the dying, then the choice of hnsw_place.c.
 */
#include "hnsw_repair.h"

/* Of more candidates the nearest are looked at. */
#define MAX_CANDIDATES (2 * HNSW_MAX_LINKS)

/* So many dying nodes are looked through for one list. */
#define MAX_DYING_READ 128

void
hnsw_repair_init(HnswRepair *repair, HnswPlacer *placer, const HnswStore *store,
				 const HnswForm *form, HnswEntry entry, const HnswFilter *living)
{
	memset(repair, 0, sizeof(HnswRepair));
	repair->placer = placer;
	repair->store = store;
	repair->form = form;
	repair->entry = entry;
	repair->living = living;
	repair->owner = HNSW_NO_NODE;
}

/* Sort nodes not seen before into candidates and dying. */
static CoreStatus
gather(HnswRepair *repair, const uint32_t *nodes, uint32_t count)
{
	const CoreAlloc *alloc = &repair->placer->search.alloc;
	bool		lives[HNSW_MAX_LINKS];
	CoreStatus	status;

	status = hnsw_visited_reserve(&repair->seen, alloc, count);
	if (status == CORE_OK)
		status = hnsw_keys_reserve(&repair->candidates, alloc,
								   (uint64_t) repair->candidates.count + count);
	if (status == CORE_OK)
		status = hnsw_keys_reserve(&repair->dying, alloc,
								   (uint64_t) repair->dying.count + count);
	if (status != CORE_OK || count == 0)
		return status;
	repair->living->pass(repair->living->state, nodes, count, lives);
	for (uint32_t i = 0; i < count; i++)
	{
		if (hnsw_visited_add(&repair->seen, nodes[i]))
			hnsw_keys_append(lives[i] ? &repair->candidates : &repair->dying, nodes[i]);
	}
	return CORE_OK;
}

/* What the dying lead to, nearest dying first. */
static CoreStatus
look_behind(HnswRepair *repair, int level)
{
	uint32_t	links[HNSW_MAX_LINKS];
	CoreStatus	status = CORE_OK;

	for (uint32_t i = 0; i < repair->dying.count && i < MAX_DYING_READ &&
		 repair->candidates.count < HNSW_MAX_LINKS && status == CORE_OK; i++)
	{
		uint32_t	count = repair->store->links(repair->store->state,
												 hnsw_key_node(repair->dying.items[i]),
												 level, links);

		status = gather(repair, links, count);
	}
	return status;
}

/* May a node be the owner's new neighbour? */
static void
pass_neighbour(void *state, const uint32_t *nodes, uint32_t count, bool *out)
{
	const HnswRepair *repair = state;

	repair->living->pass(repair->living->state, nodes, count, out);
	for (uint32_t i = 0; i < count; i++)
		out[i] &= nodes[i] != repair->owner;
}

/* What a walk from the entry finds near the owner. */
static CoreStatus
walk_there(HnswRepair *repair, int level)
{
	HnswPlacer *placer = repair->placer;
	HnswFilter	neighbour = {pass_neighbour, repair, false};
	const void *vector = repair->store->vector(repair->store->state, repair->owner);
	CoreStatus	status;

	placer->search.filter = &neighbour;
	status = hnsw_place(placer, repair->store, repair->entry, vector, level);
	placer->search.filter = NULL;
	if (status != CORE_OK || level > placer->level)
		return status;
	return gather(repair, hnsw_placer_links(placer, level), placer->counts[level]);
}

/*
 * Candidates with their vectors at hand: nodes are places in their order. The
 * choice compares each with many, so the store is asked once for each.
 */
typedef struct AtHand
{
	const HnswRepair *repair;
	const void *vectors[MAX_CANDIDATES];	/* NULL: not asked for yet */
} AtHand;

static uint32_t
at_hand_links(void *state, uint32_t node, int level, uint32_t *out)
{
	(void) state;
	(void) node;
	(void) level;
	(void) out;
	return 0;
}

static const void *
at_hand_vector(void *state, uint32_t place)
{
	AtHand	   *at_hand = state;
	const HnswRepair *repair = at_hand->repair;

	if (at_hand->vectors[place] == NULL)
		at_hand->vectors[place] =
			repair->store->vector(repair->store->state,
								  hnsw_key_node(repair->candidates.items[place]));
	return at_hand->vectors[place];
}

static void
at_hand_distances(void *state, const void *from, const uint32_t *places, uint32_t count,
				  float *out)
{
	AtHand	   *at_hand = state;
	const void *records[HNSW_MAX_LINKS];

	for (uint32_t i = 0; i < count; i++)
		records[i] = at_hand_vector(at_hand, places[i]);
	hnsw_form_distances(at_hand->repair->form, from, records, count, out);
}

/* The best of the candidates, which are in order. */
static uint32_t
choose_at_hand(HnswRepair *repair, uint32_t max, uint32_t *links)
{
	const HnswKeys *candidates = &repair->candidates;
	uint32_t	count = candidates->count < MAX_CANDIDATES ? candidates->count : MAX_CANDIDATES;
	AtHand		at_hand;
	HnswStore	store = {&at_hand, at_hand_links, at_hand_distances, at_hand_vector, NULL, NULL};
	HnswKey		places[MAX_CANDIDATES];

	at_hand.repair = repair;
	for (uint32_t i = 0; i < count; i++)
	{
		at_hand.vectors[i] = NULL;
		places[i] = hnsw_key(hnsw_key_dist(candidates->items[i]), i);
	}
	count = hnsw_choose(repair->placer, &store, places, count, max, links);
	for (uint32_t i = 0; i < count; i++)
		links[i] = hnsw_key_node(candidates->items[links[i]]);
	return count;
}

/* Distances of the candidates, then the best of them in order. */
static void
choose_links(HnswRepair *repair, uint32_t *links, uint32_t *count, uint32_t max)
{
	const HnswStore *store = repair->store;
	HnswKeys   *candidates = &repair->candidates;
	const void *vector = store->vector(store->state, repair->owner);

	for (uint32_t at = 0; at < candidates->count; at += HNSW_MAX_LINKS)
	{
		uint32_t	n = candidates->count - at;
		float		dists[HNSW_MAX_LINKS];

		n = n < HNSW_MAX_LINKS ? n : HNSW_MAX_LINKS;
		for (uint32_t i = 0; i < n; i++)
			links[i] = hnsw_key_node(candidates->items[at + i]);
		store->distances(store->state, vector, links, n, dists);
		for (uint32_t i = 0; i < n; i++)
			candidates->items[at + i] = hnsw_key(dists[i], links[i]);
	}
	hnsw_keys_sort(candidates->items, candidates->count);
	*count = choose_at_hand(repair, max, links);
}

CoreStatus
hnsw_repair_list(HnswRepair *repair, uint32_t owner, int level,
				 uint32_t *links, uint32_t *count, bool *changed)
{
	uint32_t	max = hnsw_max_links(repair->placer->params.m, level);
	CoreStatus	status;

	*changed = false;
	repair->owner = owner;
	repair->candidates.count = 0;
	repair->dying.count = 0;
	status = hnsw_visited_reset(&repair->seen, &repair->placer->search.alloc,
								HNSW_MAX_LINKS);
	if (status != CORE_OK)
		return status;
	hnsw_visited_add(&repair->seen, owner);
	status = gather(repair, links, *count);
	if (status != CORE_OK || repair->dying.count == 0)
		return status;
	status = look_behind(repair, level);
	if (status == CORE_OK && repair->candidates.count < max)
		status = walk_there(repair, level);
	if (status != CORE_OK)
		return status;
	*changed = true;
	choose_links(repair, links, count, max);
	return CORE_OK;
}
