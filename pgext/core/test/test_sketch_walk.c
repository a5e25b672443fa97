/*
 * test_sketch_walk.c
 *	  Walks by sketches against the same walks by distances: what is found, with
 *	  which distances, and that all is found once.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "copy.h"

#define NQUERIES 100

/* The three ways that use sketches: metric, kind and dimension of the vectors. */
static const GraphSpec specs[] = {
	{DIST_COSINE, HNSW_INT8, VECTORS_UNIFORM, 1500, 128, {16, 64}},
	{DIST_COSINE, HNSW_INT8, VECTORS_CLUSTERED, 1500, 384, {16, 64}},
	{DIST_L2, HNSW_INT8, VECTORS_CLUSTERED, 1500, 200, {16, 64}},
	{DIST_IP, HNSW_INT8, VECTORS_UNIFORM, 1500, 129, {16, 64}},
	{DIST_COSINE, HNSW_INT8, VECTORS_EQUAL, 1500, 128, {16, 64}}
};

#define NSPECS (sizeof(specs) / sizeof(specs[0]))

static const GraphSpec small_spec = {
	DIST_COSINE, HNSW_INT8, VECTORS_UNIFORM, 600, 150, {8, 40}
};

/* A graph, its image, and a search with room for a sketch of the query. */
typedef struct Walk
{
	Arena		arena;
	Graph	   *graph;
	Copy	   *copy;
	HnswEntry	entry;
	HnswSearch	search;
	void	   *room;
	HnswSketchQuery sketch;
} Walk;

static Walk *
walk_new(const GraphSpec *spec)
{
	Walk	   *walk = calloc(1, sizeof(Walk));

	walk->arena.refuse_after = -1;
	walk->graph = graph_build(spec, &walk->arena);
	walk->entry = hnsw_arrays_entry(&walk->graph->arrays);
	walk->copy = copy_new(walk->graph, NULL, 0);
	CHECK(copy_finish(walk->copy, walk->entry, &walk->arena) == CORE_OK, "finish");
	CHECK(hnsw_image_fault(&walk->copy->image) == NULL, "%s",
		  hnsw_image_fault(&walk->copy->image));
	hnsw_search_init(&walk->search, arena_alloc(&walk->arena), NULL, NULL);
	walk->room = malloc(hnsw_sketch_room(&walk->copy->image.form));
	return walk;
}

static void
walk_drop(Walk *walk)
{
	free(walk->room);
	copy_drop(walk->copy);
	graph_drop(walk->graph);
	arena_drop(&walk->arena);
	free(walk);
}

/* Start by the sketch of the query, or by its distances. */
static void
walk_start(Walk *walk, const void *query, bool sketched, uint32_t ef)
{
	const HnswImage *image = &walk->copy->image;

	hnsw_sketch_query_init(&walk->sketch, &image->form, image->middle, query, walk->room);
	walk->search.sketch = sketched ? &walk->sketch : NULL;
	CHECK(hnsw_search_start(&walk->search, &walk->copy->store, query, walk->entry, ef) == CORE_OK,
		  "start");
}

static void
walk_take(Walk *walk, const HnswKey **found, uint32_t *count)
{
	CHECK(hnsw_search_take(&walk->search, found, count) == CORE_OK, "take");
}

/* Nodes with the distances of their records, to the bit, nearest first. */
static void
in_order_with_distances(const Walk *walk, const void *query, const HnswKey *found,
						uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	node = hnsw_key_node(found[i]);
		const void *record = hnsw_image_record(&walk->copy->image, node);
		float		dist;

		hnsw_form_distances(&walk->copy->image.form, query, &record, 1, &dist);
		CHECK(found[i] == hnsw_key(dist, node), "rank %u: %.9g, not %.9g", i,
			  hnsw_key_dist(found[i]), dist);
		CHECK(i == 0 || found[i - 1] < found[i], "rank %u", i);
	}
}

/* Of the ten nearest, of all queries. */
static uint32_t
hits(Walk *walk, bool sketched, uint32_t ef)
{
	uint32_t	common = 0;

	for (uint64_t q = 0; q < NQUERIES; q++)
	{
		void	   *query = graph_query(walk->graph, q);
		HnswKey		exact[10];
		uint32_t	nexact = graph_exact(walk->graph, query, NULL, 10, exact);
		const HnswKey *found;
		uint32_t	nfound;

		walk_start(walk, query, sketched, ef);
		walk_take(walk, &found, &nfound);
		CHECK(nfound == ef, "%u found", nfound);
		in_order_with_distances(walk, query, found, nfound);
		common += graph_common(exact, nexact, found, nfound);
		free(query);
	}
	return common;
}

/* Within half a point; where all distances are much alike, of a walk with an eighth
 * less. */
static void
recall_is_kept(void)
{
	for (size_t s = 0; s < NSPECS; s++)
	{
		Walk	   *walk = walk_new(&specs[s]);

		CHECK(walk->copy->image.sketch_stride > 0, "no sketches");
		for (uint32_t ef = 40; ef <= 160; ef *= 2)
		{
			bool		alike = specs[s].kind == VECTORS_UNIFORM;
			uint32_t	plain = hits(walk, false, alike ? ef - ef / 8 : ef);
			uint32_t	sketched = hits(walk, true, ef);

			CHECK(sketched + NQUERIES / 20 >= plain, "spec %zu ef %u: %u of %u, by distances %u", s,
				  ef, sketched, 10 * NQUERIES, plain);
		}
		walk_drop(walk);
	}
}

/* However far it grows, each node comes once, and in the end all have. */
static void
all_come_once(void)
{
	Walk	   *walk = walk_new(&small_spec);
	uint32_t	nnodes = small_spec.nnodes;
	bool	   *seen = malloc(nnodes);

	walk->search.resumable = true;
	for (uint64_t q = 0; q < 20; q++)
	{
		void	   *query = graph_query(walk->graph, q);
		uint32_t	total = 0;

		memset(seen, 0, nnodes);
		walk_start(walk, query, true, 5);
		for (uint32_t ef = 10; total < nnodes && ef < 8 * nnodes; ef *= 2)
		{
			const HnswKey *found;
			uint32_t	nfound;

			walk_take(walk, &found, &nfound);
			in_order_with_distances(walk, query, found, nfound);
			for (uint32_t i = 0; i < nfound; i++)
			{
				CHECK(!seen[hnsw_key_node(found[i])], "%u again", hnsw_key_node(found[i]));
				seen[hnsw_key_node(found[i])] = true;
			}
			total += nfound;
			CHECK(hnsw_search_grow(&walk->search, ef) == CORE_OK, "grow");
		}
		CHECK(total == nnodes && walk->search.end == HNSW_END_ALL_SEEN, "%u", total);
		free(query);
	}
	free(seen);
	walk_drop(walk);
}

static void
pass_thirds(void *state, const uint32_t *nodes, uint32_t count, bool *out)
{
	(void) state;
	for (uint32_t i = 0; i < count; i++)
		out[i] = nodes[i] % 3 == 0;
}

static void
filters_hold(void)
{
	Walk	   *walk = walk_new(&small_spec);
	bool	   *passes = malloc(small_spec.nnodes);

	for (uint32_t node = 0; node < small_spec.nnodes; node++)
		passes[node] = node % 3 == 0;
	for (int wide = 0; wide < 2; wide++)
	{
		HnswFilter	filter = {pass_thirds, NULL, wide != 0};
		uint32_t	common = 0;

		walk->search.filter = &filter;
		for (uint64_t q = 0; q < NQUERIES; q++)
		{
			void	   *query = graph_query(walk->graph, q);
			HnswKey		exact[10];
			uint32_t	nexact = graph_exact(walk->graph, query, passes, 10, exact);
			const HnswKey *found;
			uint32_t	nfound;

			walk_start(walk, query, true, 80);
			walk_take(walk, &found, &nfound);
			CHECK(nfound == 80, "%u found", nfound);
			for (uint32_t i = 0; i < nfound; i++)
				CHECK(passes[hnsw_key_node(found[i])], "rank %u", i);
			in_order_with_distances(walk, query, found, nfound);
			common += graph_common(exact, nexact, found, nfound);
			free(query);
		}
		CHECK(common >= 980, "wide %d: %u of 1000", wide, common);
	}
	free(passes);
	walk_drop(walk);
}

/* Records that say nothing come last, and nothing else suffers. */
static void
damaged_records_are_far(void)
{
	static const DistMetric metrics[] = {DIST_COSINE, DIST_L2, DIST_IP};

	for (int m = 0; m < 3; m++)
	{
		GraphSpec	spec = small_spec;
		Walk	   *walk;
		HnswImage  *image;
		float		before[20];
		float		after[20];
		uint32_t	nodes[20];
		void	   *query;

		spec.metric = metrics[m];
		walk = walk_new(&spec);
		image = &walk->copy->image;
		query = graph_query(walk->graph, 3);
		for (uint32_t i = 0; i < 20; i++)
			nodes[i] = i;
		hnsw_sketch_query_init(&walk->sketch, &image->form, image->middle, query, walk->room);
		hnsw_image_estimates(image, &walk->sketch, nodes, 20, before);
		((HnswFacts *) (hnsw_image_slot(image, 4) + image->shape.record_at))->factor = NAN;
		((HnswFacts *) (hnsw_image_slot(image, 5) + image->shape.record_at))->factor = INFINITY;
		CHECK(copy_finish(walk->copy, walk->entry, &walk->arena) == CORE_OK, "again");
		hnsw_sketch_query_init(&walk->sketch, &image->form, image->middle, query, walk->room);
		hnsw_image_estimates(image, &walk->sketch, nodes, 20, after);
		for (uint32_t i = 0; i < 20; i++)
		{
			if (i == 4 || i == 5)
				CHECK(after[i] == INFINITY, "metric %d node %u: %g", metrics[m], i, after[i]);
			else
				CHECK(fabsf(after[i] - before[i]) <= 0.05f * (1.0f + fabsf(before[i])),
					  "metric %d node %u: %g, was %g", metrics[m], i, after[i], before[i]);
		}
		CHECK(isfinite(image->head->deviation) && image->head->deviation > 0.1f &&
			  image->head->deviation < 1.0f, "%g", image->head->deviation);
		free(query);
		walk_drop(walk);
	}
}

static float
one_estimate(const HnswSketchQuery *query, const HnswSketchFacts *facts, const uint8_t *numbers)
{
	int32_t		product = hnsw_sketch_product(query, numbers);
	float		estimate;

	hnsw_sketch_distances(query, facts, &product, 1, &estimate);
	return estimate;
}

/* Whichever way they are asked for: a list of any length, a run, one by one. */
static void
estimates_are_the_same(void)
{
	Walk	   *walk = walk_new(&small_spec);
	const HnswImage *image = &walk->copy->image;
	uint32_t	nnodes = small_spec.nnodes;
	void	   *query = graph_query(walk->graph, 5);
	uint32_t   *nodes = malloc(nnodes * sizeof(uint32_t));
	float	   *listed = malloc(nnodes * sizeof(float));
	float	   *run = malloc(nnodes * sizeof(float));
	uint8_t		near[HNSW_SKETCH_RUN];

	hnsw_sketch_query_init(&walk->sketch, &image->form, image->middle, query, walk->room);
	for (uint32_t count = 1; count <= nnodes; count += count < 20 ? 1 : 97)
	{
		uint32_t	first = nnodes - count;

		for (uint32_t i = 0; i < count; i++)
			nodes[i] = (first + i * 7) % nnodes;
		hnsw_image_estimates(image, &walk->sketch, nodes, count, listed);
		for (uint32_t at = 0; at < count; at += HNSW_SKETCH_RUN)
		{
			uint32_t	n = count - at < HNSW_SKETCH_RUN ? count - at : HNSW_SKETCH_RUN;

			CHECK(hnsw_image_near(image, &walk->sketch, first + at, n, FLT_MAX, run + at, near)
				  == n, "%u at %u", n, at);
		}
		for (uint32_t i = 0; i < count; i++)
		{
			CHECK(listed[i] == one_estimate(&walk->sketch, &image->sketch_facts[nodes[i]],
											hnsw_image_sketch(image, nodes[i])),
				  "%u of a list of %u", i, count);
			CHECK(run[i] == one_estimate(&walk->sketch, &image->sketch_facts[first + i],
										  hnsw_image_sketch(image, first + i)),
				  "%u of a run of %u", i, count);
		}
	}
	free(query);
	free(nodes);
	free(listed);
	free(run);
	walk_drop(walk);
}

/* Of each estimate the deviation in the head says no less than what is lost. */
static void
head_has_the_largest_deviation(void)
{
	Walk	   *walk = walk_new(&small_spec);
	const HnswImage *image = &walk->copy->image;
	uint8_t    *numbers = malloc(image->sketch_stride);
	float		largest = 0.0f;

	for (uint32_t node = 0; node < small_spec.nnodes; node++)
	{
		HnswSketchFacts facts;
		float		deviation = hnsw_sketch_make(&image->form, image->middle,
												 hnsw_image_record(image, node), walk->room,
												 &facts, numbers);

		if (deviation > largest)
			largest = deviation;
		CHECK(memcmp(numbers, hnsw_image_sketch(image, node), image->sketch_stride) == 0,
			  "node %u", node);
		CHECK(memcmp(&facts, &image->sketch_facts[node], sizeof(facts)) == 0, "node %u", node);
	}
	CHECK(image->head->deviation == largest, "%g, not %g", image->head->deviation, largest);
	free(numbers);
	walk_drop(walk);
}

static HnswImageShape
shape_for(const HnswForm *form)
{
	HnswImageShape shape = {0};

	shape.nnodes = 1000;
	shape.m = 8;
	shape.nlinks_at = 2;
	shape.links_at = 8;
	shape.next_at = 4;
	shape.record_at = 72;
	shape.slot_bytes = shape.record_at + (uint32_t) hnsw_form_bytes(form);
	return shape;
}

/* Room for sketches is there where they serve, and only there. */
static void
room_is_where_they_serve(void)
{
	static const uint32_t dims[] = {64, 127, 128, 129, 384};

	for (size_t d = 0; d < sizeof(dims) / sizeof(dims[0]); d++)
	{
		HnswForm	none = hnsw_form(DIST_L1, HNSW_INT8, dims[d]);
		HnswForm	form = hnsw_form(DIST_L2, HNSW_INT8, dims[d]);
		HnswForm	floats = hnsw_form(DIST_L2, HNSW_FLOAT32, dims[d]);
		HnswImageShape shape = shape_for(&floats);
		size_t		plain;
		size_t		bytes;
		void	   *block;
		HnswImage	image;

		CHECK(hnsw_image_bytes(&shape, &none, &plain) == CORE_OK, "bytes");
		CHECK(hnsw_image_bytes(&shape, &floats, &bytes) == CORE_OK && bytes == plain,
			  "dim %u: floats %zu, L1 %zu", dims[d], bytes, plain);
		CHECK(hnsw_image_bytes(&shape, &form, &bytes) == CORE_OK, "bytes");
		block = copy_block(bytes);
		hnsw_image_format(block, &shape, &form);
		image = hnsw_image_attach(block, &form);
		CHECK(hnsw_image_fits(block, bytes, &form), "dim %u", dims[d]);
		CHECK(!hnsw_image_fits(block, bytes - 1, &form), "dim %u", dims[d]);
		CHECK(hnsw_image_fits(block, bytes, &none) == (dims[d] < 128), "dim %u", dims[d]);
		if (dims[d] < 128)
			CHECK(bytes == plain && image.sketch_stride == 0, "dim %u: %zu", dims[d],
				  image.sketch_stride);
		else
		{
			CHECK(image.sketch_stride == (dims[d] + 63) / 64 * 32, "dim %u: %zu", dims[d],
				  image.sketch_stride);
			CHECK(bytes >= plain + shape.nnodes * (image.sketch_stride + 8) + dims[d] * 4,
				  "dim %u: %zu and %zu", dims[d], bytes, plain);
			CHECK((uintptr_t) image.sketches % HNSW_IMAGE_LINE == 0, "dim %u", dims[d]);
			CHECK(hnsw_image_sketch(&image, shape.nnodes) <= (uint8_t *) image.slots, "dim %u",
				  dims[d]);
		}
		free(block);
	}
}

typedef struct Countdown
{
	int			left;
	int			asked;
} Countdown;

static bool
count_down(void *state)
{
	Countdown  *countdown = state;

	countdown->asked++;
	return countdown->left-- == 0;
}

/* Whenever it is asked to end, it ends; likewise when there is no more memory. */
static void
finish_stops(void)
{
	GraphSpec	spec = small_spec;
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph;
	HnswEntry	entry;
	Countdown	all = {-1, 0};
	Copy	   *copy;
	int			stopped = 0;
	int			refused = 0;

	spec.nnodes = 2100;
	graph = graph_new(&spec, &arena);
	for (uint32_t node = 0; node < 2; node++)
		CHECK(hnsw_arrays_insert(&graph->arrays, &graph->placer, node) == CORE_OK, "insert");
	entry = hnsw_arrays_entry(&graph->arrays);
	copy = copy_new(graph, NULL, spec.nnodes);
	CHECK(copy_finish_or_stop(copy, entry, &arena, count_down, &all) == CORE_OK, "whole");
	CHECK(all.asked == 5, "asked %d times", all.asked);
	copy_drop(copy);
	for (; stopped < all.asked; stopped++)
	{
		Countdown	some = {stopped, 0};

		copy = copy_new(graph, NULL, spec.nnodes);
		CHECK(copy_finish_or_stop(copy, entry, &arena, count_down, &some) == CORE_STOPPED,
			  "after %d", stopped);
		CHECK(some.asked == stopped + 1, "asked %d times after the end", some.asked);
		copy_drop(copy);
	}
	for (;; refused++)
	{
		Arena		small = {NULL, 0, refused};
		CoreStatus	status;

		copy = copy_new(graph, NULL, spec.nnodes);
		status = copy_finish(copy, entry, &small);
		copy_drop(copy);
		arena_drop(&small);
		if (status == CORE_OK)
			break;
		CHECK(status == CORE_NO_MEMORY, "refused %d: %d", refused, status);
	}
	CHECK(refused == 4, "%d blocks", refused);
	graph_drop(graph);
	arena_drop(&arena);
}

void
test_sketch_walk(void)
{
	RUN_CASE(recall_is_kept);
	RUN_CASE(all_come_once);
	RUN_CASE(filters_hold);
	RUN_CASE(damaged_records_are_far);
	RUN_CASE(estimates_are_the_same);
	RUN_CASE(head_has_the_largest_deviation);
	RUN_CASE(room_is_where_they_serve);
	RUN_CASE(finish_stops);
}
