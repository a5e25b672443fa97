/*
 * candidates.c
 *	  A heap of candidates, refined from the root.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "hnsw/scan/candidates.h"

/* Looked at together, so that their memory is on its way together. Some may
 * turn out not to have been needed. */
#define BATCH 8

void
candidates_init(Candidates *candidates, const HnswShape *shape, HnswPageStore *store,
				RowFetch *rows, const DistQuery *query, TwinChains *chains)
{
	memset(candidates, 0, sizeof(*candidates));
	candidates->shape = shape;
	candidates->store = store;
	candidates->rows = rows;
	candidates->query = query;
	candidates->chains = chains;
	candidates->context = CurrentMemoryContext;
	candidates->room = 128;
	candidates->items = palloc(candidates->room * sizeof(Candidate));
}

/* Among equals what is not exact yet comes first, so that equal rows come in
 * the order of their TIDs. */
static inline bool
before(const Candidate *a, const Candidate *b)
{
	if (a->least != b->least)
		return a->least < b->least;
	if (a->level != b->level)
		return a->level < b->level;
	return ItemPointerCompare(unconstify(ItemPointerData *, &a->tid),
							  unconstify(ItemPointerData *, &b->tid)) < 0;
}

static void
push(Candidates *candidates, Candidate item)
{
	int			at = candidates->count;

	if (candidates->count == candidates->room)
	{
		candidates->room *= 2;
		candidates->items = repalloc_huge(candidates->items,
										  (Size) candidates->room * sizeof(Candidate));
	}
	candidates->count++;
	while (at > 0 && before(&item, &candidates->items[(at - 1) / 2]))
	{
		candidates->items[at] = candidates->items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	candidates->items[at] = item;
}

static void
sift_down(Candidates *candidates, int at, Candidate moved)
{
	Candidate  *items = candidates->items;

	for (;;)
	{
		int			child = 2 * at + 1;

		if (child >= candidates->count)
			break;
		if (child + 1 < candidates->count && before(&items[child + 1], &items[child]))
			child++;
		if (!before(&items[child], &moved))
			break;
		items[at] = items[child];
		at = child;
	}
	items[at] = moved;
}

/* Of a heap that is not empty. */
static Candidate
pop(Candidates *candidates)
{
	Candidate  *items = candidates->items;
	Candidate	root = items[0];
	Candidate	last = items[--candidates->count];

	if (candidates->count > 0)
		sift_down(candidates, 0, last);
	return root;
}

void
candidates_add(Candidates *candidates, uint32 node, uint32 chain,
			   const ItemPointerData *tid, HnswBounds bounds)
{
	Candidate	item = {
		bounds.least, bounds.most, node, chain, *tid, CANDIDATE_RECORD
	};

	push(candidates, item);
}

void
candidates_add_chain(Candidates *candidates, uint32 chain)
{
	Candidate	item = {0};

	item.least = twinchains_least(candidates->chains, chain);
	item.most = INFINITY;
	item.chain = chain;
	item.level = CANDIDATE_CHAIN;
	push(candidates, item);
}

/*
 * How far the exact distance may be from that of the halves, at most. Halves are
 * within 2^-11 of a component, and within 2^-25 of tiny ones; a component too
 * large for them gives no finite distance.
 */
static double
halves_error(const Candidates *candidates, const DistHalf *halves, double distance)
{
	const DistQuery *query = candidates->query;
	double		lost = ldexp(1.0, -11) + 1e-6;
	double		tiny = ldexp(1.0, -25);
	double		norm = 0;

	if (candidates->shape->type == HNSW_TYPE_HSVEC)
		return 0;
	if (query->metric != DIST_COSINE)
		norm = sqrt((double) dist_square_f16(query, halves));
	switch (query->metric)
	{
		case DIST_COSINE:
			return lost * sqrt(2.0 * Max(distance, 0.0) + lost) + 1e-6;
		case DIST_IP:
			return (lost * norm + tiny * sqrt(query->n)) *
				dist_norm_f32(query->query, query->n);
		case DIST_L1:
			return lost * norm * sqrt(query->n) + tiny * query->n;
		default:
			return lost * norm + tiny * sqrt(query->n);
	}
}

/* What the exact distance is no less than by the halves of a vector, and no more. */
static HnswBounds
bounds_by_halves(const Candidates *candidates, const DistHalf *halves)
{
	double		distance = dist_query_f16(candidates->query, halves);
	HnswBounds	bounds = {-INFINITY, INFINITY};
	double		error;

	if (!isfinite(distance))
		return bounds;
	error = halves_error(candidates, halves, distance);
	bounds.least = distance - error;
	bounds.most = distance + error;
	return bounds;
}

static int
compare_tids(const void *a, const void *b)
{
	return ItemPointerCompare(unconstify(ItemPointerData *, &((const Candidate *) a)->tid),
							  unconstify(ItemPointerData *, &((const Candidate *) b)->tid));
}

/* Bounds of up to BATCH items by their halves. */
static void
narrow(Candidates *candidates, Candidate *batch, int count)
{
	HnswBounds	bounds[BATCH];
	bool		current;

	for (int i = 0; i < count; i++)
		hnsw_store_prefetch_halves(candidates->store, batch[i].node);
	for (int i = 0; i < count; i++)
	{
		const DistHalf *halves = hnsw_store_halves(candidates->store, batch[i].node);

		bounds[i].least = batch[i].least;
		bounds[i].most = batch[i].most;
		if (halves != NULL)
			bounds[i] = bounds_by_halves(candidates, halves);
	}
	hnsw_store_forget(candidates->store);

	/* Else they may be another row's, and the row itself is to be read. */
	current = hnsw_store_is_current(candidates->store);
	for (int i = 0; i < count; i++)
	{
		batch[i].level = CANDIDATE_HALVES;
		if (current)
		{
			batch[i].least = bounds[i].least;
			batch[i].most = bounds[i].most;
		}
	}
}

static void
refine_by_halves(Candidates *candidates, Candidate *batch, int count)
{
	narrow(candidates, batch, count);
	for (int i = 0; i < count; i++)
		push(candidates, batch[i]);
}

static void
refine_by_rows(Candidates *candidates, Candidate *batch, int count)
{
	ItemPointerData tids[BATCH];

	qsort(batch, count, sizeof(Candidate), compare_tids);
	for (int i = 0; i < count; i++)
		tids[i] = batch[i].tid;
	rowfetch_announce(candidates->rows, tids, count);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		batch[i].level = CANDIDATE_EXACT;
		if (!rowfetch_distance(candidates->rows, &batch[i].tid, candidates->query,
							   &batch[i].least))
		{
			candidates->dead++;
			continue;
		}
		/* last, as SQL sorts it; without a query at once */
		if (isnan(batch[i].least))
			batch[i].least = candidates->query != NULL ? INFINITY : -INFINITY;
		twinchains_saw(candidates->chains, batch[i].chain, batch[i].least);
		push(candidates, batch[i]);
	}
}

static inline bool
has_halves(const Candidates *candidates)
{
	return candidates->query != NULL && candidates->shape->refine == HNSW_REFINE_F16;
}

CandidatesNext
candidates_next(Candidates *candidates, SeedRow *row, uint32 *chain)
{
	while (candidates->count > candidates->spare)
	{
		CandidateLevel level = candidates->items[0].level;
		Candidate	batch[BATCH];
		int			count = 0;

		if (level == CANDIDATE_EXACT)
		{
			Candidate	found = pop(candidates);

			row->tid = found.tid;
			row->distance = isinf(found.least) ? NAN : found.least;
			rowfetch_rest(candidates->rows);
			return CANDIDATES_ROW;
		}
		if (level == CANDIDATE_CHAIN)
		{
			double		least = candidates->items[0].least;

			*chain = pop(candidates).chain;
			if (twinchains_least(candidates->chains, *chain) <= least)
				return CANDIDATES_WANT_CHAIN;
			candidates_add_chain(candidates, *chain);
			continue;
		}
		while (candidates->count > 0 && candidates->items[0].level == level && count < BATCH)
			batch[count++] = pop(candidates);
		if (level == CANDIDATE_RECORD && has_halves(candidates))
			refine_by_halves(candidates, batch, count);
		else
			refine_by_rows(candidates, batch, count);
	}
	rowfetch_rest(candidates->rows);
	return CANDIDATES_END;
}

/* What the count-th nearest candidate is no nearer than, rounded to single precision.
 * Of how many rows a chain is the rest nobody knows: it counts for as many as there
 * could be. */
static float
boundary(const Candidates *candidates, uint32 count)
{
	uint32		total = candidates->count;
	HnswKey    *keys = palloc_extended(total * sizeof(HnswKey), MCXT_ALLOC_HUGE);
	float		least = INFINITY;

	for (uint32 i = 0; i < total; i++)
	{
		const Candidate *item = &candidates->items[i];

		keys[i] = hnsw_key((float) item->least, i);
		if (item->level == CANDIDATE_CHAIN)
			least = Min(least, (float) item->least);
	}
	hnsw_keys_select(keys, total, count);
	least = Min(least, hnsw_key_dist(keys[count - 1]));
	pfree(keys);
	return least;
}

static int
compare_items(const void *a, const void *b)
{
	return before(a, b) ? -1 : before(b, a) ? 1 : 0;
}

/* Beyond the count nearest so many more are narrowed: some of them will be read in place of
 * rows that are not certain. */
#define MORE_NARROWED (2 * BATCH)

/* Look at halves of those that may be the count nearest; leaves no heap behind. */
static void
narrow_nearest(Candidates *candidates, uint32 count)
{
	float		limit = INFINITY;
	int			end;

	qsort(candidates->items, candidates->count, sizeof(Candidate), compare_items);
	for (int n = 0; n < candidates->count && (float) candidates->items[n].least < limit; n = end)
	{
		CHECK_FOR_INTERRUPTS();
		for (end = n; end < candidates->count && end < n + BATCH; end++)
		{
			if (candidates->items[end].level != CANDIDATE_RECORD)
				break;
		}
		if (end == n)
			break;
		narrow(candidates, &candidates->items[n], end - n);
		if ((uint64) end >= (uint64) count + MORE_NARROWED)
			limit = boundary(candidates, count);
	}
}

/* As many rows as have a lower bound below the boundary may be nearer than one whose
 * upper bound is: fewer than `count`. */
int
candidates_take_certain(Candidates *candidates, uint32 count, Candidate *certain)
{
	int			kept = 0;
	int			taken = 0;
	float		limit;

	if (candidates->query == NULL || count == 0 || (uint32) candidates->count <= count)
		return 0;
	if (has_halves(candidates))
		narrow_nearest(candidates, count);
	limit = boundary(candidates, count);
	for (int i = 0; i < candidates->count; i++)
	{
		Candidate	item = candidates->items[i];

		if (item.level < CANDIDATE_EXACT && (float) item.most < limit)
			certain[taken++] = item;
		else
			candidates->items[kept++] = item;
	}
	candidates->count = kept;
	for (int i = kept / 2; i > 0; i--)
		sift_down(candidates, i - 1, candidates->items[i - 1]);
	return taken;
}

int
candidates_take(Candidates *candidates, double bound, ItemPointerData *tids, int room,
				bool *beyond)
{
	bool		by_halves = has_halves(candidates) && !isinf(bound);
	int			taken = 0;

	*beyond = false;
	while (taken < room && candidates->count > 0 &&
		   candidates->items[0].level < CANDIDATE_EXACT)
	{
		Candidate	batch[BATCH];
		int			count = 0;

		*beyond = candidates->items[0].least > bound;
		if (*beyond)
			break;
		if (!by_halves || candidates->items[0].level != CANDIDATE_RECORD)
		{
			tids[taken++] = pop(candidates).tid;
			continue;
		}
		while (candidates->count > 0 && count < BATCH &&
			   candidates->items[0].level == CANDIDATE_RECORD &&
			   candidates->items[0].least <= bound)
			batch[count++] = pop(candidates);
		refine_by_halves(candidates, batch, count);
	}
	return taken;
}
