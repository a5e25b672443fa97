/*
 * vector_agg.h
 *	  The state of avg and sum over vectors of any element type.
 *
 * A float8 array, first the number of vectors, then the sums of their
 * components; {0} before the first one. Anybody can call the functions with an
 * array of their own, so its shape is checked each time. Inside an aggregate
 * the state is ours to change in place; only the first vector, which fixes the
 * dimensions, makes a new array.
 */
#ifndef VECTOR_AGG_H
#define VECTOR_AGG_H

#include "fmgr.h"
#include "utils/array.h"

#include "types/vector.h"

/* A state, looked at. */
typedef struct VectorAgg
{
	ArrayType  *array;
	int			dim;			/* 0 before the first vector */
	float8	   *count;
	float8	   *sums;
} VectorAgg;

/* The state in an argument of an aggregate over `type`; error unless one. */
extern VectorAgg vector_agg_arg(FunctionCallInfo fcinfo, int argno, const VectorType *type);

/*
 * The state to add a vector or state of `dim` components to: a new one, the
 * same, or a copy where it is not ours. Error on other dimensions.
 */
extern VectorAgg vector_agg_open(FunctionCallInfo fcinfo, VectorAgg state, int dim);

/* Both states together, as the result of a combine function. */
extern Datum vector_agg_combine(FunctionCallInfo fcinfo, const VectorType *type);

#endif							/* VECTOR_AGG_H */
