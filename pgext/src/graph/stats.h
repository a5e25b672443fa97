/*
 * stats.h
 *	  What the last graph call of this backend did, and how long it took.
 */
#ifndef GRAPH_STATS_H
#define GRAPH_STATS_H

#include "portability/instr_time.h"

typedef enum GraphStage
{
	GRAPH_STAGE_OPEN,			/* gate, columns, indexes */
	GRAPH_STAGE_SEEDS,			/* search, and the rows that it found */
	GRAPH_STAGE_EXPAND,			/* all hops but the last */
	GRAPH_STAGE_RERANK,			/* the last hop, ranked */
	GRAPH_STAGE_PAYLOAD			/* of the rows returned */
} GraphStage;

#define GRAPH_NSTAGES 5

/* Strings are literals: a record outlives its call. */
typedef struct GraphStats
{
	const char *api;
	const char *seed_method;
	const char *seed_source;	/* where the graph was read; NULL: nowhere */
	const char *access;
	uint64		seed_count;
	uint64		seeds_compared; /* nodes of the vector index */
	uint64		seed_rows;		/* read for their exact distance */
	uint64		expanded_rows;
	uint64		reranked_rows;
	uint64		returned_rows;
	uint64		pages_read;
	double		stage_ms[GRAPH_NSTAGES];
	double		search_ms;		/* in the vector index; part of the seeds' */
	double		total_ms;
	Oid			caller;
	instr_time	start;
	instr_time	mark;			/* end of the last stage */
} GraphStats;

extern void stats_begin(GraphStats *stats, const char *api);

/* The time since the last mark belongs to this stage. */
extern void stats_mark(GraphStats *stats, GraphStage stage);

/* Publish as the last call. A call that fails is not published. */
extern void stats_end(GraphStats *stats);

/* The record of the last call that ended. */
extern const GraphStats *stats_last(void);

#endif							/* GRAPH_STATS_H */
