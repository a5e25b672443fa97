/*
 * columns.h
 *	  Columns after the vector: what a node keeps of them, and tests of it.
 *
 * A column's value is kept as its image: 8 bytes for kinds whose images are
 * exact, 16 otherwise (uuid, where they are exact together, and text, where
 * they are a prefix). Nulls are bits of the node.
 */
#ifndef HNSW_COLUMNS_H
#define HNSW_COLUMNS_H

#include "access/skey.h"

#include "hnsw/page.h"

/* The kind of an index column, counted from 1 for the first after the vector;
 * error where the index cannot keep it. */
extern int	hnsw_column_kind(Relation index, int column);

/* Images of a row's columns; values and isnull are those of the index tuple,
 * the vector first. Fetches what must be fetched. */
extern void hnsw_columns_write(const HnswShape *shape, const Datum *values,
							   const bool *isnull, char *columns, uint8 *nulls);

/* The conditions of a scan on these columns. */
typedef struct HnswConditions HnswConditions;

/* Compiled in the current memory context; NULL when there are none. */
extern HnswConditions *hnsw_conditions_make(const HnswShape *shape, Relation index,
											ScanKey keys, int nkeys);

/* No row meets them, whatever it is. */
extern bool hnsw_conditions_impossible(const HnswConditions *conditions);

/* Images do not decide alone: the executor must test the row again. */
extern bool hnsw_conditions_lossy(const HnswConditions *conditions);

/* May a node's row meet them? Looks at the page alone. */
extern bool hnsw_conditions_meet(const HnswConditions *conditions,
								 const char *columns, uint8 nulls);

#endif							/* HNSW_COLUMNS_H */
