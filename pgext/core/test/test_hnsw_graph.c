/*
 * test_hnsw_graph.c
 *	  Graphs as built, by one and by several; the checker; attachment; repair.
 */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "graph.h"
#include "random.h"
#include "../hnsw_reach.h"
#include "../hnsw_repair.h"

#define NLOCKS 64

static const GraphSpec common_spec = {
	DIST_COSINE, HNSW_INT8, VECTORS_UNIFORM, 1500, 16, {6, 40}
};

static void
expect_sound(const Graph *graph, const bool *dead, Arena *arena, const char *what)
{
	HnswFault	first = {0};
	int			count = graph_faults(graph, dead, arena, &first);

	CHECK(count == 0, "%s: %d faults, the first of kind %d: node %u level %d other %u",
		  what, count, (int) first.kind, first.node, first.level, first.other);
}

static void
holds_what_it_must(void)
{
	static const uint32_t sizes[] = {0, 1, 2, 13, 500};
	static const uint32_t links[] = {HNSW_MIN_M, 5, HNSW_MAX_M};

	for (int kind = VECTORS_UNIFORM; kind <= VECTORS_EQUAL; kind++)
	{
		for (int i = 0; i < 5; i++)
		{
			for (int j = 0; j < 3; j++)
			{
				GraphSpec	spec = common_spec;
				Arena		arena = {NULL, 0, -1};
				Graph	   *graph;

				spec.kind = (VectorKind) kind;
				spec.nnodes = sizes[i];
				spec.params.m = links[j];
				graph = graph_build(&spec, &arena);
				expect_sound(graph, NULL, &arena, "built");
				graph_drop(graph);
				arena_drop(&arena);
			}
		}
	}
}

static void
same_seed_same_graph(void)
{
	Arena		arena = {NULL, 0, -1};
	Graph	   *one = graph_build(&common_spec, &arena);
	Graph	   *two = graph_build(&common_spec, &arena);
	HnswArrays *a = &one->arrays;

	for (uint32_t node = 0; node < common_spec.nnodes; node++)
	{
		for (int level = 0; level <= a->levels[node]; level++)
		{
			uint32_t	left[HNSW_MAX_LINKS];
			uint32_t	right[HNSW_MAX_LINKS];
			uint32_t	count = one->store.links(one->store.state, node, level, left);

			CHECK(two->store.links(two->store.state, node, level, right) == count,
				  "node %u level %d", node, level);
			CHECK(memcmp(left, right, count * sizeof(uint32_t)) == 0,
				  "node %u level %d", node, level);
		}
	}
	graph_drop(one);
	graph_drop(two);
	arena_drop(&arena);
}

/* Several builders on one block, each with its own arrays, arena and placer. */
typedef struct Builder
{
	Graph	   *graph;
	HnswArraysLock lock;
	Arena		arena;
	uint32_t   *next;			/* shared: first node that nobody has taken */
	CoreStatus	status;
	pthread_t	thread;
} Builder;

static pthread_mutex_t locks[NLOCKS];

static void
lock_node(void *state, uint32_t node)
{
	pthread_mutex_lock(&((pthread_mutex_t *) state)[node % NLOCKS]);
}

static void
unlock_node(void *state, uint32_t node)
{
	pthread_mutex_unlock(&((pthread_mutex_t *) state)[node % NLOCKS]);
}

static void *
build_share(void *argument)
{
	Builder    *builder = argument;
	Graph	   *graph = builder->graph;
	HnswPlacer *placer = malloc(sizeof(HnswPlacer));
	HnswArrays	arrays = hnsw_arrays_attach(graph->block, graph->arrays.form, graph->records,
											graph->arrays.record_bytes, &builder->lock);
	uint32_t	node;

	builder->status = hnsw_placer_init(placer, graph->spec.params,
									   arena_alloc(&builder->arena), NULL, NULL);
	while (builder->status == CORE_OK &&
		   (node = __atomic_fetch_add(builder->next, 1, __ATOMIC_RELAXED)) < graph->spec.nnodes)
		builder->status = hnsw_arrays_insert(&arrays, placer, node);
	free(placer);
	return NULL;
}

static void
built_by_several(void)
{
	enum
	{
		NBUILDERS = 4
	};
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_new(&common_spec, &arena);
	Builder		builders[NBUILDERS];
	uint32_t	next = 0;
	uint32_t   *order = malloc(common_spec.nnodes * sizeof(uint32_t));
	uint32_t   *parent = malloc(common_spec.nnodes * sizeof(uint32_t));

	for (int i = 0; i < NLOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (int i = 0; i < NBUILDERS; i++)
	{
		Builder		builder = {
			graph, {lock_node, unlock_node, locks}, {NULL, 0, -1}, &next, CORE_OK, 0
		};

		builders[i] = builder;
		pthread_create(&builders[i].thread, NULL, build_share, &builders[i]);
	}
	for (int i = 0; i < NBUILDERS; i++)
	{
		pthread_join(builders[i].thread, NULL);
		CHECK(builders[i].status == CORE_OK, "builder %d", i);
		arena_drop(&builders[i].arena);
	}
	CHECK(hnsw_arrays_finish(&graph->arrays, &graph->placer) == CORE_OK, "finish");
	CHECK(hnsw_attach_all(&graph->arrays, &graph->placer, order, parent) == CORE_OK,
		  "attach");
	expect_sound(graph, NULL, &arena, "built by several");
	free(order);
	free(parent);
	graph_drop(graph);
	arena_drop(&arena);
}

/* Another builder, who inserts a node whole while a first one inserts another:
 * when that is asked whether it should stop, in its walk, or when it locks its
 * first list, after it. */
typedef struct Interruption
{
	HnswArrays	arrays;
	HnswArraysLock lock;
	HnswPlacer	placer;
	uint32_t	node;			/* HNSW_NO_NODE: done */
	bool		in_walk;
} Interruption;

static void
interrupt(Interruption *interruption)
{
	uint32_t	node = interruption->node;

	interruption->node = HNSW_NO_NODE;
	if (node != HNSW_NO_NODE)
		CHECK(hnsw_arrays_insert(&interruption->arrays, &interruption->placer, node) == CORE_OK,
			  "node %u", node);
}

static bool
interrupt_walk(void *state)
{
	Interruption *interruption = state;

	if (interruption->in_walk)
		interrupt(interruption);
	return false;
}

static void
interrupt_lock(void *state, uint32_t node)
{
	(void) node;
	interrupt(state);
}

static void
no_unlock(void *state, uint32_t node)
{
	(void) state;
	(void) node;
}

static bool
links_to(const Graph *graph, uint32_t from, uint32_t to)
{
	uint32_t	links[HNSW_MAX_LINKS];
	uint32_t	count = graph->store.links(graph->store.state, from, 0, links);

	for (uint32_t i = 0; i < count; i++)
	{
		if (links[i] == to)
			return true;
	}
	return false;
}

/* The nearest of the nodes up to `last` that are not the node itself. */
static uint32_t
nearest_up_to(const Graph *graph, uint32_t node, uint32_t last)
{
	HnswKey		nearest = ~(HnswKey) 0;

	for (uint32_t other = 0; other <= last; other++)
	{
		float		dist;

		graph->store.distances(graph->store.state, graph->store.vector(graph->store.state, node),
							   &other, 1, &dist);
		if (other != node && hnsw_key(dist, other) < nearest)
			nearest = hnsw_key(dist, other);
	}
	return hnsw_key_node(nearest);
}

/* Of two that are inserted at the same time, each links to the other if nothing
 * is nearer to it: nearest links are never given up. */
static void
meet_on_arrival(bool in_walk, VectorKind kind)
{
	GraphSpec	spec = common_spec;
	Arena		arena = {NULL, 0, -1};
	Interruption interruption = {0};
	Graph	   *graph;
	HnswPlacer	placer;
	HnswFault	first = {0};
	int			neighbours = 0;

	spec.kind = kind;
	graph = graph_new(&spec, &arena);
	interruption.in_walk = in_walk;
	interruption.arrays = graph->arrays;
	interruption.lock = (HnswArraysLock) {interrupt_lock, no_unlock, &interruption};
	interruption.node = HNSW_NO_NODE;
	interruption.arrays.lock = graph->arrays.lock = &interruption.lock;
	CHECK(hnsw_placer_init(&interruption.placer, spec.params, arena_alloc(&arena), NULL, NULL) == CORE_OK &&
		  hnsw_placer_init(&placer, spec.params, arena_alloc(&arena), interrupt_walk,
						   &interruption) == CORE_OK, "placers");
	CHECK(hnsw_arrays_insert(&graph->arrays, &placer, 0) == CORE_OK, "first");
	for (uint32_t node = 1; node + 1 < spec.nnodes; node += 2)
	{
		interruption.node = node + 1;
		CHECK(hnsw_arrays_insert(&graph->arrays, &placer, node) == CORE_OK, "node %u", node);
		CHECK(interruption.node == HNSW_NO_NODE, "node %u was alone", node);
		for (uint32_t one = node; one <= node + 1; one++)
		{
			uint32_t	other = 2 * node + 1 - one;

			if (nearest_up_to(graph, one, node + 1) != other)
				continue;
			neighbours++;
			CHECK(links_to(graph, one, other), "%u and %u", one, other);
		}
	}
	interruption.arrays.lock = graph->arrays.lock = NULL;
	CHECK(neighbours > 10, "%d", neighbours);
	CHECK(hnsw_arrays_insert(&graph->arrays, &placer, spec.nnodes - 1) == CORE_OK, "last");
	CHECK(hnsw_arrays_finish(&graph->arrays, &placer) == CORE_OK, "finish");
	(void) graph_faults(graph, NULL, &arena, &first);
	CHECK(first.kind != HNSW_FAULT_SELF && first.kind != HNSW_FAULT_DUPLICATE,
		  "kind %d: node %u other %u", (int) first.kind, first.node, first.other);
	graph_drop(graph);
	arena_drop(&arena);
}

static void
arrivals_meet(void)
{
	for (int in_walk = 0; in_walk < 2; in_walk++)
	{
		meet_on_arrival(in_walk, VECTORS_CLUSTERED);
		meet_on_arrival(in_walk, VECTORS_UNIFORM);
	}
}

/* Take every link of level 0 to a node away. */
static void
cut_off(Graph *graph, uint32_t victim)
{
	for (uint32_t node = 0; node < graph->spec.nnodes; node++)
	{
		uint32_t	links[HNSW_MAX_LINKS];
		uint32_t	count = graph->store.links(graph->store.state, node, 0, links);
		uint32_t	kept = 0;

		for (uint32_t i = 0; i < count; i++)
		{
			if (links[i] != victim)
				links[kept++] = links[i];
		}
		hnsw_arrays_set_links(&graph->arrays, node, 0, links, kept);
	}
}

/* Each fault planted in a sound graph is reported. */
static void
checker_sees_faults(void)
{
	static const HnswFaultKind kinds[] = {
		HNSW_FAULT_SELF, HNSW_FAULT_DUPLICATE, HNSW_FAULT_NOWHERE, HNSW_FAULT_TOO_MANY,
		HNSW_FAULT_NO_ENTRY, HNSW_FAULT_ENTRY_LEVEL, HNSW_FAULT_UNREACHED
	};

	for (int i = 0; i < 7; i++)
	{
		Arena		arena = {NULL, 0, -1};
		Graph	   *graph = graph_build(&common_spec, &arena);
		HnswEntry	entry = hnsw_arrays_entry(&graph->arrays);
		uint32_t	links[HNSW_MAX_LINKS];
		uint32_t	victim = entry.node == 9 ? 10 : 9;
		HnswFault	first = {0};
		uint32_t	count = graph->store.links(graph->store.state, victim, 0, links);

		switch (kinds[i])
		{
			case HNSW_FAULT_SELF:
				links[0] = victim;
				break;
			case HNSW_FAULT_DUPLICATE:
				links[0] = links[1];
				break;
			case HNSW_FAULT_NOWHERE:
				links[0] = common_spec.nnodes;
				break;
			case HNSW_FAULT_TOO_MANY:
				for (count = 0; count <= hnsw_max_links(common_spec.params.m, 0); count++)
					links[count] = 100 + count;
				break;
			case HNSW_FAULT_NO_ENTRY:
				entry.level--;
				hnsw_arrays_set_entry(&graph->arrays, entry);
				break;
			case HNSW_FAULT_ENTRY_LEVEL:
				entry.node = victim;
				entry.level = graph->arrays.levels[victim];
				hnsw_arrays_set_entry(&graph->arrays, entry);
				break;
			case HNSW_FAULT_UNREACHED:
				cut_off(graph, victim);
				break;
		}
		if (kinds[i] != HNSW_FAULT_UNREACHED)
			hnsw_arrays_set_links(&graph->arrays, victim, 0, links, count);
		CHECK(graph_faults(graph, NULL, &arena, &first) > 0, "kind %d", (int) kinds[i]);
		CHECK(first.kind == kinds[i], "kind %d is reported as %d", (int) kinds[i],
			  (int) first.kind);
		graph_drop(graph);
		arena_drop(&arena);
	}
}

/* Take all links to a share of the nodes away, and attach them again. */
static void
attaches_outsiders(void)
{
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_build(&common_spec, &arena);
	uint32_t	nnodes = common_spec.nnodes;
	uint32_t   *order = malloc(nnodes * sizeof(uint32_t));
	uint32_t   *parent = malloc(nnodes * sizeof(uint32_t));
	uint32_t	entry = hnsw_arrays_entry(&graph->arrays).node;

	for (uint32_t node = 0; node < nnodes; node++)
	{
		uint32_t	links[HNSW_MAX_LINKS];
		uint32_t	count = graph->store.links(graph->store.state, node, 0, links);
		uint32_t	kept = 0;

		for (uint32_t i = 0; i < count; i++)
		{
			if (links[i] % 10 != 0 || links[i] == entry)
				links[kept++] = links[i];
		}
		hnsw_arrays_set_links(&graph->arrays, node, 0, links, kept);
	}
	CHECK(hnsw_reach(&graph->store, entry, nnodes, order, parent) <= nnodes - nnodes / 10 + 1,
		  "outsiders");
	CHECK(hnsw_attach_all(&graph->arrays, &graph->placer, order, parent) == CORE_OK,
		  "attach");
	expect_sound(graph, NULL, &arena, "attached");
	free(order);
	free(parent);
	graph_drop(graph);
	arena_drop(&arena);
}

static void
pass_living(void *state, const uint32_t *nodes, uint32_t count, bool *out)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = !((const bool *) state)[nodes[i]];
}

/* The highest that lives. */
static HnswEntry
living_entry(const Graph *graph, const bool *dead)
{
	HnswEntry	entry = {HNSW_NO_NODE, 0};

	for (uint32_t node = 0; node < graph->spec.nnodes; node++)
	{
		int			level = graph->arrays.levels[node];

		if (!dead[node] && (entry.node == HNSW_NO_NODE || level > entry.level))
		{
			entry.node = node;
			entry.level = level;
		}
	}
	return entry;
}

static void
remove_dead(Graph *graph, const bool *dead)
{
	HnswFilter	living = {pass_living, (void *) dead, false};
	HnswEntry	entry = living_entry(graph, dead);
	HnswRepair	repair;

	hnsw_repair_init(&repair, &graph->placer, &graph->store, &graph->arrays.form, entry,
					 &living);
	for (uint32_t node = 0; node < graph->spec.nnodes; node++)
	{
		for (int level = 0; !dead[node] && level <= graph->arrays.levels[node]; level++)
		{
			uint32_t	links[HNSW_MAX_LINKS];
			uint32_t	count = graph->store.links(graph->store.state, node, level, links);
			bool		changed;

			CHECK(hnsw_repair_list(&repair, node, level, links, &count, &changed) == CORE_OK,
				  "node %u", node);
			if (changed)
				hnsw_arrays_set_links(&graph->arrays, node, level, links, count);
		}
	}
	hnsw_arrays_set_entry(&graph->arrays, entry);
}

/* Share of the living 10 nearest that walks over what lives find. */
static double
recall_of_living(Graph *graph, const bool *dead, uint32_t ef, Arena *arena)
{
	HnswSearch	search;
	bool	   *passes = malloc(graph->spec.nnodes);
	uint32_t	hits = 0;
	uint32_t	wanted = 0;

	for (uint32_t node = 0; node < graph->spec.nnodes; node++)
		passes[node] = !dead[node];
	hnsw_search_init(&search, arena_alloc(arena), NULL, NULL);
	for (uint64_t q = 0; q < 50; q++)
	{
		void	   *query = graph_query(graph, q);
		HnswKey		exact[10];
		uint32_t	nexact = graph_exact(graph, query, passes, 10, exact);
		const HnswKey *found;
		uint32_t	nfound;

		CHECK(hnsw_search_start(&search, &graph->store, query,
								hnsw_arrays_entry(&graph->arrays), ef) == CORE_OK, "start");
		CHECK(hnsw_search_take(&search, &found, &nfound) == CORE_OK, "take");
		hits += graph_common(exact, nexact, found, nfound);
		wanted += nexact;
		free(query);
	}
	free(passes);
	return wanted > 0 ? (double) hits / wanted : 1.0;
}

/*
 * By inner product few nodes are the nearest of nearly all, and most are found
 * by nobody's choice of links: attaching them must not empty the lists of the
 * few, which all walks need.
 */
static void
attachment_spares_hubs(void)
{
	GraphSpec	spec = {DIST_IP, HNSW_FLOAT32, VECTORS_POSITIVE, 4000, 3, {6, 32}};
	Arena		arena = {NULL, 0, -1};
	Graph	   *graph = graph_build(&spec, &arena);
	bool	   *dead = calloc(spec.nnodes, sizeof(bool));
	double		recall = recall_of_living(graph, dead, 40, &arena);

	expect_sound(graph, NULL, &arena, "inner product");
	CHECK(recall >= 0.94, "%.3f", recall);
	free(dead);
	graph_drop(graph);
	arena_drop(&arena);
}

static void
repairs(void)
{
	static const double shares[] = {0.0, 0.3, 0.75, 0.99, 1.0};

	for (int kind = VECTORS_UNIFORM; kind <= VECTORS_CLUSTERED; kind++)
	{
		for (int s = 0; s < 5; s++)
		{
			Arena		arena = {NULL, 0, -1};
			GraphSpec	spec = common_spec;
			Graph	   *graph;
			bool	   *dead = malloc(spec.nnodes);
			Random		random = {13};
			double		recall;

			spec.kind = (VectorKind) kind;
			graph = graph_build(&spec, &arena);
			for (uint32_t node = 0; node < spec.nnodes; node++)
				dead[node] = (random_signed_unit(&random) + 1.0) / 2 < shares[s];
			remove_dead(graph, dead);
			expect_sound(graph, dead, &arena, "repaired");
			recall = recall_of_living(graph, dead, 60, &arena);
			CHECK(recall >= 0.95, "kind %d share %g: %.3f", kind, shares[s], recall);
			free(dead);
			graph_drop(graph);
			arena_drop(&arena);
		}
	}
}

static void
build_runs_out_of_memory(void)
{
	GraphSpec	spec = common_spec;
	CoreStatus	status = CORE_NO_MEMORY;
	int			refusals = 0;

	spec.nnodes = 60;
	while (status == CORE_NO_MEMORY)
	{
		Arena		roomy = {NULL, 0, -1};
		Arena		small = {NULL, 0, refusals++};
		Graph	   *graph = graph_new(&spec, &roomy);
		HnswPlacer	placer;

		status = hnsw_placer_init(&placer, spec.params, arena_alloc(&small), NULL, NULL);
		for (uint32_t node = 0; status == CORE_OK && node < spec.nnodes; node++)
			status = hnsw_arrays_insert(&graph->arrays, &placer, node);
		arena_drop(&small);
		graph_drop(graph);
		arena_drop(&roomy);
	}
	CHECK(status == CORE_OK && refusals > 5, "%d after %d", (int) status, refusals);
}

void
test_hnsw_graph(void)
{
	RUN_CASE(holds_what_it_must);
	RUN_CASE(same_seed_same_graph);
	RUN_CASE(built_by_several);
	RUN_CASE(arrivals_meet);
	RUN_CASE(checker_sees_faults);
	RUN_CASE(attaches_outsiders);
	RUN_CASE(attachment_spares_hubs);
	RUN_CASE(repairs);
	RUN_CASE(build_runs_out_of_memory);
}
