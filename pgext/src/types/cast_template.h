/*
 * cast_template.h
 *	  Casts between a vector type and arrays of numbers, and the cast to itself
 *	  that enforces a type modifier. Part of vector_template.h.
 */
#include "types/vector_array.h"

#define ARRAY_TO_VECTOR NAME2(array_to_, VECTOR)

PG_FUNCTION_INFO_V1(VECTOR);
PG_FUNCTION_INFO_V1(ARRAY_TO_VECTOR);
PG_FUNCTION_INFO_V1(FN(to_float4));
PG_FUNCTION_INFO_V1(FN(to_float8));
PG_FUNCTION_INFO_V1(FN(to_int4));

Datum
VECTOR(PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);

	vector_check_typmod(PG_GETARG_INT32(1), v->dim);
	PG_RETURN_POINTER(v);
}

Datum
ARRAY_TO_VECTOR(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int			dim = vector_array_dim(array);
	float	   *values;
	Vector	   *v;

	vector_check_dim(&type, dim);
	vector_check_typmod(PG_GETARG_INT32(1), dim);

	values = (float *) palloc(sizeof(float) * dim);
	vector_array_read(array, values, dim, &type);
	v = FN(new) (dim);
	fill(v, values);
	pfree(values);
	PG_RETURN_POINTER(v);
}

Datum
FN(to_float4) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);

	PG_RETURN_ARRAYTYPE_P(vector_array_float4(values_of(v), v->dim));
}

Datum
FN(to_float8) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);

	PG_RETURN_ARRAYTYPE_P(vector_array_float8(values_of(v), v->dim));
}

Datum
FN(to_int4) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);

	PG_RETURN_ARRAYTYPE_P(vector_array_int4(values_of(v), v->dim));
}
