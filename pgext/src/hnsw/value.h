/*
 * value.h
 *	  The indexed column: its type and metric, and from a datum to floats.
 */
#ifndef HNSW_VALUE_H
#define HNSW_VALUE_H

#include "fmgr.h"
#include "utils/relcache.h"

#include "hnsw/shape.h"

/*
 * Type and metric by the operator class of the first column, whose support
 * function is one of our distance functions; an error when it is not.
 */
extern void hnsw_value_of_index(Relation index, HnswType *type, DistMetric *metric);

/*
 * The components of a value, fetched where it must be: in `room`, which holds
 * dim floats, or where they are. Error when it has other dimensions. Takes
 * memory of the current context, and may process invalidations.
 */
extern const float *hnsw_value_floats(const HnswShape *shape, Datum value, float *room);

/*
 * The components as halves, for the refine space. Those of an svec under cosine
 * are scaled to norm 1 first, so that none is lost; otherwise a component beyond
 * the range of halves becomes infinite, and so does not bound the distance.
 */
extern void hnsw_value_halves(const HnswShape *shape, const float *floats, void *halves);

/*
 * Exact distance of a row's value from a query: as the SQL operator gives it,
 * NaN where there is none.
 */
extern double hnsw_value_distance(const HnswShape *shape, const DistQuery *query, Datum value);

#endif							/* HNSW_VALUE_H */
