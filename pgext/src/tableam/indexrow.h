/*
 * indexrow.h
 *	  From a table row to the values an index holds for it.
 */
#ifndef INDEXROW_H
#define INDEXROW_H

#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "pg_config_manual.h"
#include "utils/relcache.h"

typedef struct IndexRow
{
	IndexInfo  *info;
	EState	   *estate;
	ExprContext *econtext;
	ExprState  *predicate;		/* NULL unless the index is partial */
	TupleTableSlot *slot;		/* the row; a buffer slot, filled by a scan */
	Datum		values[INDEX_MAX_KEYS];
	bool		isnull[INDEX_MAX_KEYS];
} IndexRow;

/* Expressions and predicate are prepared in an executor state of their own. */
extern void indexrow_begin(IndexRow *row, Relation rel, IndexInfo *info);

/*
 * Computes values and isnull from the row in the slot; false when a partial
 * index leaves the row out. By-reference results live until the next call.
 */
extern bool indexrow_form(IndexRow *row);

/* Frees everything and forgets the states that info points to. */
extern void indexrow_end(IndexRow *row);

#endif							/* INDEXROW_H */
