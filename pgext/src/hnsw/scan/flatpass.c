/*
 * flatpass.c
 *	  All records compared with a query, page by page.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "hnsw/scan/flatpass.h"
#include "status.h"

/* Rows that a pass in any order takes at a time, about. */
#define ANY_ROWS 256

void
flatpass_init(FlatPass *pass, HnswPageStore *store, const HnswConditions *conditions,
			  CoreAlloc alloc, uint32 ef, uint32 guesses, uint32 room)
{
	memset(pass, 0, sizeof(*pass));
	pass->store = store;
	pass->conditions = conditions;
	pass->alloc = alloc;
	pass->ef = ef;
	pass->guesses = guesses;
	pass->room = Max(room, 1024);
	pass->farthest = PG_UINT64_MAX;
	pass->farthest_guess = hnsw_key(INFINITY, PG_UINT32_MAX);
}

/* The same where the page is in an image and all rows are wanted: slots in use are
 * known without a look at them. */
static uint32
used_slots(const HnswImage *image, uint32 first, uint32 slots, uint32 *numbers,
		   HnswNode **nodes)
{
	uint32		count = 0;

	for (uint32 slot = 0; slot < slots; slot++)
	{
		numbers[count] = first + slot;
		nodes[count] = nodes[slot];
		count += hnsw_image_has(image, first + slot);
	}
	return count;
}

/* The numbers of a page's slots with rows wanted; the page stays locked. */
static uint32
wanted_slots(FlatPass *pass, uint32 page, const HnswVisited *seen, uint32 *numbers,
			 HnswNode **nodes)
{
	const HnswShape *shape = &hnsw_store_map(pass->store)->shape;
	uint32		first = page * shape->per_page[HNSW_SPACE_NODES];
	uint32		slots = hnsw_store_lock_page(pass->store, page, nodes);
	const HnswImage *image = hnsw_store_image_of(pass->store, page);
	uint32		count = 0;

	CHECK_FOR_INTERRUPTS();
	if (image != NULL && pass->conditions == NULL && seen == NULL)
		return used_slots(image, first, slots, numbers, nodes);
	for (uint32 slot = 0; slot < slots; slot++)
	{
		HnswNode   *node = nodes[slot];

		if (!nodefilter_slot(shape, pass->conditions, node) ||
			(seen != NULL && hnsw_visited_contains(seen, first + slot)))
			continue;
		numbers[count] = first + slot;
		nodes[count++] = node;
	}
	return count;
}

/* Keep the nearer half of what is beyond the nearest. */
static void
drop_half(FlatPass *pass)
{
	hnsw_keys_sort(pass->rest.items, pass->rest.count);
	pass->rest.count /= 2;
	pass->farthest = pass->rest.items[pass->rest.count];
	pass->limited = true;
}

static void
keep(FlatPass *pass, HnswKey key)
{
	if (pass->nearest.count < pass->ef)
	{
		hnsw_heap_push(&pass->nearest, ~key);
		return;
	}
	if (key < ~pass->nearest.items[0])
	{
		HnswKey		evicted = ~pass->nearest.items[0];

		hnsw_heap_replace_root(&pass->nearest, ~key);
		key = evicted;
	}
	if (key >= pass->farthest)
		return;
	if (pass->rest.count == pass->room)
		drop_half(pass);
	core_check(hnsw_keys_reserve(&pass->rest, &pass->alloc, (uint64) pass->rest.count + 1));
	hnsw_keys_append(&pass->rest, key);
}

/* Compare slots of a page by their records. */
static void
compare_page(FlatPass *pass, const void *record, const uint32 *numbers, HnswNode **nodes,
			 uint32 count)
{
	const HnswShape *shape = &hnsw_store_map(pass->store)->shape;
	const void *records[HNSW_MAX_SLOTS];
	float		dists[HNSW_MAX_SLOTS];

	for (uint32 i = 0; i < count; i++)
		records[i] = hnsw_node_record(shape, nodes[i]);
	hnsw_form_distances(&shape->form, record, records, count, dists);
	pass->evaluated += count;
	for (uint32 i = 0; i < count; i++)
	{
		/* a damaged record may give NaN */
		if (dists[i] == dists[i])
			keep(pass, hnsw_key(dists[i], numbers[i]));
	}
}

/* The nearest of those guessed stay. */
static void
drop_guesses(FlatPass *pass)
{
	HnswKeys   *guessed = &pass->guessed;

	if (guessed->count <= pass->guesses)
		return;
	hnsw_keys_select(guessed->items, guessed->count, pass->guesses);
	guessed->count = pass->guesses;
	pass->farthest_guess = guessed->items[pass->guesses - 1];
}

/* A slot by its sketch: the nearest stay, and some of those that were among them. */
static inline void
guess(FlatPass *pass, float estimate, uint32 number)
{
	HnswKey		key = hnsw_key(estimate, number);

	if (key >= pass->farthest_guess)
		return;
	if (pass->guessed.count == pass->guessed.room)
		drop_guesses(pass);
	hnsw_keys_append(&pass->guessed, key);
}

static void
estimate_page(FlatPass *pass, const HnswImage *image, const HnswSketchQuery *sketch,
			  const uint32 *numbers, uint32 count)
{
	float		estimates[HNSW_MAX_SLOTS];

	hnsw_image_estimates(image, sketch, numbers, count, estimates);
	pass->evaluated += count;
	for (uint32 i = 0; i < count; i++)
		guess(pass, estimates[i], numbers[i]);
}

/* All slots of pages that the image has; returns how many pages. */
static uint32
estimate_all(FlatPass *pass, const HnswImage *image, const HnswSketchQuery *sketch)
{
	uint32		per_page = hnsw_store_map(pass->store)->shape.per_page[HNSW_SPACE_NODES];
	uint32		pages = image->shape.nnodes / per_page;
	uint32		end = pages * per_page;

	for (uint32 first = 0; first < end; first += HNSW_SKETCH_RUN)
	{
		float		estimates[HNSW_SKETCH_RUN];
		uint8		near[HNSW_SKETCH_RUN];
		uint32		count = Min(HNSW_SKETCH_RUN, end - first);
		uint32		nnear;

		CHECK_FOR_INTERRUPTS();
		nnear = hnsw_image_near(image, sketch, first, count,
								hnsw_key_dist(pass->farthest_guess), estimates, near);
		for (uint32 i = 0; i < nnear; i++)
		{
			if (hnsw_image_bit(image->used, first + near[i]))
				guess(pass, estimates[near[i]], first + near[i]);
		}
		pass->evaluated += count;
	}
	return pages;
}

/* Compare those by their records. */
static void
compare_guessed(FlatPass *pass, const HnswImage *image, const void *record)
{
	uint32		numbers[HNSW_MAX_SLOTS];
	uint32		left;

	drop_guesses(pass);
	left = pass->guessed.count;
	while (left > 0)
	{
		float		dists[HNSW_MAX_SLOTS];
		uint32		count = Min(left, HNSW_MAX_SLOTS);

		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < count; i++)
			numbers[i] = hnsw_key_node(pass->guessed.items[--left]);
		hnsw_image_distances(image, record, numbers, count, dists);
		pass->evaluated += count;
		for (uint32 i = 0; i < count; i++)
			keep(pass, hnsw_key(dists[i], numbers[i]));
	}
}

/* All slots: those of an image by their sketches, the rest by records. */
static void
guess_all(FlatPass *pass, const void *record, const HnswSketchQuery *sketch,
		  const HnswVisited *seen)
{
	const HnswImage *sketched = hnsw_store_image_of(pass->store, 0);
	uint32		npages = hnsw_store_map(pass->store)->npages[HNSW_SPACE_NODES];
	uint32		numbers[HNSW_MAX_SLOTS];
	HnswNode   *nodes[HNSW_MAX_SLOTS];
	uint32		page = 0;

	core_check(hnsw_keys_reserve(&pass->guessed, &pass->alloc, 2 * (uint64) pass->guesses));
	if (sketched != NULL && pass->conditions == NULL && seen == NULL)
		page = estimate_all(pass, sketched, sketch);
	for (; page < npages; page++)
	{
		const HnswImage *image = hnsw_store_image_of(pass->store, page);
		uint32		count = wanted_slots(pass, page, seen, numbers, nodes);

		if (image != NULL)
			estimate_page(pass, image, sketch, numbers, count);
		else
			compare_page(pass, record, numbers, nodes, count);
		hnsw_store_unlock(pass->store);
	}
	pass->partial = pass->guessed.count > 0;
	if (pass->partial)
		compare_guessed(pass, sketched, record);
}

void
flatpass_run(FlatPass *pass, const void *record, const HnswSketchQuery *sketch,
			 const HnswVisited *seen)
{
	const HnswMap *map = hnsw_store_map(pass->store);
	uint32		numbers[HNSW_MAX_SLOTS];
	HnswNode   *nodes[HNSW_MAX_SLOTS];

	core_check(hnsw_keys_reserve(&pass->nearest, &pass->alloc, pass->ef));
	if (sketch != NULL)
	{
		guess_all(pass, record, sketch, seen);
		return;
	}
	/* at once, for to grow is to copy */
	core_check(hnsw_keys_reserve(&pass->rest, &pass->alloc,
								 Min(hnsw_map_nodes(map), pass->room)));
	for (uint32 page = 0; page < map->npages[HNSW_SPACE_NODES]; page++)
	{
		uint32		count = wanted_slots(pass, page, seen, numbers, nodes);

		compare_page(pass, record, numbers, nodes, count);
		hnsw_store_unlock(pass->store);
	}
}

const HnswKey *
flatpass_take(FlatPass *pass, uint32 max, uint32 *count)
{
	HnswKeys   *rest = &pass->rest;

	if (pass->takes++ == 0)
	{
		*count = pass->nearest.count;
		for (uint32 i = 0; i < *count; i++)
			pass->nearest.items[i] = ~pass->nearest.items[i];
		hnsw_keys_sort(pass->nearest.items, *count);
		return pass->nearest.items;
	}
	if (pass->takes == 2)
	{
		for (uint32 i = rest->count / 2; i > 0; i--)
			hnsw_heap_sift_down(rest->items, rest->count, i - 1, rest->items[i - 1]);
	}
	*count = Min(max, rest->count);
	pass->nearest.count = 0;	/* nothing to keep when it grows */
	core_check(hnsw_keys_reserve(&pass->nearest, &pass->alloc, *count));
	for (uint32 i = 0; i < *count; i++)
		pass->nearest.items[i] = hnsw_heap_pop(rest);
	return pass->nearest.items;
}

const HnswKey *
flatpass_take_ties(FlatPass *pass, uint32 *count)
{
	HnswKeys   *rest = &pass->rest;
	uint32		kept = 0;
	float		last;

	Assert(pass->takes == 1);
	*count = 0;
	if (pass->nearest.count == 0)
		return pass->nearest.items;
	last = hnsw_key_dist(pass->nearest.items[pass->nearest.count - 1]);
	pass->nearest.count = 0;	/* nothing to keep when it grows */
	core_check(hnsw_keys_reserve(&pass->nearest, &pass->alloc, rest->count));
	for (uint32 i = 0; i < rest->count; i++)
	{
		if (hnsw_key_dist(rest->items[i]) == last)
			pass->nearest.items[(*count)++] = rest->items[i];
		else
			rest->items[kept++] = rest->items[i];
	}
	rest->count = kept;
	return pass->nearest.items;
}

const HnswKey *
flatpass_take_any(FlatPass *pass, uint32 *count)
{
	const HnswMap *map = hnsw_store_map(pass->store);
	uint32		numbers[HNSW_MAX_SLOTS];
	HnswNode   *nodes[HNSW_MAX_SLOTS];

	*count = 0;
	core_check(hnsw_keys_reserve(&pass->nearest, &pass->alloc, ANY_ROWS + HNSW_MAX_SLOTS));
	while (*count < ANY_ROWS && pass->next_page < map->npages[HNSW_SPACE_NODES])
	{
		uint32		found = wanted_slots(pass, pass->next_page++, NULL, numbers, nodes);

		hnsw_store_unlock(pass->store);
		for (uint32 i = 0; i < found; i++)
			pass->nearest.items[(*count)++] = hnsw_key(0.0f, numbers[i]);
	}
	return pass->nearest.items;
}

void
flatpass_end(FlatPass *pass)
{
	HnswKeys   *all[] = {&pass->nearest, &pass->rest, &pass->guessed};

	for (int i = 0; i < lengthof(all); i++)
	{
		core_release(&pass->alloc, all[i]->items);
		memset(all[i], 0, sizeof(HnswKeys));
	}
}
