/*
 * hsvec_cast.c
 *	  Casts between hsvec, svec and arrays of numbers, and the cast of hsvec to
 *	  itself that enforces a type modifier.
 *
 * Values are rounded to half precision; one beyond its range is an error, one
 * too small becomes zero.
 */
#include "postgres.h"

#include "dist.h"
#include "types/hsvec.h"
#include "types/svec.h"
#include "types/vector_array.h"

PG_FUNCTION_INFO_V1(hsvec);
PG_FUNCTION_INFO_V1(array_to_hsvec);
PG_FUNCTION_INFO_V1(svec_to_hsvec);
PG_FUNCTION_INFO_V1(hsvec_to_svec);
PG_FUNCTION_INFO_V1(hsvec_to_float4);
PG_FUNCTION_INFO_V1(hsvec_to_float8);
PG_FUNCTION_INFO_V1(hsvec_to_int4);

Datum
hsvec(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);

	hsvec_check_typmod(PG_GETARG_INT32(1), v->dim);
	PG_RETURN_HSVEC_P(v);
}

Datum
array_to_hsvec(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int			dim = vector_array_dim(array);
	float	   *values;
	Hsvec	   *v;

	hsvec_check_dim(dim);
	hsvec_check_typmod(PG_GETARG_INT32(1), dim);

	values = (float *) palloc(sizeof(float) * dim);
	vector_array_read(array, values, dim, "hsvec");
	v = hsvec_new(dim);
	hsvec_fill(v, values);
	pfree(values);
	PG_RETURN_HSVEC_P(v);
}

Datum
svec_to_hsvec(PG_FUNCTION_ARGS)
{
	Svec	   *from = PG_GETARG_SVEC_P(0);
	Hsvec	   *v;

	hsvec_check_typmod(PG_GETARG_INT32(1), from->dim);
	v = hsvec_new(from->dim);
	hsvec_fill(v, from->x);
	PG_RETURN_HSVEC_P(v);
}

Datum
hsvec_to_svec(PG_FUNCTION_ARGS)
{
	Hsvec	   *from = PG_GETARG_HSVEC_P(0);
	Svec	   *v;

	svec_check_dim(from->dim);
	svec_check_typmod(PG_GETARG_INT32(1), from->dim);
	v = svec_new(from->dim);
	dist_kernels()->f16_to_f32(from->x, v->x, v->dim);
	PG_RETURN_SVEC_P(v);
}

Datum
hsvec_to_float4(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);

	PG_RETURN_ARRAYTYPE_P(vector_array_float4(hsvec_floats(v), v->dim));
}

Datum
hsvec_to_float8(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);

	PG_RETURN_ARRAYTYPE_P(vector_array_float8(hsvec_floats(v), v->dim));
}

Datum
hsvec_to_int4(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);

	PG_RETURN_ARRAYTYPE_P(vector_array_int4(hsvec_floats(v), v->dim));
}
