/*
 * columns.h
 *	  Columns after the vector: what a node keeps of them, and tests of it.
 *
 * A column's value is kept as its image (types/keyimage.h): 8 bytes of kinds
 * whose first number is exact, 16 otherwise: uuid, which both numbers tell, and
 * text, of which they are a prefix. Nulls are bits of the node. Columns lie at
 * any address.
 */
#ifndef HNSW_COLUMNS_H
#define HNSW_COLUMNS_H

#include "access/skey.h"

#include "hnsw/page.h"

/*
 * The KeyKind of an index column, counted from 1 for the first after the
 * vector. Error where the index cannot keep it: a type or a collation without
 * images, an operator class whose operators say something else than images do,
 * an INCLUDE column that could not be given back.
 */
extern int	hnsw_column_kind(Relation index, int column);

/* Images of a row's columns; values and isnull are those of the index tuple,
 * the vector first. Fetches what must be fetched. */
extern void hnsw_columns_write(const HnswShape *shape, const Datum *values,
							   const bool *isnull, char *columns, uint8 *nulls);

/*
 * The value of a column of an exact kind or of uuid, as it was written; false
 * when the kind is another one. A uuid is made in the current memory context.
 */
extern bool hnsw_columns_get(const HnswShape *shape, int column, const char *columns,
							 uint8 nulls, Datum *value, bool *isnull);

/* The first column that holds what is no value's image, from 0; -1 when all are
 * sound. Only exact kinds and uuid tell. */
extern int	hnsw_columns_fault(const HnswShape *shape, const char *columns, uint8 nulls);

/* The conditions of a scan on these columns (conditions.c). */
typedef struct HnswConditions HnswConditions;

/*
 * Compiled in the current memory context; NULL when there are none. Keys may
 * also ask whether the vector is null, which in the index it never is. Error
 * when the shape, which is the metapage's, is not that of the catalogs.
 */
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
