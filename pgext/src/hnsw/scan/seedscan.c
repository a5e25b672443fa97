/*
 * seedscan.c
 *	  Rows nearest first: a walk or a flat pass finds nodes, candidates put their
 *	  rows in order, and when they are used up the walk goes on.
 *
 * The page lock of walks is held while numbers of nodes are in use, that is
 * from the start of a walk until the TIDs of what it found are read, and not
 * between two rows. A resumed walk may hold numbers of slots that VACUUM has
 * freed since, even of slots in use again: the rows there are younger than the
 * snapshot, so they are not seen.
 *
 * Where the cache has a version of the index, nodes are read there, and rows that
 * came since from pages. It is held until the scan ends or starts anew. Rows on
 * pages may move to slots that the version has with others, when VACUUM puts a
 * twin in its head's place; so the counters are looked at again when they were
 * read, and if they have moved, the scan goes on with a flat pass over pages,
 * which gives all that were not given. So does a flat pass over pages that has slots'
 * numbers from before, and on a standby, where replay waits for no walk, whatever has
 * read pages.
 *
 * Memory of what a walk has seen is bounded by hash_mem; where that is reached,
 * the scan goes on by a flat pass, with as much for what that keeps. Where this
 * too is full, or sorted_hnsw.max_scan_tuples is reached, the scan ends and says
 * that it was bounded.
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "guc.h"
#include "hnsw/cache/delta.h"
#include "hnsw/locks.h"
#include "hnsw/scan/candidates.h"
#include "hnsw/scan/flatpass.h"
#include "hnsw/scan/scanmode.h"
#include "hnsw/scan/scanstats.h"
#include "hnsw/scan/seedentries.h"
#include "hnsw/scan/seedscan.h"
#include "hnsw/scan/tidset.h"
#include "status.h"

/* A walk keeps a few nodes more than it is asked to. Codes are not exact: at the
 * edge of what is kept a node may be taken for another, and a walk by exact
 * distances, with the same ef, would find a little more. Rows of these few are
 * left over when the walk goes on: what it has not seen may be nearer. */
#define WALK_MORE(ef) Max((ef) / 16 + 4, 8)

/* Estimates by sketches are less exact than codes, most so where the nearest of a dense
 * cluster are wanted: their distances are alike, and far below those from the middle of
 * all. What is kept is compared by its record in the end. */
#define SKETCHED_MORE(ef) Max((ef) / 4, 32)

/* At the edge a walk also misses nodes, and under `strict` a row that is found after
 * farther ones were given is lost. So a scan that can go on leaves over the last
 * quarter of the first walk, and half of what a walk keeps that has gone on: who asks
 * for more passes over many rows, and wants the nearest of those that remain. Walks
 * that keep thousands miss few, so there it is no more than MOST_MORE. */
#define MOST_MORE 1000
#define FIRST_MORE(ef) Max(WALK_MORE(ef), Min((ef) / 4, MOST_MORE))
#define GROWN_MORE(ef) Max(WALK_MORE(ef), Min(ef, MOST_MORE))

/* So does a flat pass: it sees all, but only in the order of codes. More of them,
 * since it need not compare more for that. */
#define FLAT_MORE(ef) ((ef) / 8 + 16)

/* The heads of so many nodes are on their way while one is looked at. */
#define HINTED_NODES 8

/* So many rows of a flat pass are enough for so many wanted, should some of them not be
 * visible, and so many are compared by their records, where sketches have chosen them. */
#define FLAT_FOR(wanted) Min((wanted) + (uint64) (wanted) / 4 + 16, PG_UINT32_MAX)
#define GUESSES_FOR(wanted) Min(2 * (uint64) (wanted), PG_UINT32_MAX)

struct SeedScan
{
	Relation	heap;
	Relation	index;
	Snapshot	snapshot;
	MemoryContext context;		/* what a start makes */
	HnswMap		map;
	RowFetch   *rows;
	bool		once;
	bool		map_is_new;		/* read by the begin, for the first start */

	/* Since the start */
	bool		started;
	bool		found_all;		/* there is nothing left to find */
	bool		cut_off;		/* the walk has ended where links do */
	uint32		ef;
	uint32		flat_ef;		/* of a flat pass that begins the scan */
	uint32		guesses;		/* the same by sketches */
	SeedMode	mode;
	const float *query;			/* NULL: rows in any order */
	DistQuery	exact;
	void	   *record;
	HnswRest   *rest;			/* or NULL: of this form there is none */
	HnswConditions *conditions; /* or NULL */
	HnswVersion *version;		/* or NULL: pages are read */
	HnswPageStore *store;
	HnswStore	graph;
	uint32	   *added;			/* rows that the version does not lead to */
	uint32		nadded;
	HnswVisited filled;			/* those that it has not */
	HnswSketchQuery *sketch;	/* for the version, if it has sketches */
	bool		compared;		/* the counters were, since the start */
	HnswMap    *moved;			/* as of when all was compared once more, or
								 * NULL; what was found before is believed by
								 * `map` */
	NodeFilter	filter;
	TwinChains	chains;
	Candidates	candidates;
	HnswSearch	search;
	FlatPass	flat;
	TidSet	   *given;
	double		last;			/* distance of the row given last */
	uint64		ngiven;
	uint64		fetched_before; /* by starts before */
	uint64		taken;			/* rows that the caller fetched */
	SeedScanStats stats;
};

static bool
stop(void *state)
{
	CHECK_FOR_INTERRUPTS();
	return false;
}

static void *
scan_alloc(void *state, size_t size)
{
	return MemoryContextAllocExtended(state, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static void
scan_release(void *state, void *block)
{
	pfree(block);
}

static CoreAlloc
allocator(SeedScan *scan)
{
	CoreAlloc	alloc = {scan_alloc, scan->context, scan_release};

	return alloc;
}

SeedScan *
seedscan_begin(Relation heap, Relation index, Snapshot snapshot)
{
	SeedScan   *scan = palloc0(sizeof(SeedScan));

	if (!IsMVCCSnapshot(snapshot))
		elog(ERROR, "cannot scan index \"%s\" under a snapshot that is not MVCC",
			 RelationGetRelationName(index));
	PredicateLockRelation(index, snapshot);
	scan->heap = heap;
	scan->index = index;
	scan->snapshot = snapshot;
	scan->context = AllocSetContextCreate(CurrentMemoryContext, "sorted_hnsw scan",
										  ALLOCSET_DEFAULT_SIZES);
	hnsw_map_read(index, &scan->map);
	scan->map_is_new = true;
	scan->rows = rowfetch_begin(heap, index, snapshot, &scan->map.shape);
	return scan;
}

const HnswShape *
seedscan_shape(const SeedScan *scan)
{
	return &scan->map.shape;
}

void
seedscan_walk_once(SeedScan *scan)
{
	scan->once = true;
}

/* The query as exact distances and the graph want it; rows have no order where
 * it has no distance from anything. */
static void
take_query(SeedScan *scan, const float *query)
{
	const HnswForm *form = &scan->map.shape.form;
	float	   *copy;

	scan->query = NULL;
	scan->rest = NULL;
	if (query == NULL)
		return;
	scan->record = palloc(hnsw_form_bytes(form));
	if (!hnsw_form_encode(form, query, scan->record))
		return;
	copy = palloc(form->dim * sizeof(float));
	memcpy(copy, query, form->dim * sizeof(float));
	scan->query = copy;
	if (hnsw_form_has_rest(form))
	{
		scan->rest = palloc(sizeof(HnswRest));
		hnsw_form_rest(form, copy, scan->record, palloc(form->dim * sizeof(float)),
					   palloc(form->dim), scan->rest);
	}
	dist_query_init(&scan->exact, form->metric, copy, form->dim);
}

static void
give_up_version(SeedScan *scan)
{
	if (scan->version != NULL)
		hnsw_cache_unpin(scan->version);
	scan->version = NULL;
}

void
seedscan_start(SeedScan *scan, const float *query, ScanKey keys, int nkeys, uint32 ef,
			   uint32 wanted)
{
	MemoryContext caller;

	if (scan->started)
		hnsw_scanstats_count(seedscan_stats(scan));
	give_up_version(scan);
	MemoryContextReset(scan->context);
	caller = MemoryContextSwitchTo(scan->context);

	if (!scan->map_is_new)
		hnsw_map_read(scan->index, &scan->map);
	scan->map_is_new = false;
	scan->started = false;
	scan->found_all = false;
	scan->cut_off = false;
	/* As many as anybody asks for, but not more than there are. */
	scan->ef = Max(Min(ef, hnsw_map_nodes(&scan->map)), 1);
	scan->flat_ef = Max(Min(scan->ef, FLAT_FOR(wanted)), 1);
	scan->guesses = Max(Min(scan->ef, GUESSES_FOR(wanted)), 1);
	take_query(scan, query);
	scan->conditions = nkeys == 0 ? NULL
		: hnsw_conditions_make(&scan->map.shape, scan->index, keys, nkeys);
	scan->version = hnsw_cache_pin(scan->index, &scan->map);
	scan->sketch = NULL;
	scan->nadded = 0;
	scan->compared = false;
	scan->moved = NULL;
	scan->store = hnsw_store_make(scan->index, &scan->map);
	hnsw_store_watch(scan->store, scan->snapshot);
	scan->graph = hnsw_store_of(scan->store);
	nodefilter_init(&scan->filter, scan->store, scan->conditions);
	twinchains_init(&scan->chains);
	candidates_init(&scan->candidates, &scan->map.shape, scan->store, scan->rows,
					scan->query != NULL ? &scan->exact : NULL, &scan->chains);
	scan->given = tidset_make();
	scan->last = -INFINITY;
	scan->ngiven = 0;
	scan->fetched_before = rowfetch_count(scan->rows);
	scan->taken = 0;
	memset(&scan->stats, 0, sizeof(scan->stats));
	if (scan->version != NULL)
		scan->stats.source = scan->version->source;
	memset(&scan->flat, 0, sizeof(scan->flat));
	MemoryContextSwitchTo(caller);
}

/* What the exact distance of a row in a locked slot hardly leaves. */
static HnswBounds
bounds_of(SeedScan *scan, HnswNode *node, float dist)
{
	const HnswShape *shape = &scan->map.shape;
	HnswBounds	none = {-INFINITY, INFINITY};

	if (scan->query == NULL)
		return none;
	return hnsw_form_bounds(&shape->form, scan->record, scan->rest,
							hnsw_node_record(shape, node), dist);
}

/* The row of a twin becomes a candidate, if it may meet the conditions. */
static void
take_twin(void *state, const TwinChain *chain, uint32 number, HnswNode *node)
{
	SeedScan   *scan = state;
	uint32		which = (uint32) (chain - scan->chains.items);
	HnswBounds	bounds = {twinchains_least(&scan->chains, which), INFINITY};

	if (ItemPointerIsValid(&node->tid) &&
		nodefilter_twin(&scan->map.shape, scan->conditions, node))
		candidates_add(&scan->candidates, number, which, &node->tid, bounds);
}

static void
add_part_of_chain(SeedScan *scan, uint32 chain)
{
	if (twinchains_follow(&scan->chains, chain, scan->store, take_twin, scan))
		candidates_add_chain(&scan->candidates, chain);
}

/* What was found becomes candidates: nodes with their twins, or slots. A twin that
 * was found by itself is a row of its own, also when VACUUM has marked it since: its
 * row may be in a head that was looked at before. */
static void
add_found(SeedScan *scan, const HnswKey *keys, uint32 count, bool twins)
{
	for (uint32 i = 0; i < Min(count, HINTED_NODES); i++)
		hnsw_store_hint(scan->store, hnsw_key_node(keys[i]));
	for (uint32 i = 0; i < count; i++)
	{
		uint32		number = hnsw_key_node(keys[i]);
		HnswNode   *node = hnsw_store_lock(scan->store, number);
		uint32		chain = TWINCHAINS_NONE;
		HnswBounds	bounds;

		if (i + HINTED_NODES < count)
			hnsw_store_hint(scan->store, hnsw_key_node(keys[i + HINTED_NODES]));
		if (node == NULL || hnsw_node_state(node) == HNSW_NODE_FREE)
			continue;
		bounds = bounds_of(scan, node, hnsw_key_dist(keys[i]));
		if (twins && hnsw_node_in_graph(node) && node->twin != HNSW_NO_NODE)
			chain = twinchains_add(&scan->chains, number, node->twin, bounds.least);
		if (nodefilter_slot(&scan->map.shape, scan->conditions, node) &&
			ItemPointerIsValid(&node->tid))
			candidates_add(&scan->candidates, number, chain, &node->tid, bounds);
		if (chain != TWINCHAINS_NONE)
			add_part_of_chain(scan, chain);
	}
	hnsw_store_forget(scan->store);
}

static SeedPlace
place(const SeedScan *scan)
{
	if (scan->sketch != NULL && !scan->once)
		return SEED_BY_SKETCHES;
	return scan->version != NULL ? SEED_IN_MEMORY : SEED_ON_PAGES;
}

static void
start_flat(SeedScan *scan, const HnswSketchQuery *sketch, const HnswVisited *seen)
{
	flatpass_init(&scan->flat, scan->store, scan->conditions, allocator(scan),
				  scan->ef + FLAT_MORE(scan->ef), scan->guesses + FLAT_MORE(scan->guesses),
				  Min(get_hash_memory_limit() / sizeof(HnswKey), PG_UINT32_MAX / 4));
	scan->mode = SEED_FLAT;
	scan->stats.ended_flat = !scan->stats.flat;
	if (scan->query == NULL)
		return;
	flatpass_run(&scan->flat, scan->record, sketch, seen);
}

/* As add_found. Rows of the last `more` are left over when the scan goes on. */
static void
add_with_spare(SeedScan *scan, const HnswKey *keys, uint32 count, uint32 more, bool twins)
{
	int			kept;

	more = Min(more, count);
	add_found(scan, keys, count - more, twins);
	kept = scan->candidates.count;
	add_found(scan, keys + count - more, more, twins);
	scan->candidates.spare = scan->candidates.count - kept;
}

static void
add_flat(SeedScan *scan, bool first)
{
	const HnswKey *keys;
	uint32		count;

	if (scan->query == NULL)
		keys = flatpass_take_any(&scan->flat, &count);
	else
		keys = flatpass_take(&scan->flat, scan->ef, &count);
	add_with_spare(scan, keys, count,
				   scan->query == NULL || scan->once ? 0 : FLAT_MORE(scan->ef), false);
	if (!first)
		scan->ef = Min(scan->ef * 2, PG_UINT32_MAX / 4);
	if (first && scan->once && scan->query != NULL)
	{
		/* A walk gives nodes with all their twins. */
		keys = flatpass_take_ties(&scan->flat, &count);
		add_found(scan, keys, count, false);
		return;
	}
	if (count > 0)
		return;
	scan->found_all = true;
	scan->stats.bounded = scan->flat.limited;
}

/* `more`: of how many of the nodes kept the rows are left over. */
static void
add_walked(SeedScan *scan, uint32 more)
{
	const HnswKey *keys;
	uint32		count;

	core_check(hnsw_search_take(&scan->search, &keys, &count));
	if (scan->once)
		add_found(scan, keys, Min(count, scan->ef), true);
	else
		add_with_spare(scan, keys, count, more, true);
	if (scan->search.end == HNSW_END_NEAREST)
		return;
	scan->cut_off = scan->search.end == HNSW_END_ALL_SEEN && scan->search.resumable &&
		!hnsw_map_is_settled(scan->index, &scan->map, scan->search.nnodes);
	scan->found_all = !scan->cut_off;
	scan->stats.bounded = scan->search.end == HNSW_END_LIMIT;
}

/* A version has sketches of its vectors, which find about the same for half the bytes.
 * Who asks for one way to search gets the rows that this way gives on pages. */
static void
sketch_query(SeedScan *scan, const HnswImage *image)
{
	if (image->sketch_stride == 0 || scan->query == NULL ||
		guc_hnsw_scan_mode != HNSW_SCAN_AUTO)
		return;
	scan->stats.sketched = true;
	scan->sketch = palloc(sizeof(HnswSketchQuery));
	hnsw_sketch_query_init(scan->sketch, &image->form, image->middle, scan->record,
						   palloc(hnsw_sketch_room(&image->form)));
}

/* Rows that came since the version was made; from then on it is read. */
static void
use_version(SeedScan *scan)
{
	CoreAlloc	alloc = allocator(scan);
	uint32		nfilled;

	if (scan->version == NULL)
		return;
	scan->added = hnsw_delta_find(scan->version, scan->store, &nfilled, &scan->nadded);
	/* All of what was added is compared, which may be more than a scan may. */
	if (scan->added == NULL || scan->nadded > guc_hnsw_max_scan_tuples)
	{
		scan->added = NULL;
		scan->nadded = 0;
		give_up_version(scan);
		scan->stats.source = HNSW_SOURCE_PAGES;
		return;
	}
	memset(&scan->filled, 0, sizeof(scan->filled));
	if (nfilled > 0)
	{
		core_check(hnsw_visited_reset(&scan->filled, &alloc, nfilled));
		for (uint32 i = 0; i < nfilled; i++)
			(void) hnsw_visited_add(&scan->filled, scan->added[i]);
	}
	scan->map.entry = hnsw_image_entry(&scan->version->image);
	hnsw_store_use(scan->store, &scan->version->image, &scan->filled);
	sketch_query(scan, &scan->version->image);
}

/* All rows by their records, and all of them at hand: those that were given are known by
 * their TIDs. */
static void
compare_all(SeedScan *scan)
{
	uint64		evaluated = scan->flat.evaluated;

	flatpass_end(&scan->flat);
	start_flat(scan, NULL, NULL);
	scan->flat.evaluated += evaluated;
	add_flat(scan, true);
}

/* The first nodes. */
static void
find_first(SeedScan *scan)
{
	SeedPlan	plan;
	uint32		more;

	scan->started = true;
	pgstat_count_index_scan(scan->index);
	if (scan->conditions != NULL && hnsw_conditions_impossible(scan->conditions))
	{
		give_up_version(scan);
		scan->found_all = true;
		return;
	}
	use_version(scan);
	plan = scanmode_choose(&scan->filter, &scan->map, scan->query != NULL, scan->ef,
						   place(scan));
	scan->mode = plan.mode;
	scan->stats.flat = plan.mode == SEED_FLAT;
	if (plan.mode == SEED_FLAT)
	{
		scan->stats.sketched &= !scan->once;
		scan->ef = scan->flat_ef;
		/* by sketches a pass may miss what ties with the last of its rows */
		start_flat(scan, scan->once ? NULL : scan->sketch, NULL);
		add_flat(scan, true);
		return;
	}
	hnsw_search_init(&scan->search, allocator(scan), stop, NULL);
	scan->search.sketch = scan->sketch;
	scan->filter.core.wide = plan.wide;
	scan->search.filter = scan->conditions != NULL ? &scan->filter.core : NULL;
	scan->search.resumable = !scan->once;
	scan->search.max_evaluated = guc_hnsw_max_scan_tuples;
	/* a version may be younger than the map, and know of more */
	scan->search.nnodes = hnsw_map_nodes(&scan->map);
	if (scan->version != NULL)
		scan->search.nnodes = Max(scan->search.nnodes, scan->version->image.shape.nnodes);
	more = scan->sketch != NULL ? SKETCHED_MORE(scan->ef) : WALK_MORE(scan->ef);
	core_check(hnsw_search_start(&scan->search, &scan->graph, scan->record,
								 scan->map.entry, scan->ef + more));
	if (scan->nadded > 0)
		core_check(hnsw_search_offer(&scan->search, scan->added, scan->nadded));
	add_walked(scan, Max(FIRST_MORE(scan->ef), more));
}

/* More of them, or the discovery that there is none. */
static void
find_more(SeedScan *scan)
{
	/* what is left of a walk by sketches a flat pass finds by records */
	SeedPlace	where = scan->version != NULL ? SEED_IN_MEMORY : SEED_ON_PAGES;
	bool		flat = scan->cut_off ||
		scanmode_flat_is_better(&scan->map, scan->search.evaluated, where);

	if (scan->once)
	{
		scan->found_all = true;
		return;
	}
	if (scan->mode == SEED_FLAT && scan->flat.partial)
	{
		compare_all(scan);
		return;
	}
	if (scan->mode == SEED_FLAT)
	{
		add_flat(scan, false);
		return;
	}

	/*
	 * A flat pass finds what a vacuum has put out of reach. And what has
	 * grown doubles when it is full; a flat pass needs less, but compares
	 * all.
	 */
	if (2 * MemoryContextMemAllocated(scan->context, true) > get_hash_memory_limit())
	{
		if (!scanmode_flat_is_allowed(&scan->map))
		{
			scan->found_all = scan->stats.bounded = true;
			return;
		}
		flat = true;
	}
	if (flat)
	{
		start_flat(scan, NULL, &scan->search.taken);
		add_flat(scan, true);
		return;
	}
	scan->ef = Min(scan->ef * 2, PG_UINT32_MAX / 4);
	core_check(hnsw_search_grow(&scan->search, scan->ef + GROWN_MORE(scan->ef)));
	add_walked(scan, GROWN_MORE(scan->ef));
}

/* Does a scan by pages that is about to go on know slots by their numbers, or by how far
 * it has got? A walk knows nodes alone, whose rows go nowhere. */
static bool
has_slots_of_pages(const SeedScan *scan)
{
	return scan->started && scan->version == NULL && scan->mode == SEED_FLAT && !scan->once;
}

/* May rows have moved from slots that were not looked at to others? After slots on
 * pages were read. */
static bool
rows_may_have_moved(SeedScan *scan, bool had_slots)
{
	if (scan->version == NULL && !had_slots && !RecoveryInProgress())
		return false;
	if (scan->version != NULL && scan->compared && scan->filled.count == 0)
		return false;
	scan->compared = true;
	return !hnsw_map_is_current(scan->index, scan->moved != NULL ? scan->moved : &scan->map);
}

/* All rows once more, from pages: those that were given are known by their TIDs. More
 * than before at once, so that this comes to an end whatever VACUUM does; who ends after
 * so many rows ends there. */
static void
go_on_by_pages(SeedScan *scan)
{
	hnsw_store_use(scan->store, NULL, NULL);
	scan->sketch = NULL;
	if (scan->version == NULL && !scan->once)
		scan->ef = Min(scan->ef * 2, PG_UINT32_MAX / 4);
	give_up_version(scan);
	if (scan->moved == NULL)
		scan->moved = palloc(sizeof(HnswMap));
	hnsw_map_read(scan->index, scan->moved);
	scan->stats.source = HNSW_SOURCE_PAGES;
	scan->found_all = scan->cut_off = scan->stats.bounded = false;
	compare_all(scan);
}

static void
find(SeedScan *scan)
{
	MemoryContext caller = MemoryContextSwitchTo(scan->context);
	bool		had_slots = has_slots_of_pages(scan);
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(start);
	hnsw_lock_shared(scan->index, HNSW_WALKS_LOCK);
	if (!scan->started)
		find_first(scan);
	else
		find_more(scan);
	if (rows_may_have_moved(scan, had_slots))
		go_on_by_pages(scan);
	hnsw_unlock_shared(scan->index, HNSW_WALKS_LOCK);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	scan->stats.search_ms += INSTR_TIME_GET_MILLISEC(end);
	MemoryContextSwitchTo(caller);
}

static void
find_twins(SeedScan *scan, uint32 chain)
{
	MemoryContext caller = MemoryContextSwitchTo(scan->context);

	hnsw_lock_shared(scan->index, HNSW_WALKS_LOCK);
	add_part_of_chain(scan, chain);
	hnsw_unlock_shared(scan->index, HNSW_WALKS_LOCK);
	MemoryContextSwitchTo(caller);
}

/* As SQL orders distances: NaN is last. */
static bool
comes_before(double distance, double last)
{
	return isnan(last) ? !isnan(distance) : distance < last;
}

/* A flat pass that ends has more rows than it is to give, since the last by codes
 * need not be the last; equal ones are one place. */
static bool
is_past_end(const SeedScan *scan, const SeedRow *row)
{
	return scan->once && scan->mode == SEED_FLAT && scan->query != NULL &&
		scan->ngiven >= scan->ef && comes_before(scan->last, row->distance);
}

bool
seedscan_next(SeedScan *scan, bool strict, SeedRow *row)
{
	if (!scan->started)
		find(scan);
	for (;;)
	{
		CandidatesNext next;
		uint32		chain;

		CHECK_FOR_INTERRUPTS();
		while ((next = candidates_next(&scan->candidates, row, &chain)) != CANDIDATES_END)
		{
			if (next == CANDIDATES_WANT_CHAIN)
			{
				find_twins(scan, chain);
				continue;
			}
			if (strict && comes_before(row->distance, scan->last))
				continue;
			if (is_past_end(scan, row))
				return false;
			if (!tidset_add(scan->given, &row->tid))
				continue;
			scan->last = row->distance;
			scan->ngiven++;
			return true;
		}
		if (scan->found_all && scan->candidates.count == 0)
			return false;
		if (!scan->found_all)
			find(scan);
		if (scan->found_all)
			scan->candidates.spare = 0;
	}
}

int
seedscan_take(SeedScan *scan, double bound, ItemPointerData *tids, int room, bool *beyond)
{
	int			given = 0;

	if (!scan->started)
		find(scan);
	while (given == 0)
	{
		int			taken = candidates_take(&scan->candidates, bound, tids, room, beyond);

		for (int i = 0; i < taken; i++)
		{
			tids[given] = tids[i];
			given += tidset_add(scan->given, &tids[i]);
		}
		scan->taken += given;
		if (taken == 0)
			break;
	}
	return given;
}

AttrNumber
seedscan_entry_column(SeedScan *scan, AttrNumber column)
{
	return seedentries_column(scan->index, &scan->map.shape, column);
}

int
seedscan_take_certain(SeedScan *scan, uint32 count, AttrNumber column, SeedEntry **entries)
{
	Candidate  *certain;
	int			taken;

	if (!scan->started)
		find(scan);
	certain = palloc_extended((Size) Max(scan->candidates.count, 1) * sizeof(Candidate),
							  MCXT_ALLOC_HUGE);
	taken = candidates_take_certain(&scan->candidates, count, certain);
	*entries = palloc_extended((Size) Max(taken, 1) * sizeof(SeedEntry), MCXT_ALLOC_HUGE);
	for (int i = 0; i < taken; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) tidset_add(scan->given, &certain[i].tid);
		seedentries_read(&scan->candidates, column, &certain[i], &(*entries)[i]);
	}
	hnsw_store_forget(scan->store);
	pfree(certain);
	return taken;
}

void
seedscan_count_read(SeedScan *scan, uint64 rows)
{
	scan->taken += rows;
}

bool
seedscan_is_current(const SeedScan *scan)
{
	return hnsw_map_is_current(scan->index, &scan->map);
}

bool
seedscan_recheck(const SeedScan *scan)
{
	return scan->conditions != NULL && hnsw_conditions_lossy(scan->conditions);
}

const SeedScanStats *
seedscan_stats(const SeedScan *scan)
{
	SeedScanStats *stats = unconstify(SeedScanStats *, &scan->stats);

	stats->evaluated = hnsw_store_evaluated(scan->store) + scan->flat.evaluated;
	stats->pages = hnsw_store_pages(scan->store);
	stats->fetched = rowfetch_count(scan->rows) - scan->fetched_before + scan->taken;
	return stats;
}

void
seedscan_end(SeedScan *scan)
{
	if (scan->started)
		hnsw_scanstats_count(seedscan_stats(scan));
	give_up_version(scan);
	rowfetch_end(scan->rows);
	MemoryContextDelete(scan->context);
	pfree(scan);
}
