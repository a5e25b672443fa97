/*
 * arguments.h
 *	  SQL arguments of the graph functions: read, checked, named in errors.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "fmgr.h"
#include "graph/engine.h"

/* An integer that must be at least 1. */
extern uint32 arg_count(FunctionCallInfo fcinfo, int n, const char *name);

/* An integer that must not be negative; null means 0. */
extern uint64 arg_limit(FunctionCallInfo fcinfo, int n);

/* A relation, or null for any. */
extern FactFilter arg_filter(FunctionCallInfo fcinfo, int n,
							 const char *name);

/* 'none' or 'hop1' (true); null means 'none'. */
extern bool arg_seed_filter(FunctionCallInfo fcinfo, int n);

/* 'path' or 'endpoint', in any case, blanks around it; null means 'path'. */
extern GraphScore arg_score_mode(FunctionCallInfo fcinfo, int n);

/* Entity ids, nulls left out, into call->seed_ids. */
extern void arg_seeds(FunctionCallInfo fcinfo, int n, GraphCall *call);

/* One filter per hop, null for any relation, into call->hops. */
extern void arg_path(FunctionCallInfo fcinfo, int n, GraphCall *call);

#endif							/* ARGUMENTS_H */
