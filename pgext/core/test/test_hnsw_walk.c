/*
 * test_hnsw_walk.c
 *	  Keys, the set of seen nodes, and walks against exact answers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "graph.h"
#include "random.h"

static const DistMetric metrics[] = {DIST_COSINE, DIST_L2, DIST_IP, DIST_L1};

static const GraphSpec common_spec = {
	DIST_COSINE, HNSW_INT8, VECTORS_UNIFORM, 1200, 20, {8, 40}
};

static void
keys_order_as_distances(void)
{
	static const float ascending[] = {
		-INFINITY, -3e38f, -1.0f, -0x1p-140f, 0.0f, 0x1p-140f, 1.0f, 3e38f, INFINITY
	};
	const uint32_t count = sizeof(ascending) / sizeof(ascending[0]);

	for (uint32_t i = 0; i < count; i++)
	{
		HnswKey		key = hnsw_key(ascending[i], 5);

		CHECK(hnsw_key_dist(key) == ascending[i], "%g", ascending[i]);
		CHECK(hnsw_key_node(key) == 5, "%g", ascending[i]);
		CHECK(key < hnsw_key(ascending[i], 6), "ties go by node");
		if (i > 0)
			CHECK(hnsw_key(ascending[i - 1], HNSW_NO_NODE) < key, "rank %u", i);
	}
	CHECK(hnsw_key(-0.0f, 1) == hnsw_key(0.0f, 1), "-0 equals 0");
}

static void
heap_and_sort(void)
{
	Random		random = {3};
	Arena		arena = {NULL, 0, -1};
	CoreAlloc	alloc = arena_alloc(&arena);

	for (uint32_t count = 0; count <= 300; count++)
	{
		HnswKeys	heap = {0};
		HnswKey    *sorted = malloc((count + 1) * sizeof(HnswKey));

		for (uint32_t i = 0; i < count; i++)
		{
			sorted[i] = random_below(&random, count / 2 + 1);
			if (hnsw_keys_reserve(&heap, &alloc, i + 1) != CORE_OK)
				abort();
			hnsw_heap_push(&heap, sorted[i]);
		}
		hnsw_keys_sort(sorted, count);
		for (uint32_t i = 0; i < count; i++)
		{
			CHECK(i == 0 || sorted[i - 1] <= sorted[i], "%u of %u", i, count);
			CHECK(hnsw_heap_pop(&heap) == sorted[i], "%u of %u", i, count);
		}
		free(sorted);
	}
	arena_drop(&arena);
}

/* Orders in which keys may come; the last is the worst for whoever parts around middles. */
typedef enum Order
{
	ORDER_BY_LOT, ORDER_UP, ORDER_DOWN, ORDER_EQUAL, ORDER_TWO_SLOPES, ORDER_HIDDEN,
	NORDERS
} Order;

static void
fill_in_order(HnswKey *keys, uint32_t count, Order order, Random *random)
{
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	top = i < count / 2 ? i : count - i;
		uint32_t	hidden = i % 2 == 1 ? i : count / 2 + i / 2;
		HnswKey		by[NORDERS] = {random_below(random, 2 * count), i, count - i, 7, top, hidden};

		keys[i] = by[order] << 32 | (order == ORDER_EQUAL ? 0 : i);
	}
}

static int
compare_keys(const void *a, const void *b)
{
	HnswKey		left = *(const HnswKey *) a;
	HnswKey		right = *(const HnswKey *) b;

	return left < right ? -1 : left > right;
}

/* Selected: the same keys, the first of them not above any other, the last of these the
 * largest. */
static void
check_selected(const HnswKey *keys, const HnswKey *sorted, uint32_t count, uint32_t first,
			   Order order)
{
	HnswKey    *again = malloc((count + 1) * sizeof(HnswKey));

	memcpy(again, keys, count * sizeof(HnswKey));
	qsort(again, first, sizeof(HnswKey), compare_keys);
	qsort(again + first, count - first, sizeof(HnswKey), compare_keys);
	CHECK(memcmp(again, sorted, count * sizeof(HnswKey)) == 0, "order %d, %u of %u", order,
		  first, count);
	CHECK(keys[first - 1] == sorted[first - 1], "order %d, %u of %u", order, first, count);
	free(again);
}

static void
keys_are_sorted_and_selected(void)
{
	Random		random = {9};

	for (int order = 0; order < NORDERS; order++)
	{
		for (uint32_t count = 0; count <= 3000; count += count < 40 ? 1 : count)
		{
			HnswKey    *keys = malloc((count + 1) * sizeof(HnswKey));
			HnswKey    *got = malloc((count + 1) * sizeof(HnswKey));
			HnswKey    *sorted = malloc((count + 1) * sizeof(HnswKey));

			fill_in_order(keys, count, order, &random);
			memcpy(sorted, keys, count * sizeof(HnswKey));
			qsort(sorted, count, sizeof(HnswKey), compare_keys);
			memcpy(got, keys, count * sizeof(HnswKey));
			hnsw_keys_sort(got, count);
			CHECK(memcmp(got, sorted, count * sizeof(HnswKey)) == 0, "order %d, %u", order, count);
			for (uint32_t first = 1; first <= count; first += 1 + count / 9)
			{
				memcpy(got, keys, count * sizeof(HnswKey));
				hnsw_keys_select(got, count, first);
				check_selected(got, sorted, count, first, order);
			}
			free(keys);
			free(got);
			free(sorted);
		}
	}
}

/* Numbers at the ends of words, and one that is of no node. */
static void
visited_bits_are_a_set(void)
{
	const uint32_t nnodes = 1000;
	Random		random = {6};
	Arena		arena = {NULL, 0, -1};
	CoreAlloc	alloc = arena_alloc(&arena);
	HnswVisited visited = {0};

	for (int round = 0; round < 3; round++)
	{
		bool		oracle[1000] = {false};
		uint32_t	seen = 0;

		CHECK(hnsw_visited_reset_within(&visited, &alloc, 100, nnodes) == CORE_OK, "reset");
		CHECK(visited.nbits == nnodes && visited.count == 0, "%u", visited.nbits);
		for (int i = 0; i < 300; i++)
		{
			uint32_t	nodes[4];
			uint32_t	expected[4];
			uint32_t	count = 0;

			for (int k = 0; k < 4; k++)
			{
				nodes[k] = i == 0 ? 62 + (uint32_t) k : random_below(&random, nnodes + 2);
				CHECK(hnsw_visited_contains(&visited, nodes[k]) ==
					  (nodes[k] >= nnodes || oracle[nodes[k]]), "%u", nodes[k]);
			}
			for (int k = 0; k < 4; k++)
			{
				if (nodes[k] >= nnodes || oracle[nodes[k]])
					continue;
				oracle[nodes[k]] = true;
				expected[count++] = nodes[k];
			}
			seen += count;
			CHECK(hnsw_visited_add_all(&visited, nodes, 4) == count, "%d", i);
			CHECK(memcmp(nodes, expected, count * sizeof(uint32_t)) == 0, "%d", i);
			CHECK(visited.count == seen, "%u", visited.count);
			CHECK(!hnsw_visited_add(&visited, nnodes) &&
				  !hnsw_visited_add(&visited, HNSW_NO_NODE), "no node");
		}
	}

	/* Too many for bits, and then few enough again. */
	CHECK(hnsw_visited_reset_within(&visited, &alloc, 100, 1 << 30) == CORE_OK, "large");
	CHECK(visited.nbits == 0 && hnsw_visited_add(&visited, 1 << 29), "large");
	CHECK(hnsw_visited_reset_within(&visited, &alloc, 100, 10) == CORE_OK, "small");
	CHECK(visited.nbits == 10 && hnsw_visited_add(&visited, 9), "small");
	arena_drop(&arena);
}

static void
visited_is_a_set(void)
{
	Random		random = {5};
	Arena		arena = {NULL, 0, -1};
	CoreAlloc	alloc = arena_alloc(&arena);
	HnswVisited visited = {0};

	for (int round = 0; round < 4; round++)
	{
		bool	   *oracle = calloc(1 << 14, 1);

		if (hnsw_visited_reset(&visited, &alloc, (uint32_t) round * 10) != CORE_OK)
			abort();
		for (int i = 0; i < 20000; i++)
		{
			uint32_t	node = random_below(&random, 1 << 14);
			uint32_t	scattered = node * 65537;

			if (hnsw_visited_reserve(&visited, &alloc, 1) != CORE_OK)
				abort();
			CHECK(hnsw_visited_contains(&visited, scattered) == oracle[node], "%u", node);
			CHECK(hnsw_visited_add(&visited, scattered) != oracle[node], "%u", node);
			oracle[node] = true;
		}
		free(oracle);
	}
	arena_drop(&arena);
}

static void
levels_are_geometric(void)
{
	const uint32_t m = 16;
	uint32_t	above[4] = {0};
	const uint32_t count = 1 << 20;

	for (uint32_t node = 0; node < count; node++)
	{
		int			level = hnsw_level(42, node, m);

		for (int i = 0; i < 4; i++)
			above[i] += level >= i + 1;
	}
	/* 65,536 and 4,096 and 256 are expected: five standard deviations. */
	CHECK(abs((int) above[0] - 65536) < 1240, "%u", above[0]);
	CHECK(abs((int) above[1] - 4096) < 320, "%u", above[1]);
	CHECK(abs((int) above[2] - 256) < 80, "%u", above[2]);
	CHECK(hnsw_level(42, 7, m) == hnsw_level(42, 7, m), "a function of its arguments");
}

/* Share of the exact k nearest that walks find, over some queries. */
static double
recall(Graph *graph, HnswSearch *search, const bool *passes, uint32_t k, uint32_t ef)
{
	uint32_t	hits = 0;
	uint32_t	wanted = 0;

	for (uint64_t q = 0; q < 50; q++)
	{
		void	   *query = graph_query(graph, q);
		HnswKey    *exact = malloc(k * sizeof(HnswKey));
		uint32_t	nexact = graph_exact(graph, query, passes, k, exact);
		const HnswKey *found;
		uint32_t	nfound;

		CHECK(hnsw_search_start(search, &graph->store, query,
								hnsw_arrays_entry(&graph->arrays), ef) == CORE_OK, "start");
		CHECK(hnsw_search_take(search, &found, &nfound) == CORE_OK, "take");
		CHECK(nfound >= nexact || search->end == HNSW_END_ALL_SEEN, "%u of %u", nfound, nexact);
		for (uint32_t i = 0; i < nfound; i++)
		{
			CHECK(i == 0 || found[i - 1] < found[i], "rank %u", i);
			CHECK(passes == NULL || passes[hnsw_key_node(found[i])], "rank %u", i);
		}
		hits += graph_common(exact, nexact, found, nfound);
		wanted += nexact;
		free(exact);
		free(query);
	}
	return wanted > 0 ? (double) hits / wanted : 1.0;
}

static void
finds_nearly_all(void)
{
	for (int kind = VECTORS_UNIFORM; kind <= VECTORS_EQUAL; kind++)
	{
		for (int i = 0; i < DIST_NMETRICS; i++)
		{
			for (int element = HNSW_INT8; element <= HNSW_FLOAT32; element++)
			{
				GraphSpec	spec = common_spec;
				Arena		arena = {NULL, 0, -1};
				HnswSearch	search;
				Graph	   *graph;
				double		share;

				spec.kind = (VectorKind) kind;
				spec.metric = metrics[i];
				spec.element = (HnswElement) element;
				graph = graph_build(&spec, &arena);
				hnsw_search_init(&search, arena_alloc(&arena), NULL, NULL);
				share = recall(graph, &search, NULL, 10, 80);
				CHECK(share >= 0.95, "kind %d metric %d element %d: %.3f", kind, i, element, share);
				graph_drop(graph);
				arena_drop(&arena);
			}
		}
	}
}

static uint32_t
mark_taken(const HnswKey *found, uint32_t nfound, bool *taken)
{
	for (uint32_t i = 0; i < nfound; i++)
	{
		CHECK(!taken[hnsw_key_node(found[i])], "%u twice", hnsw_key_node(found[i]));
		taken[hnsw_key_node(found[i])] = true;
	}
	return nfound;
}

/* A walk that grows ends where one with the larger ef does, and gives each
 * node once. */
static void
grows(void)
{
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_build(&common_spec, &arena);
	uint32_t	nnodes = graph->spec.nnodes;
	HnswSearch	search;
	HnswSearch	fresh;

	hnsw_search_init(&search, arena_alloc(&arena), NULL, NULL);
	hnsw_search_init(&fresh, arena_alloc(&arena), NULL, NULL);
	search.resumable = true;
	for (uint64_t q = 0; q < 10; q++)
	{
		void	   *query = graph_query(graph, q);
		bool	   *taken = calloc(nnodes, 1);
		uint32_t	ntaken = 0;
		uint32_t	ef = 3;

		CHECK(hnsw_search_start(&search, &graph->store, query,
								hnsw_arrays_entry(&graph->arrays), ef) == CORE_OK, "start");
		for (;;)
		{
			const HnswKey *found;
			const HnswKey *expected;
			uint32_t	nfound;
			uint32_t	nexpected;
			uint32_t	missing = 0;

			CHECK(hnsw_search_take(&search, &found, &nfound) == CORE_OK, "take");
			ntaken += mark_taken(found, nfound, taken);
			CHECK(hnsw_search_start(&fresh, &graph->store, query,
									hnsw_arrays_entry(&graph->arrays), ef) == CORE_OK, "start");
			CHECK(hnsw_search_take(&fresh, &expected, &nexpected) == CORE_OK, "take");
			for (uint32_t i = 0; i < nexpected; i++)
				missing += !taken[hnsw_key_node(expected[i])];
			CHECK(missing <= nexpected / 20, "ef %u: %u of %u", ef, missing, nexpected);
			if (search.end == HNSW_END_ALL_SEEN)
				break;
			ef *= 2;
			CHECK(hnsw_search_grow(&search, ef) == CORE_OK, "grow");
		}
		CHECK(ntaken == nnodes, "%u of %u", ntaken, nnodes);
		free(taken);
		free(query);
	}
	graph_drop(graph);
	arena_drop(&arena);
}

/* All nodes that links lead to from the entry are found, the entry among them,
 * though no link leads to it. */
static void
finds_the_entry(void)
{
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_build(&common_spec, &arena);
	uint32_t	entry = hnsw_arrays_entry(&graph->arrays).node;
	HnswSearch	search;

	for (uint32_t node = 0; node < graph->spec.nnodes; node++)
	{
		uint32_t	links[HNSW_MAX_LINKS];
		uint32_t	nlinks = graph->store.links(graph->store.state, node, 0, links);
		uint32_t	kept = 0;

		for (uint32_t i = 0; i < nlinks; i++)
		{
			links[kept] = links[i];
			kept += links[i] != entry;
		}
		hnsw_arrays_set_links(&graph->arrays, node, 0, links, kept);
	}
	hnsw_search_init(&search, arena_alloc(&arena), NULL, NULL);
	search.resumable = true;
	for (uint64_t q = 0; q < 10; q++)
	{
		void	   *query = graph_query(graph, q);
		const HnswKey *found;
		uint32_t	nfound;

		CHECK(hnsw_search_start(&search, &graph->store, query,
								hnsw_arrays_entry(&graph->arrays), 10) == CORE_OK, "start");
		CHECK(hnsw_search_grow(&search, graph->spec.nnodes) == CORE_OK, "grow");
		CHECK(hnsw_search_take(&search, &found, &nfound) == CORE_OK, "take");
		CHECK(nfound == graph->spec.nnodes, "%u of %u", nfound, graph->spec.nnodes);
		free(query);
	}
	graph_drop(graph);
	arena_drop(&arena);
}

static void
pass_marked(void *state, const uint32_t *nodes, uint32_t count, bool *out)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = ((const bool *) state)[nodes[i]];
}

/* Filters at several selectivities, both ways, and through growth. */
static void
filters(void)
{
	static const double shares[] = {0.5, 0.1, 0.01, 0.001, 0.0};
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_build(&common_spec, &arena);
	uint32_t	nnodes = graph->spec.nnodes;
	bool	   *passes = malloc(nnodes);
	Random		random = {11};

	for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++)
	{
		for (uint32_t node = 0; node < nnodes; node++)
			passes[node] = (random_signed_unit(&random) + 1.0) / 2 < shares[s];
		for (int wide = 0; wide <= 1; wide++)
		{
			HnswFilter	filter = {pass_marked, passes, wide != 0};
			HnswSearch	search;
			double		share;

			hnsw_search_init(&search, arena_alloc(&arena), NULL, NULL);
			search.filter = &filter;
			share = recall(graph, &search, passes, 10, 40);
			CHECK(share >= 0.95, "share %g wide %d: %.3f", shares[s], wide, share);
			search.resumable = true;
			share = recall(graph, &search, passes, 10, 40);
			CHECK(share >= 0.95, "share %g wide %d resumable: %.3f", shares[s], wide, share);
		}
	}
	free(passes);
	graph_drop(graph);
	arena_drop(&arena);
}

static bool
stop_at_zero(void *state)
{
	return (*(int *) state)-- == 0;
}

static void
ends_early(void)
{
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_build(&common_spec, &arena);
	void	   *query = graph_query(graph, 1);
	HnswEntry	entry = hnsw_arrays_entry(&graph->arrays);
	HnswEntry	none = {HNSW_NO_NODE, 0};
	HnswSearch	search;
	const HnswKey *found;
	uint32_t	nfound;
	int			steps = 5;

	hnsw_search_init(&search, arena_alloc(&arena), stop_at_zero, &steps);
	CHECK(hnsw_search_start(&search, &graph->store, query, entry, 50) == CORE_STOPPED, "stop");

	hnsw_search_init(&search, arena_alloc(&arena), NULL, NULL);
	search.max_evaluated = 100;
	CHECK(hnsw_search_start(&search, &graph->store, query, entry, 50) == CORE_OK, "limit");
	CHECK(search.end == HNSW_END_LIMIT, "%d", (int) search.end);
	CHECK(search.evaluated >= 100 && search.evaluated < 100 + HNSW_MAX_LINKS, "limit");

	search.max_evaluated = 0;
	CHECK(hnsw_search_start(&search, &graph->store, query, none, 50) == CORE_OK, "empty");
	CHECK(hnsw_search_take(&search, &found, &nfound) == CORE_OK, "empty");
	CHECK(nfound == 0 && search.end == HNSW_END_ALL_SEEN, "empty: %u", nfound);
	free(query);
	graph_drop(graph);
	arena_drop(&arena);
}

/* Every allocation may be the one that fails. */
static void
runs_out_of_memory(void)
{
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_build(&common_spec, &arena);
	void	   *query = graph_query(graph, 1);
	CoreStatus	status = CORE_NO_MEMORY;
	int			refusals = 0;

	while (status == CORE_NO_MEMORY)
	{
		Arena		small = {NULL, 0, refusals++};
		HnswSearch	search;
		const HnswKey *found;
		uint32_t	nfound;

		hnsw_search_init(&search, arena_alloc(&small), NULL, NULL);
		search.resumable = true;
		status = hnsw_search_start(&search, &graph->store, query,
								   hnsw_arrays_entry(&graph->arrays), 20);
		if (status == CORE_OK)
			status = hnsw_search_grow(&search, 200);
		if (status == CORE_OK)
			status = hnsw_search_take(&search, &found, &nfound);
		arena_drop(&small);
	}
	CHECK(status == CORE_OK && refusals > 5, "%d after %d", (int) status, refusals);
	free(query);
	graph_drop(graph);
	arena_drop(&arena);
}

void
test_hnsw_walk(void)
{
	RUN_CASE(keys_order_as_distances);
	RUN_CASE(heap_and_sort);
	RUN_CASE(keys_are_sorted_and_selected);
	RUN_CASE(visited_bits_are_a_set);
	RUN_CASE(visited_is_a_set);
	RUN_CASE(levels_are_geometric);
	RUN_CASE(finds_nearly_all);
	RUN_CASE(grows);
	RUN_CASE(finds_the_entry);
	RUN_CASE(filters);
	RUN_CASE(ends_early);
	RUN_CASE(runs_out_of_memory);
}
