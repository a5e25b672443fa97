/*
 * hsvec.c
 *	  The component of hsvec, and the functions of vector_template.h for it.
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
#include "utils/builtins.h"

#include "compat.h"
#include "dist.h"
#include "types/hsvec.h"
#include "types/vector.h"

StaticAssertDecl(offsetof(Hsvec, x) == 8, "hsvec layout must match halfvec's");
StaticAssertDecl(HSVEC_MAX_DIM <= PG_INT16_MAX, "dim must fit its field");

#define VECTOR hsvec
#define DISTANCE dist_f16
#define NORM dist_norm_f16
#define DATUM_TO_VECTOR DatumGetHsvecP
#define fill hsvec_fill

typedef Hsvec Vector;
typedef DistHalf Component;

static const VectorType type = {"hsvec", HSVEC_MAX_DIM, sizeof(DistHalf), HALF_OVERFLOW};

static inline float
value_of(DistHalf component)
{
	return half_to_float(component);
}

static inline DistHalf
rounded(float value)
{
	return half_from_float(value);
}

static inline bool
is_finite(DistHalf component)
{
	return half_is_finite(component);
}

static inline DistHalf
unsigned_zero(DistHalf component)
{
	return component == HALF_SIGN ? 0 : component;
}

/* The error for a value that no component can hold. */
static pg_noinline void
refuse(float value)
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

/* The component nearest to a value, or the error for that value. */
static inline DistHalf
checked(DistHalf component, float value)
{
	if (unlikely(!half_is_finite(component)))
		refuse(value);
	return component;
}

static inline DistHalf
receive(StringInfo buf)
{
	DistHalf	half = (DistHalf) pq_getmsgint(buf, sizeof(int16));

	return checked(half, half_to_float(half));
}

static inline void
transmit(StringInfo buf, DistHalf component)
{
	pq_sendint16(buf, component);
}

void
hsvec_fill(Hsvec *v, const float *values)
{
	dist_kernels()->f32_to_f16(values, v->x, v->dim);
	for (int i = 0; i < v->dim; i++)
		checked(v->x[i], values[i]);
}

static float *
values_of(const Hsvec *v)
{
	float	   *values = (float *) palloc(sizeof(float) * v->dim);

	dist_kernels()->f16_to_f32(v->x, values, v->dim);
	return values;
}

static inline DistHalf
of_quotient(double value)
{
	return checked(half_from_float((float) value), (float) value);
}

#include "types/vector_template.h"
