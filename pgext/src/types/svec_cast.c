/*
 * svec_cast.c
 *	  Casts between svec and arrays of numbers, and the cast of svec to itself
 *	  that enforces a type modifier.
 */
#include "postgres.h"

#include "types/svec.h"
#include "types/vector_array.h"

PG_FUNCTION_INFO_V1(svec);
PG_FUNCTION_INFO_V1(array_to_svec);
PG_FUNCTION_INFO_V1(svec_to_float4);
PG_FUNCTION_INFO_V1(svec_to_float8);
PG_FUNCTION_INFO_V1(svec_to_int4);

Datum
svec(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);

	svec_check_typmod(PG_GETARG_INT32(1), v->dim);
	PG_RETURN_SVEC_P(v);
}

Datum
array_to_svec(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int			dim = vector_array_dim(array);
	Svec	   *v;

	svec_check_dim(dim);
	svec_check_typmod(PG_GETARG_INT32(1), dim);

	v = svec_new(dim);
	vector_array_read(array, v->x, dim, "svec");
	for (int i = 0; i < dim; i++)
		svec_check_component(v->x[i]);
	PG_RETURN_SVEC_P(v);
}

Datum
svec_to_float4(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);

	PG_RETURN_ARRAYTYPE_P(vector_array_float4(v->x, v->dim));
}

Datum
svec_to_float8(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);

	PG_RETURN_ARRAYTYPE_P(vector_array_float8(v->x, v->dim));
}

Datum
svec_to_int4(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);

	PG_RETURN_ARRAYTYPE_P(vector_array_int4(v->x, v->dim));
}
