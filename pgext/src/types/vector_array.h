/*
 * vector_array.h
 *	  Arrays of numbers as components of vectors, and back.
 */
#ifndef VECTOR_ARRAY_H
#define VECTOR_ARRAY_H

#include "fmgr.h"
#include "utils/array.h"

#include "types/vector.h"

/* How many components; error unless one-dimensional and without nulls. */
extern int	vector_array_dim(ArrayType *array);

/*
 * The elements (integer, real, double precision or numeric) as floats. A finite
 * one beyond the range of float4 is an error that names the type; NaN and
 * infinity pass, for the check of components to name them.
 */
extern void vector_array_read(ArrayType *array, float *values, int dim,
							  const VectorType *type);

/* Arrays of the components. integer rounds to nearest, ties to even. */
extern ArrayType *vector_array_float4(const float *values, int dim);
extern ArrayType *vector_array_float8(const float *values, int dim);
extern ArrayType *vector_array_int4(const float *values, int dim);

#endif							/* VECTOR_ARRAY_H */
