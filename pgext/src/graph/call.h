/*
 * call.h
 *	  The graph functions as data, and how one is called.
 */
#ifndef GRAPH_CALL_H
#define GRAPH_CALL_H

#include "fmgr.h"

#include "graph/engine.h"

/* Columns of a result: keys, then payload and distance of a ranking function,
 * embedding and payload of sorted_heap_expand_ids. */
#define GRAPH_RESULT_NATTS 5
#define GRAPH_RESULT_DISTANCE 5
#define GRAPH_RESULT_EMBEDDING 4
#define GRAPH_RESULT_PAYLOAD 5

typedef struct GraphFunction
{
	const char *name;
	PGFunction	entry;			/* called from SQL */
	GraphSeeds	seeds;
	GraphScore	score;			/* read() may choose another */
	int			required;		/* bit i: a null argument i means no rows */
	int			top_k;			/* number of the argument top_k; -1: gives all
								 * rows, unranked */
	void		(*read) (FunctionCallInfo fcinfo, GraphCall *call);
} GraphFunction;

/* Does the function rank, or give the rows of one hop as they come? */
static inline bool
graph_function_ranks(const GraphFunction *function)
{
	return function->top_k >= 0;
}

/* The graph function with this entry point, or NULL. */
extern const GraphFunction *graph_function(PGFunction entry);

/*
 * Read and check the arguments into a call, allocated in the current memory
 * context; false when a null among them means no rows. fcinfo->flinfo must
 * name the SQL function.
 */
extern bool graph_call_read(const GraphFunction *function,
							FunctionCallInfo fcinfo, GraphCall *call);

/* The columns of a result row. */
extern void graph_row_values(const GraphRow *row, Datum *values, bool *nulls);

/*
 * Of an expansion; what was not wanted of the row is null. A stored hsvec is
 * widened into the current memory context.
 */
extern void graph_fact_values(const FactRow *row, Datum *values, bool *nulls);

extern Datum sorted_heap_expand_ids(PG_FUNCTION_ARGS);
extern Datum sorted_heap_expand_rerank(PG_FUNCTION_ARGS);
extern Datum sorted_heap_expand_twohop_rerank(PG_FUNCTION_ARGS);
extern Datum sorted_heap_expand_twohop_path_rerank(PG_FUNCTION_ARGS);
extern Datum sorted_heap_expand_multihop_rerank(PG_FUNCTION_ARGS);
extern Datum sorted_heap_expand_multihop_path_rerank(PG_FUNCTION_ARGS);
extern Datum sorted_heap_graph_rag_scan(PG_FUNCTION_ARGS);
extern Datum sorted_heap_graph_rag_twohop_scan(PG_FUNCTION_ARGS);
extern Datum sorted_heap_graph_rag_twohop_path_scan(PG_FUNCTION_ARGS);
extern Datum sorted_heap_graph_rag(PG_FUNCTION_ARGS);

#endif							/* GRAPH_CALL_H */
