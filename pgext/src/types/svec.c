/*
 * svec.c
 *	  The component of svec, and the functions of vector_template.h for it.
 *
 * Layout: varlena header, int16 dim, int16 zero, dim floats; the same as
 * pgvector's vector, in memory and on the wire.
 *
 * Text is strict: decimal numbers only, one between any two commas. What
 * underflows becomes zero, what overflows is an error. Errors of the text form
 * are soft where the server asks for that (16 and later).
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "utils/float.h"

#include "compat.h"
#include "dist.h"
#include "types/svec.h"
#include "types/vector.h"

StaticAssertDecl(offsetof(Svec, x) == 8, "svec layout must match vector's");
StaticAssertDecl(SVEC_MAX_DIM <= PG_INT16_MAX, "dim must fit its field");

#define VECTOR svec
#define DISTANCE dist_f32
#define NORM dist_norm_f32
#define DATUM_TO_VECTOR DatumGetSvecP

typedef Svec Vector;
typedef float Component;

static const VectorType type = {"svec", SVEC_MAX_DIM, sizeof(float), INFINITY};

static inline float
value_of(float component)
{
	return component;
}

static inline float
rounded(float value)
{
	return value;
}

static inline bool
is_finite(float component)
{
	return isfinite(component);
}

static inline float
unsigned_zero(float component)
{
	return component == 0.0f ? 0.0f : component;
}

static inline float
checked(float component)
{
	if (unlikely(!isfinite(component)))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 isnan(component) ?
				 errmsg("NaN not allowed in svec") :
				 errmsg("infinite value not allowed in svec")));
	return component;
}

static inline float
receive(StringInfo buf)
{
	return checked(pq_getmsgfloat4(buf));
}

static inline void
transmit(StringInfo buf, float component)
{
	pq_sendfloat4(buf, component);
}

static void
fill(Svec *v, const float *values)
{
	for (int i = 0; i < v->dim; i++)
		v->x[i] = checked(values[i]);
}

static inline float *
values_of(Svec *v)
{
	return v->x;
}

static inline float
of_quotient(double value)
{
	float		component = (float) value;

	if (unlikely(isinf(component)) && !isinf(value))
		float_overflow_error();
	return checked(component);
}

#include "types/vector_template.h"
