/*
 * hsvec.c
 *	  Ways in and out of hsvec (text, binary, type modifier) and the checks that
 *	  every other way in uses.
 *
 * Layout: varlena header, int16 dim, int16 zero, dim halves; the same as
 * pgvector's halfvec, in memory and on the wire.
 *
 * Text is read as float4 and rounded to half precision, and written as the
 * float4 of the same value, both as pgvector does: one text serves both types.
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "dist.h"
#include "types/hsvec.h"
#include "types/vector_text.h"

StaticAssertDecl(offsetof(Hsvec, x) == 8, "hsvec layout must match halfvec's");
StaticAssertDecl(HSVEC_MAX_DIM <= PG_INT16_MAX, "dim must fit its field");

PG_FUNCTION_INFO_V1(hsvec_in);
PG_FUNCTION_INFO_V1(hsvec_out);
PG_FUNCTION_INFO_V1(hsvec_typmod_in);
PG_FUNCTION_INFO_V1(hsvec_typmod_out);
PG_FUNCTION_INFO_V1(hsvec_recv);
PG_FUNCTION_INFO_V1(hsvec_send);

static const VectorText hsvec_text = {"hsvec", HSVEC_MAX_DIM, HALF_OVERFLOW};

static pg_noinline void refuse_component(float value);

Hsvec *
hsvec_new(int dim)
{
	Hsvec	   *v;

	Assert(dim >= 1 && dim <= HSVEC_MAX_DIM);
	v = (Hsvec *) palloc0(HSVEC_SIZE(dim));
	SET_VARSIZE(v, HSVEC_SIZE(dim));
	v->dim = (int16) dim;
	return v;
}

void
hsvec_check_dim(int dim)
{
	if (dim < 1)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("hsvec must have at least 1 dimension")));
	if (dim > HSVEC_MAX_DIM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("hsvec cannot have more than %d dimensions",
						HSVEC_MAX_DIM)));
}

void
hsvec_check_typmod(int32 typmod, int dim)
{
	if (typmod != -1 && typmod != dim)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected %d dimensions, not %d", typmod, dim)));
}

void
hsvec_check_same_dim(const Hsvec *a, const Hsvec *b)
{
	if (unlikely(a->dim != b->dim))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("different vector dimensions %d and %d",
						a->dim, b->dim)));
}

DistHalf
hsvec_component(float value)
{
	DistHalf	half = half_from_float(value);

	if (unlikely(!half_is_finite(half)))
		refuse_component(value);
	return half;
}

void
hsvec_fill(Hsvec *v, const float *values)
{
	dist_kernels()->f32_to_f16(values, v->x, v->dim);
	for (int i = 0; i < v->dim; i++)
	{
		if (unlikely(!half_is_finite(v->x[i])))
			refuse_component(values[i]);
	}
}

float *
hsvec_floats(const Hsvec *v)
{
	float	   *values = (float *) palloc(sizeof(float) * v->dim);

	dist_kernels()->f16_to_f32(v->x, values, v->dim);
	return values;
}

void
hsvec_check_datum(const Hsvec *v)
{
	Size		size = VARSIZE(v);

	if (size <= offsetof(Hsvec, x) ||
		v->dim < 1 || v->dim > HSVEC_MAX_DIM ||
		size != HSVEC_SIZE(v->dim))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid hsvec of %zu bytes", size)));
}

Datum
hsvec_in(PG_FUNCTION_ARGS)
{
	const char *lit = PG_GETARG_CSTRING(0);
	int32		typmod = PG_GETARG_INT32(2);
	int			dim = vector_text_room(&hsvec_text, lit);
	float	   *values = (float *) palloc(sizeof(float) * dim);
	Hsvec	   *v;

	if (!vector_text_read(&hsvec_text, lit, values, dim, fcinfo->context))
		return (Datum) 0;		/* the error is in the context */
	if (typmod != -1 && typmod != dim)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected %d dimensions, not %d", typmod, dim)));
	v = hsvec_new(dim);
	hsvec_fill(v, values);
	pfree(values);
	PG_RETURN_HSVEC_P(v);
}

Datum
hsvec_out(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);
	float	   *values = hsvec_floats(v);
	char	   *result = vector_text_write(values, v->dim);

	pfree(values);
	PG_FREE_IF_COPY(v, 0);
	PG_RETURN_CSTRING(result);
}

Datum
hsvec_typmod_in(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int			n;
	int32	   *typmods = ArrayGetIntegerTypmods(array, &n);

	if (n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid type modifier")));
	if (typmods[0] < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dimensions for type hsvec must be at least 1")));
	if (typmods[0] > HSVEC_MAX_DIM)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dimensions for type hsvec cannot exceed %d",
						HSVEC_MAX_DIM)));
	PG_RETURN_INT32(typmods[0]);
}

Datum
hsvec_typmod_out(PG_FUNCTION_ARGS)
{
	int32		typmod = PG_GETARG_INT32(0);

	if (typmod < 0)
		PG_RETURN_CSTRING(pstrdup(""));
	PG_RETURN_CSTRING(psprintf("(%d)", typmod));
}

Datum
hsvec_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int32		typmod = PG_GETARG_INT32(2);
	int			dim = (int16) pq_getmsgint(buf, sizeof(int16));
	int			unused = (int16) pq_getmsgint(buf, sizeof(int16));
	Hsvec	   *v;

	hsvec_check_dim(dim);
	hsvec_check_typmod(typmod, dim);
	if (unused != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("expected unused field of hsvec to be 0, not %d",
						unused)));

	v = hsvec_new(dim);
	for (int i = 0; i < dim; i++)
	{
		v->x[i] = (DistHalf) pq_getmsgint(buf, sizeof(int16));
		if (unlikely(!half_is_finite(v->x[i])))
			refuse_component(half_to_float(v->x[i]));
	}
	PG_RETURN_HSVEC_P(v);
}

Datum
hsvec_send(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);
	StringInfoData buf;

	pq_begintypsend(&buf);
	enlargeStringInfo(&buf, HSVEC_SIZE(v->dim));
	pq_sendint16(&buf, v->dim);
	pq_sendint16(&buf, v->unused);
	for (int i = 0; i < v->dim; i++)
		pq_sendint16(&buf, v->x[i]);

	PG_FREE_IF_COPY(v, 0);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/* The error for a value that no component can hold. */
static pg_noinline void
refuse_component(float value)
{
	char	   *text;

	if (isnan(value))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("NaN not allowed in hsvec")));
	if (isinf(value))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("infinite value not allowed in hsvec")));
	text = DatumGetCString(DirectFunctionCall1(float4out, Float4GetDatum(value)));

	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("\"%s\" is out of range for type %s", text, "hsvec")));
}
