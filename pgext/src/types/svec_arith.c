/*
 * svec_arith.c
 *	  Componentwise operators and the functions that make one svec of another.
 *
 * A result that would leave the range of float4 is an error, as is a product
 * that vanishes though neither factor is zero.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "dist.h"
#include "types/svec.h"

PG_FUNCTION_INFO_V1(svec_add);
PG_FUNCTION_INFO_V1(svec_sub);
PG_FUNCTION_INFO_V1(svec_mul);
PG_FUNCTION_INFO_V1(svec_concat);
PG_FUNCTION_INFO_V1(svec_subvector);
PG_FUNCTION_INFO_V1(svec_l2_normalize);
PG_FUNCTION_INFO_V1(svec_norm);
PG_FUNCTION_INFO_V1(svec_dims);

static void check_no_overflow(const Svec *v);

Datum
svec_add(PG_FUNCTION_ARGS)
{
	Svec	   *a = PG_GETARG_SVEC_P(0);
	Svec	   *b = PG_GETARG_SVEC_P(1);
	Svec	   *result;

	svec_check_same_dim(a, b);
	result = svec_new(a->dim);
	for (int i = 0; i < a->dim; i++)
		result->x[i] = a->x[i] + b->x[i];
	check_no_overflow(result);
	PG_RETURN_SVEC_P(result);
}

Datum
svec_sub(PG_FUNCTION_ARGS)
{
	Svec	   *a = PG_GETARG_SVEC_P(0);
	Svec	   *b = PG_GETARG_SVEC_P(1);
	Svec	   *result;

	svec_check_same_dim(a, b);
	result = svec_new(a->dim);
	for (int i = 0; i < a->dim; i++)
		result->x[i] = a->x[i] - b->x[i];
	check_no_overflow(result);
	PG_RETURN_SVEC_P(result);
}

Datum
svec_mul(PG_FUNCTION_ARGS)
{
	Svec	   *a = PG_GETARG_SVEC_P(0);
	Svec	   *b = PG_GETARG_SVEC_P(1);
	Svec	   *result;

	svec_check_same_dim(a, b);
	result = svec_new(a->dim);
	for (int i = 0; i < a->dim; i++)
		result->x[i] = a->x[i] * b->x[i];
	check_no_overflow(result);
	for (int i = 0; i < a->dim; i++)
	{
		if (result->x[i] == 0.0f && a->x[i] != 0.0f && b->x[i] != 0.0f)
			float_underflow_error();
	}
	PG_RETURN_SVEC_P(result);
}

Datum
svec_concat(PG_FUNCTION_ARGS)
{
	Svec	   *a = PG_GETARG_SVEC_P(0);
	Svec	   *b = PG_GETARG_SVEC_P(1);
	int			dim = a->dim + b->dim;
	Svec	   *result;

	svec_check_dim(dim);
	result = svec_new(dim);
	memcpy(result->x, a->x, sizeof(float) * a->dim);
	memcpy(result->x + a->dim, b->x, sizeof(float) * b->dim);
	PG_RETURN_SVEC_P(result);
}

/*
 * Components start .. start + count - 1, counted from 1; what lies outside
 * the vector is left out, as substring() does.
 */
Datum
svec_subvector(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);
	int64		start = PG_GETARG_INT32(1);
	int64		end = start + PG_GETARG_INT32(2);
	Svec	   *result;

	start = Max(start, 1);
	end = Min(end, (int64) v->dim + 1);
	if (end <= start)
		svec_check_dim(0);

	result = svec_new((int) (end - start));
	memcpy(result->x, v->x + (start - 1), sizeof(float) * result->dim);
	PG_RETURN_SVEC_P(result);
}

/* The zero vector stays what it is. */
Datum
svec_l2_normalize(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);
	Svec	   *result = svec_new(v->dim);
	double		norm = dist_norm_f32(v->x, v->dim);

	if (norm > 0.0)
	{
		for (int i = 0; i < v->dim; i++)
			result->x[i] = (float) (v->x[i] / norm);
	}
	PG_RETURN_SVEC_P(result);
}

Datum
svec_norm(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);

	PG_RETURN_FLOAT8(dist_norm_f32(v->x, v->dim));
}

Datum
svec_dims(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);

	PG_RETURN_INT32(v->dim);
}

static void
check_no_overflow(const Svec *v)
{
	for (int i = 0; i < v->dim; i++)
	{
		if (unlikely(isinf(v->x[i])))
			float_overflow_error();
	}
}
