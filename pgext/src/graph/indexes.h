/*
 * indexes.h
 *	  Which indexes of a facts table find rows by entity.
 */
#ifndef GRAPH_INDEXES_H
#define GRAPH_INDEXES_H

#include "graph/columns.h"
#include "utils/snapshot.h"

typedef struct FactIndexes
{
	Relation	btree;			/* or NULL */
	bool		relation_key;	/* the btree's second column is the relation */
	Relation	zone;			/* a zone map, or NULL */
} FactIndexes;

/*
 * Choose and open what sorted_heap.graph_access allows; at least one of the two
 * is there on return, else it is an error.
 */
extern void indexes_open(FactIndexes *indexes, Relation rel,
						 const FactColumns *columns, Snapshot snapshot);

/* Locks stay until the end of the transaction. */
extern void indexes_close(FactIndexes *indexes);

#endif							/* GRAPH_INDEXES_H */
