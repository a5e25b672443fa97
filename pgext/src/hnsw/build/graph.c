/*
 * graph.c
 *	  The graph of all nodes in flat arrays, in memory of this process or of a
 *	  team's, or of the build's file.
 */
#include "postgres.h"

#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/shmem.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"

#include "corehost.h"
#include "hnsw/build/build.h"
#include "hnsw_reach.h"
#include "status.h"

static HnswPlacer *
make_placer(HnswParams params)
{
	HnswPlacer *placer = palloc(sizeof(HnswPlacer));

	core_check(hnsw_placer_init(placer, params, core_alloc_in(CurrentMemoryContext),
								core_interruptible, NULL));
	return placer;
}

void
build_graph_work(HnswArrays *arrays, HnswParams params, BuildQueue *queue, bool report)
{
	HnswPlacer *placer = make_placer(params);

	for (;;)
	{
		uint32		node = pg_atomic_fetch_add_u32(&queue->next, 1);

		if (node >= arrays->shape->nnodes)
			break;
		core_check(hnsw_arrays_insert(arrays, placer, node));
		node = pg_atomic_add_fetch_u32(&queue->done, 1);
		if (report)
			pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, node);
	}
}

/* Order the nodes so that neighbours are near each other. */
static void
order_nodes(BuildGraph *graph, BuildMemory *memory, HnswPlacer *placer)
{
	Size		bytes = mul_size(graph->nnodes, sizeof(uint32));

	graph->order = build_memory_get(memory, bytes);
	graph->place = build_memory_get(memory, bytes);

	/* First for the parents of nodes. */
	core_check(hnsw_attach_all(&graph->arrays, placer, graph->order, graph->place));
	for (uint32 i = 0; i < graph->nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		graph->place[graph->order[i]] = i;
	}
}

static void
build_alone(BuildGraph *graph, BuildRows *rows, Size block_bytes, Size records_bytes)
{
	const HnswShape *shape = rows->shape;
	char	   *block = build_memory_get(rows->memory, block_bytes);
	char	   *records = build_memory_get(rows->memory, records_bytes);
	BuildQueue	queue;

	hnsw_arrays_format(block, graph->nnodes, shape->m, rows->seed);
	build_list_move(&rows->records, records);
	graph->arrays = hnsw_arrays_attach(block, shape->form, records, shape->record_bytes,
									   NULL);
	pg_atomic_init_u32(&queue.next, 0);
	pg_atomic_init_u32(&queue.done, 0);
	build_graph_work(&graph->arrays, hnsw_shape_params(shape), &queue, true);
}

static void
build_in_team(BuildGraph *graph, BuildRows *rows)
{
	const HnswShape *shape = rows->shape;
	char	   *block = build_team_block(graph->team);
	char	   *records = build_team_records(graph->team);

	hnsw_arrays_format(block, graph->nnodes, shape->m, rows->seed);
	build_list_move(&rows->records, records);
	graph->arrays = hnsw_arrays_attach(block, shape->form, records, shape->record_bytes,
									   build_team_lock(graph->team));
	build_team_work(graph->team, &graph->arrays);

	/* From here on this process works alone. */
	graph->arrays.lock = NULL;
}

void
build_graph_make(BuildGraph *graph, BuildRows *rows, int nworkers)
{
	const HnswShape *shape = rows->shape;
	Size		records_bytes = mul_size(rows->nodes.count, shape->record_bytes);
	size_t		block_bytes;
	HnswPlacer *placer;

	memset(graph, 0, sizeof(*graph));
	graph->nnodes = rows->nodes.count;
	core_check(hnsw_arrays_bytes(graph->nnodes, shape->m, rows->seed, &block_bytes));
	if (nworkers > 0 && graph->nnodes > 0)
		graph->team = build_team_begin(shape, rows->memory, nworkers, block_bytes,
									   records_bytes);
	if (graph->team != NULL)
		build_in_team(graph, rows);
	else
		build_alone(graph, rows, block_bytes, records_bytes);
	placer = make_placer(hnsw_shape_params(shape));
	core_check(hnsw_arrays_finish(&graph->arrays, placer));
	order_nodes(graph, rows->memory, placer);
}

void
build_graph_end(BuildGraph *graph)
{
	if (graph->team != NULL)
		build_team_end(graph->team);
}
