/*
 * svec_cast.c
 *	  Casts between svec and arrays of numbers, and the cast of svec to itself
 *	  that enforces a type modifier.
 *
 * Arrays must be one-dimensional, without NULL, NaN and infinity; their lower
 * bound does not matter. Values are rounded to float4; one beyond its range is
 * an error, one too small becomes zero.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "types/svec.h"

PG_FUNCTION_INFO_V1(svec);
PG_FUNCTION_INFO_V1(array_to_svec);
PG_FUNCTION_INFO_V1(svec_to_float4);
PG_FUNCTION_INFO_V1(svec_to_float8);
PG_FUNCTION_INFO_V1(svec_to_int4);

static float narrow_float8(double value);
static void fill_from_numeric(Svec *v, ArrayType *array);
static ArrayType *new_array(int dim, Oid elemtype, Size elemsize);

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
	int			dim = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	char	   *data;
	Svec	   *v;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array must be one-dimensional")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array must not contain nulls")));
	svec_check_dim(dim);
	svec_check_typmod(PG_GETARG_INT32(1), dim);

	v = svec_new(dim);
	data = ARR_DATA_PTR(array);
	switch (ARR_ELEMTYPE(array))
	{
		case FLOAT4OID:
			memcpy(v->x, data, sizeof(float4) * dim);
			break;
		case FLOAT8OID:
			for (int i = 0; i < dim; i++)
				v->x[i] = narrow_float8(((float8 *) data)[i]);
			break;
		case INT4OID:
			for (int i = 0; i < dim; i++)
				v->x[i] = (float) ((int32 *) data)[i];
			break;
		case NUMERICOID:
			fill_from_numeric(v, array);
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("cannot cast array of type %s to svec",
							format_type_be(ARR_ELEMTYPE(array)))));
	}
	for (int i = 0; i < dim; i++)
		svec_check_component(v->x[i]);
	PG_RETURN_SVEC_P(v);
}

Datum
svec_to_float4(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);
	ArrayType  *array = new_array(v->dim, FLOAT4OID, sizeof(float4));

	memcpy(ARR_DATA_PTR(array), v->x, sizeof(float4) * v->dim);
	PG_RETURN_ARRAYTYPE_P(array);
}

Datum
svec_to_float8(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);
	ArrayType  *array = new_array(v->dim, FLOAT8OID, sizeof(float8));
	float8	   *data = (float8 *) ARR_DATA_PTR(array);

	for (int i = 0; i < v->dim; i++)
		data[i] = v->x[i];
	PG_RETURN_ARRAYTYPE_P(array);
}

/* Rounds to nearest, ties to even, as the cast of a single float4 does. */
Datum
svec_to_int4(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);
	ArrayType  *array = new_array(v->dim, INT4OID, sizeof(int32));
	int32	   *data = (int32 *) ARR_DATA_PTR(array);

	for (int i = 0; i < v->dim; i++)
	{
		float		rounded = rintf(v->x[i]);

		if (unlikely(!FLOAT4_FITS_IN_INT32(rounded)))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("integer out of range")));
		data[i] = (int32) rounded;
	}
	PG_RETURN_ARRAYTYPE_P(array);
}

/* NaN and infinity pass, for the check of components to name them. */
static float
narrow_float8(double value)
{
	float		result = (float) value;

	if (unlikely(isinf(result)) && !isinf(value))
	{
		char	   *text = DatumGetCString(DirectFunctionCall1(float8out,
															   Float8GetDatum(value)));

		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("\"%s\" is out of range for type %s", text, "svec")));
	}
	return result;
}

static void
fill_from_numeric(Svec *v, ArrayType *array)
{
	Datum	   *elems;
	int			n;

	deconstruct_array(array, NUMERICOID, -1, false, TYPALIGN_INT,
					  &elems, NULL, &n);
	Assert(n == v->dim);
	for (int i = 0; i < n; i++)
		v->x[i] = DatumGetFloat4(DirectFunctionCall1(numeric_float4,
													 elems[i]));
	pfree(elems);
}

/* A one-dimensional array without nulls, its elements still zero. */
static ArrayType *
new_array(int dim, Oid elemtype, Size elemsize)
{
	Size		size = ARR_OVERHEAD_NONULLS(1) + elemsize * dim;
	ArrayType  *array = (ArrayType *) palloc0(size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = elemtype;
	ARR_DIMS(array)[0] = dim;
	ARR_LBOUND(array)[0] = 1;
	return array;
}
