/*
 * test_hnsw_image.c
 *	  Images against the graphs they were made of: walks give the same nodes,
 *	  what was added since is offered, damage is seen.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "copy.h"
#include "random.h"

static const GraphSpec common_spec = {
	DIST_COSINE, HNSW_INT8, VECTORS_UNIFORM, 1200, 20, {8, 40}
};

static void
same_list(const HnswKey *a, uint32_t na, const HnswKey *b, uint32_t nb, const char *what)
{
	CHECK(na == nb, "%s: %u and %u", what, na, nb);
	for (uint32_t i = 0; i < na && i < nb; i++)
		CHECK(a[i] == b[i], "%s: rank %u", what, i);
}

/* Two stores of the same graph give the same walk, to its end. */
static void
same_walks(const Graph *graph, const HnswStore *other, HnswEntry entry, Arena *arena)
{
	HnswSearch	a;
	HnswSearch	b;

	hnsw_search_init(&a, arena_alloc(arena), NULL, NULL);
	hnsw_search_init(&b, arena_alloc(arena), NULL, NULL);
	a.resumable = b.resumable = true;
	for (uint64_t q = 0; q < 20; q++)
	{
		void	   *query = graph_query(graph, q);

		CHECK(hnsw_search_start(&a, &graph->store, query, entry, 7) == CORE_OK, "start");
		CHECK(hnsw_search_start(&b, other, query, entry, 7) == CORE_OK, "start");
		for (uint32_t ef = 14; ef < 4 * graph->spec.nnodes; ef *= 2)
		{
			const HnswKey *found_a;
			const HnswKey *found_b;
			uint32_t	na;
			uint32_t	nb;

			CHECK(hnsw_search_take(&a, &found_a, &na) == CORE_OK, "take");
			CHECK(hnsw_search_take(&b, &found_b, &nb) == CORE_OK, "take");
			same_list(found_a, na, found_b, nb, "taken");
			CHECK(a.evaluated == b.evaluated && a.end == b.end, "ef %u", ef);
			CHECK(hnsw_search_grow(&a, ef) == CORE_OK, "grow");
			CHECK(hnsw_search_grow(&b, ef) == CORE_OK, "grow");
		}
		free(query);
	}
}

static void
walks_are_the_same(void)
{
	for (int kind = VECTORS_UNIFORM; kind <= VECTORS_EQUAL; kind++)
	{
		for (int metric = 0; metric < DIST_NMETRICS; metric++)
		{
			GraphSpec	spec = common_spec;
			Arena		arena = {NULL, 0, -1};
			Graph	   *graph;
			Copy	   *copy;
			Copy		moved = {0};
			HnswEntry	entry;

			spec.kind = (VectorKind) kind;
			spec.metric = (DistMetric) metric;
			spec.element = metric % 2 == 0 ? HNSW_INT8 : HNSW_FLOAT32;
			graph = graph_build(&spec, &arena);
			entry = hnsw_arrays_entry(&graph->arrays);
			copy = copy_new(graph, NULL, 0);
			CHECK(copy_finish(copy, entry, &arena) == CORE_OK, "finish");
			CHECK(copy->image.head->nstrays == 0, "%u strays", copy->image.head->nstrays);
			CHECK(hnsw_image_fault(&copy->image) == NULL, "%s", hnsw_image_fault(&copy->image));
			CHECK(hnsw_image_entry(&copy->image).node == entry.node, "entry");
			same_walks(graph, &copy->store, entry, &arena);

			/* No address is in the block: it may lie anywhere. */
			moved.block = copy_block(copy->bytes);
			memcpy(moved.block, copy->block, copy->bytes);
			memset(copy->block, 0, copy->bytes);
			CHECK(hnsw_image_fits(moved.block, copy->bytes, &graph->arrays.form), "fits");
			CHECK(!hnsw_image_fits(moved.block, copy->bytes - 1, &graph->arrays.form), "short");
			CHECK(!hnsw_image_fits(copy->block, copy->bytes, &graph->arrays.form), "zeros");
			moved.image = hnsw_image_attach(moved.block, &graph->arrays.form);
			moved.store = hnsw_image_store(&moved.image);
			same_walks(graph, &moved.store, entry, &arena);
			free(moved.block);
			copy_drop(copy);
			graph_drop(graph);
			arena_drop(&arena);
		}
	}
}

static void
components_start_at_lines(void)
{
	for (uint32_t m = HNSW_MIN_M; m < 40; m += 7)
	{
		GraphSpec	spec = common_spec;
		Arena		arena = {NULL, 0, -1};
		Graph	   *graph;
		Copy	   *copy;

		spec.nnodes = 50;
		spec.dim = 13 + m;
		spec.params.m = m;
		graph = graph_build(&spec, &arena);
		copy = copy_new(graph, NULL, 0);
		for (uint32_t node = 0; node < spec.nnodes; node++)
			CHECK(((uintptr_t) hnsw_image_record(&copy->image, node) +
				   HNSW_FORM_FACTS_BYTES) % HNSW_IMAGE_LINE == 0, "node %u", node);
		copy_drop(copy);
		graph_drop(graph);
		arena_drop(&arena);
	}
}

/* A graph of which an image has a part: what the image has comes from there. */
typedef struct Mixed
{
	const Graph *graph;
	const HnswImage *image;
} Mixed;

static uint32_t
mixed_links(void *state, uint32_t node, int level, uint32_t *out)
{
	const Mixed *mixed = state;
	uint32_t	count;
	uint32_t	kept = 0;

	if (hnsw_image_has_node(mixed->image, node))
		return hnsw_image_links(mixed->image, node, level, out);
	count = mixed->graph->store.links(mixed->graph->store.state, node, level, out);
	for (uint32_t i = 0; i < count; i++)
	{
		out[kept] = out[i];
		kept += hnsw_image_has_node(mixed->image, out[i]);
	}
	return kept;
}

static void
mixed_distances(void *state, const void *from, const uint32_t *nodes, uint32_t count,
				float *out)
{
	const Mixed *mixed = state;

	mixed->graph->store.distances(mixed->graph->store.state, from, nodes, count, out);
}

/* Exact answers are found among all nodes, though no link of the image leads to
 * those left out, and the strays have lost theirs. */
static uint32_t
offered_hits(const Graph *graph, Copy *copy, const bool *left_out, Arena *arena)
{
	Mixed		mixed = {graph, &copy->image};
	HnswStore	store = {&mixed, mixed_links, mixed_distances, NULL, NULL, NULL};
	uint32_t   *offered = malloc(graph->spec.nnodes * sizeof(uint32_t));
	uint32_t	noffered = 0;
	uint32_t	hits = 0;
	HnswSearch	search;

	for (uint32_t node = 0; node < graph->spec.nnodes; node++)
	{
		if (left_out[node])
			offered[noffered++] = node;
	}
	for (uint32_t i = 0; i < copy->image.head->nstrays; i++)
		offered[noffered++] = copy->image.strays[i];
	hnsw_search_init(&search, arena_alloc(arena), NULL, NULL);
	search.resumable = true;
	for (uint64_t q = 0; q < 50; q++)
	{
		void	   *query = graph_query(graph, q);
		HnswKey		exact[10];
		uint32_t	nexact = graph_exact(graph, query, NULL, 10, exact);
		const HnswKey *found;
		uint32_t	nfound;

		CHECK(hnsw_search_start(&search, &store, query, hnsw_image_entry(&copy->image),
								80) == CORE_OK, "start");
		CHECK(hnsw_search_offer(&search, offered, noffered) == CORE_OK, "offer");
		CHECK(hnsw_search_take(&search, &found, &nfound) == CORE_OK, "take");
		CHECK(nfound == 80, "%u found", nfound);
		for (uint32_t i = 1; i < nfound; i++)
			CHECK(found[i - 1] < found[i], "rank %u", i);
		hits += graph_common(exact, nexact, found, nfound);
		CHECK(hnsw_search_grow(&search, graph->spec.nnodes) == CORE_OK, "grow");
		CHECK(hnsw_search_take(&search, &found, &nfound) == CORE_OK, "take");
		CHECK(nfound == graph->spec.nnodes - 80, "%u more", nfound);
		free(query);
	}
	free(offered);
	return hits;
}

static void
what_was_added_is_offered(void)
{
	static const double shares[] = {0.02, 0.3};

	for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++)
	{
		Arena		arena = {NULL, 0, -1};
		Graph	   *graph = graph_build(&common_spec, &arena);
		HnswEntry	entry = hnsw_arrays_entry(&graph->arrays);
		bool	   *left_out = calloc(graph->spec.nnodes, 1);
		Random		random = {17};
		Copy	   *copy;
		uint32_t	hits;

		for (uint32_t node = 0; node < graph->spec.nnodes; node++)
			left_out[node] = node != entry.node &&
				(random_signed_unit(&random) + 1.0) / 2 < shares[s];
		copy = copy_new(graph, left_out, graph->spec.nnodes);
		CHECK(copy_finish(copy, entry, &arena) == CORE_OK, "finish");
		CHECK(hnsw_image_fault(&copy->image) == NULL, "%s", hnsw_image_fault(&copy->image));
		for (uint32_t node = 0; node < graph->spec.nnodes; node++)
			CHECK(hnsw_image_has(&copy->image, node) != left_out[node], "node %u", node);
		hits = offered_hits(graph, copy, left_out, &arena);
		CHECK(hits >= 495, "share %g: %u of 500", shares[s], hits);
		copy_drop(copy);
		free(left_out);
		graph_drop(graph);
		arena_drop(&arena);
	}
}

static void
strays_are_found(void)
{
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_build(&common_spec, &arena);
	HnswEntry	entry = hnsw_arrays_entry(&graph->arrays);
	uint32_t	lost = entry.node == 5 ? 6 : 5;
	uint32_t	dead = lost + 2 == entry.node ? lost + 3 : lost + 2;
	Copy	   *copy;

	for (uint32_t node = 0; node < graph->spec.nnodes; node++)
	{
		uint32_t	links[HNSW_MAX_LINKS];
		uint32_t	nlinks = graph->store.links(graph->store.state, node, 0, links);
		uint32_t	kept = 0;

		for (uint32_t i = 0; i < nlinks; i++)
		{
			links[kept] = links[i];
			kept += links[i] != lost && links[i] != dead;
		}
		hnsw_arrays_set_links(&graph->arrays, node, 0, links, kept);
	}
	copy = copy_new(graph, NULL, 1);
	((CopySlot *) hnsw_image_slot(&copy->image, dead))->is_row = 0;
	CHECK(copy_finish(copy, entry, &arena) == CORE_OK, "finish");
	CHECK(copy->image.head->nstrays == 1 && copy->image.strays[0] == lost, "%u strays",
		  copy->image.head->nstrays);
	copy_drop(copy);

	/* one more than there is room for */
	copy = copy_new(graph, NULL, 1);
	CHECK(copy_finish(copy, entry, &arena) == CORE_TOO_LARGE, "two strays");
	copy_drop(copy);

	/* what comes with a node that is reached is reached */
	copy = copy_new(graph, NULL, 0);
	((CopySlot *) hnsw_image_slot(&copy->image, entry.node))->next = lost;
	((CopySlot *) hnsw_image_slot(&copy->image, lost))->next = dead;
	CHECK(copy_finish(copy, entry, &arena) == CORE_OK, "a chain");
	copy_drop(copy);
	graph_drop(graph);
	arena_drop(&arena);
}

static void
damage_is_seen(void)
{
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_build(&common_spec, &arena);
	Copy	   *copy = copy_new(graph, NULL, 0);
	HnswImageHead *head = copy->image.head;
	CopySlot   *slot = (CopySlot *) hnsw_image_slot(&copy->image, 3);
	uint32_t   *links = (uint32_t *) (slot + 1);
	CopySlot	kept = *slot;
	uint32_t	link = links[0];

	CHECK(copy_finish(copy, hnsw_arrays_entry(&graph->arrays), &arena) == CORE_OK, "finish");
	CHECK(hnsw_image_fault(&copy->image) == NULL, "sound");

	links[0] = graph->spec.nnodes;
	CHECK(hnsw_image_fault(&copy->image) != NULL, "a link beyond");
	links[0] = link;
	slot->nlinks = (uint16_t) (2 * graph->spec.params.m + 1);
	CHECK(hnsw_image_fault(&copy->image) != NULL, "a long list");
	*slot = kept;
	slot->next = graph->spec.nnodes + 7;
	CHECK(hnsw_image_fault(&copy->image) != NULL, "a chain beyond");
	*slot = kept;
	copy->image.levels[3]++;
	CHECK(hnsw_image_fault(&copy->image) != NULL, "a level without a list");
	copy->image.levels[3]--;
	copy->image.used[0] ^= 8;
	CHECK(hnsw_image_fault(&copy->image) != NULL, "a node in an unused slot");
	copy->image.used[0] ^= 8;
	copy->image.facts[3].factor += 1.0f;
	CHECK(hnsw_image_fault(&copy->image) != NULL, "facts of no record");
	copy->image.facts[3] = *(const HnswFacts *) hnsw_image_record(&copy->image, 3);
	CHECK(hnsw_image_fault(&copy->image) == NULL, "sound again");
	head->entry = graph->spec.nnodes;
	CHECK(hnsw_image_fault(&copy->image) != NULL, "an entry beyond");
	copy_drop(copy);
	graph_drop(graph);
	arena_drop(&arena);
}

static void
sizes_do_not_overflow(void)
{
	HnswForm	form = hnsw_form(DIST_L2, HNSW_INT8, 16000);
	HnswImageShape shape = {0};
	size_t		bytes;

	shape.nnodes = HNSW_MAX_NODES;
	shape.m = HNSW_MAX_M;
	shape.record_at = UINT32_MAX - 20000;
	shape.slot_bytes = UINT32_MAX - 100;
	shape.upper_lists = UINT32_MAX;
	CHECK(hnsw_image_bytes(&shape, &form, &bytes) == CORE_TOO_LARGE, "%zu", bytes);
	shape.nnodes = 0;
	shape.record_at = 1100;
	shape.slot_bytes = 1100 + (uint32_t) hnsw_form_bytes(&form);
	shape.upper_lists = 0;
	CHECK(hnsw_image_bytes(&shape, &form, &bytes) == CORE_OK && bytes > 16000, "no nodes");
	shape.slot_bytes--;
	CHECK(hnsw_image_bytes(&shape, &form, &bytes) == CORE_TOO_LARGE, "no room for a record");
}

void
test_hnsw_image(void)
{
	RUN_CASE(walks_are_the_same);
	RUN_CASE(components_start_at_lines);
	RUN_CASE(what_was_added_is_offered);
	RUN_CASE(strays_are_found);
	RUN_CASE(damage_is_seen);
	RUN_CASE(sizes_do_not_overflow);
}
