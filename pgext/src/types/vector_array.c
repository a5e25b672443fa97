/*
 * vector_array.c
 *	  Arrays of numbers as components of vectors, and back.
 *
 * Arrays must be one-dimensional, without NULL; their lower bound does not
 * matter. Values are rounded to float4; one too small becomes zero.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "types/vector_array.h"

static float narrow_float8(double value, const char *type);
static void read_numeric(ArrayType *array, float *values, int dim);
static ArrayType *new_array(int dim, Oid elemtype, Size elemsize);

int
vector_array_dim(ArrayType *array)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array must be one-dimensional")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array must not contain nulls")));
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

void
vector_array_read(ArrayType *array, float *values, int dim, const VectorType *type)
{
	char	   *data = ARR_DATA_PTR(array);

	switch (ARR_ELEMTYPE(array))
	{
		case FLOAT4OID:
			memcpy(values, data, sizeof(float4) * dim);
			break;
		case FLOAT8OID:
			for (int i = 0; i < dim; i++)
				values[i] = narrow_float8(((float8 *) data)[i], type->name);
			break;
		case INT4OID:
			for (int i = 0; i < dim; i++)
				values[i] = (float) ((int32 *) data)[i];
			break;
		case NUMERICOID:
			read_numeric(array, values, dim);
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("cannot cast array of type %s to %s",
							format_type_be(ARR_ELEMTYPE(array)), type->name)));
	}
}

ArrayType *
vector_array_float4(const float *values, int dim)
{
	ArrayType  *array = new_array(dim, FLOAT4OID, sizeof(float4));

	memcpy(ARR_DATA_PTR(array), values, sizeof(float4) * dim);
	return array;
}

ArrayType *
vector_array_float8(const float *values, int dim)
{
	ArrayType  *array = new_array(dim, FLOAT8OID, sizeof(float8));
	float8	   *data = (float8 *) ARR_DATA_PTR(array);

	for (int i = 0; i < dim; i++)
		data[i] = values[i];
	return array;
}

/* Rounds as the cast of a single float4 does. */
ArrayType *
vector_array_int4(const float *values, int dim)
{
	ArrayType  *array = new_array(dim, INT4OID, sizeof(int32));
	int32	   *data = (int32 *) ARR_DATA_PTR(array);

	for (int i = 0; i < dim; i++)
	{
		float		rounded = rintf(values[i]);

		if (unlikely(!FLOAT4_FITS_IN_INT32(rounded)))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("integer out of range")));
		data[i] = (int32) rounded;
	}
	return array;
}

/* NaN and infinity pass. */
static float
narrow_float8(double value, const char *type)
{
	float		result = (float) value;

	if (unlikely(isinf(result)) && !isinf(value))
	{
		char	   *text = DatumGetCString(DirectFunctionCall1(float8out,
															   Float8GetDatum(value)));

		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("\"%s\" is out of range for type %s", text, type)));
	}
	return result;
}

static void
read_numeric(ArrayType *array, float *values, int dim)
{
	Datum	   *elems;
	int			n;

	deconstruct_array(array, NUMERICOID, -1, false, TYPALIGN_INT,
					  &elems, NULL, &n);
	Assert(n == dim);
	for (int i = 0; i < dim; i++)
		values[i] = DatumGetFloat4(DirectFunctionCall1(numeric_float4,
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
