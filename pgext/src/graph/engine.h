/*
 * engine.h
 *	  One engine behind all graph functions: seeds, hops, score, best k.
 *
 * Knows nothing of SQL functions: a call is a struct, a result is an array, so
 * that a planner node can run it as well.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "graph/facts.h"
#include "graph/stats.h"
#include "types/svec.h"

typedef enum GraphSeeds
{
	GRAPH_SEEDS_GIVEN,			/* entity ids from the caller */
	GRAPH_SEEDS_ENTITY,			/* entities of the rows nearest to the query */
	GRAPH_SEEDS_TARGET			/* targets of the rows nearest to the query */
} GraphSeeds;

typedef enum GraphScore
{
	GRAPH_SCORE_ENDPOINT,		/* distance of the last hop's row */
	GRAPH_SCORE_PATH			/* sum of the best distances along the path */
} GraphScore;

#define GRAPH_MAX_HOPS 64

typedef struct GraphCall
{
	const char *api;			/* the caller's name, for the statistics */
	Oid			relid;
	Oid			home;			/* schema of the extension */
	const Svec *query;			/* NULL only for graph_expand */
	GraphSeeds	seeds;
	const int32 *seed_ids;		/* GRAPH_SEEDS_GIVEN: any order, duplicates */
	size_t		nseed_ids;
	uint32		ann_k;			/* else: how many nearest rows give seeds */
	bool		seed_hop1;		/* only rows of the first hop's relation do */
	const FactFilter *hops;		/* one filter per hop */
	int			nhops;			/* 1 .. GRAPH_MAX_HOPS */
	GraphScore	score;
	uint32		top_k;			/* >= 1 */
	uint64		limit_rows;		/* per hop; 0 = no limit */
} GraphCall;

typedef struct GraphRow
{
	FactKey		key;
	Datum		payload;
	bool		payload_null;
	double		distance;
} GraphRow;

/* Rows best first, allocated in the caller's memory context. */
typedef struct GraphResult
{
	GraphRow   *rows;
	uint32		nrows;
} GraphResult;

/* Seeds, hops, ranking. */
extern void graph_rank(const GraphCall *call, GraphResult *result);

/* One hop from given seeds, whole rows to the sink, unranked. */
extern void graph_expand(const GraphCall *call, FactSink sink, void *state);

/*
 * The same, row by row at the caller's pace, with what is wanted of each. A
 * stream keeps the table open and up to nine of its pages pinned, and lives in
 * the memory context current at open; the snapshot must stay registered.
 */
typedef struct GraphStream GraphStream;

extern GraphStream *graph_stream_open(const GraphCall *call, Snapshot snapshot,
									  FactWant want);

/* The next row, good until the one after it; NULL when there are no more. */
extern const FactRow *graph_stream_next(GraphStream *stream);

/* What the call did so far. */
extern const GraphStats *graph_stream_stats(GraphStream *stream);

/* Ends the call and records it. Not called after an error. */
extern void graph_stream_close(GraphStream *stream);

#endif							/* ENGINE_H */
