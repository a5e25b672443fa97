/*
 * hsvec_arith.c
 *	  Componentwise operators and the functions that make one hsvec of another.
 *
 * Components are computed in single precision and rounded once. A result that
 * would leave the range of half precision is an error, as is a product that
 * vanishes though neither factor is zero.
 */
#include "postgres.h"

#include "utils/float.h"

#include "dist.h"
#include "types/hsvec.h"

PG_FUNCTION_INFO_V1(hsvec_add);
PG_FUNCTION_INFO_V1(hsvec_sub);
PG_FUNCTION_INFO_V1(hsvec_mul);
PG_FUNCTION_INFO_V1(hsvec_concat);
PG_FUNCTION_INFO_V1(hsvec_subvector);
PG_FUNCTION_INFO_V1(hsvec_l2_normalize);
PG_FUNCTION_INFO_V1(hsvec_norm);
PG_FUNCTION_INFO_V1(hsvec_dims);

/* A component of a result whose operands are finite. */
static inline DistHalf
checked_half(float value)
{
	DistHalf	half = half_from_float(value);

	if (unlikely(!half_is_finite(half)))
		float_overflow_error();
	return half;
}

Datum
hsvec_add(PG_FUNCTION_ARGS)
{
	Hsvec	   *a = PG_GETARG_HSVEC_P(0);
	Hsvec	   *b = PG_GETARG_HSVEC_P(1);
	Hsvec	   *result;

	hsvec_check_same_dim(a, b);
	result = hsvec_new(a->dim);
	for (int i = 0; i < a->dim; i++)
		result->x[i] = checked_half(half_to_float(a->x[i]) + half_to_float(b->x[i]));
	PG_RETURN_HSVEC_P(result);
}

Datum
hsvec_sub(PG_FUNCTION_ARGS)
{
	Hsvec	   *a = PG_GETARG_HSVEC_P(0);
	Hsvec	   *b = PG_GETARG_HSVEC_P(1);
	Hsvec	   *result;

	hsvec_check_same_dim(a, b);
	result = hsvec_new(a->dim);
	for (int i = 0; i < a->dim; i++)
		result->x[i] = checked_half(half_to_float(a->x[i]) - half_to_float(b->x[i]));
	PG_RETURN_HSVEC_P(result);
}

Datum
hsvec_mul(PG_FUNCTION_ARGS)
{
	Hsvec	   *a = PG_GETARG_HSVEC_P(0);
	Hsvec	   *b = PG_GETARG_HSVEC_P(1);
	Hsvec	   *result;

	hsvec_check_same_dim(a, b);
	result = hsvec_new(a->dim);
	for (int i = 0; i < a->dim; i++)
	{
		/* exact in single precision: 22 bits, exponents far from its limits */
		float		product = half_to_float(a->x[i]) * half_to_float(b->x[i]);

		result->x[i] = checked_half(product);
		if (unlikely(product != 0.0f && half_to_float(result->x[i]) == 0.0f))
			float_underflow_error();
	}
	PG_RETURN_HSVEC_P(result);
}

Datum
hsvec_concat(PG_FUNCTION_ARGS)
{
	Hsvec	   *a = PG_GETARG_HSVEC_P(0);
	Hsvec	   *b = PG_GETARG_HSVEC_P(1);
	int			dim = a->dim + b->dim;
	Hsvec	   *result;

	hsvec_check_dim(dim);
	result = hsvec_new(dim);
	memcpy(result->x, a->x, sizeof(DistHalf) * a->dim);
	memcpy(result->x + a->dim, b->x, sizeof(DistHalf) * b->dim);
	PG_RETURN_HSVEC_P(result);
}

/*
 * Components start .. start + count - 1, counted from 1; what lies outside
 * the vector is left out, as substring() does.
 */
Datum
hsvec_subvector(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);
	int64		start = PG_GETARG_INT32(1);
	int64		end = start + PG_GETARG_INT32(2);
	Hsvec	   *result;

	start = Max(start, 1);
	end = Min(end, (int64) v->dim + 1);
	if (end <= start)
		hsvec_check_dim(0);

	result = hsvec_new((int) (end - start));
	memcpy(result->x, v->x + (start - 1), sizeof(DistHalf) * result->dim);
	PG_RETURN_HSVEC_P(result);
}

/* The zero vector stays what it is. */
Datum
hsvec_l2_normalize(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);
	Hsvec	   *result = hsvec_new(v->dim);
	double		norm = dist_norm_f16(v->x, v->dim);

	if (norm > 0.0)
	{
		for (int i = 0; i < v->dim; i++)
			result->x[i] = checked_half((float) (half_to_float(v->x[i]) / norm));
	}
	PG_RETURN_HSVEC_P(result);
}

Datum
hsvec_norm(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);

	PG_RETURN_FLOAT8(dist_norm_f16(v->x, v->dim));
}

Datum
hsvec_dims(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);

	PG_RETURN_INT32(v->dim);
}
