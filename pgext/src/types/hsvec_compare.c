/*
 * hsvec_compare.c
 *	  Order and equality of hsvec: components from the left, then the number of
 *	  dimensions, as PostgreSQL orders arrays. -0 equals 0.
 *
 * Btree and hash support functions run in contexts that live long, so copies
 * made by detoasting are freed here.
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "types/hsvec.h"

PG_FUNCTION_INFO_V1(hsvec_lt);
PG_FUNCTION_INFO_V1(hsvec_le);
PG_FUNCTION_INFO_V1(hsvec_eq);
PG_FUNCTION_INFO_V1(hsvec_ne);
PG_FUNCTION_INFO_V1(hsvec_ge);
PG_FUNCTION_INFO_V1(hsvec_gt);
PG_FUNCTION_INFO_V1(hsvec_cmp);
PG_FUNCTION_INFO_V1(hsvec_hash);
PG_FUNCTION_INFO_V1(hsvec_hash_extended);

static int	compare_args(FunctionCallInfo fcinfo);
static Hsvec *without_negative_zero(const Hsvec *v);

int
hsvec_compare(const Hsvec *a, const Hsvec *b)
{
	int			dim = Min(a->dim, b->dim);

	for (int i = 0; i < dim; i++)
	{
		float		x = half_to_float(a->x[i]);
		float		y = half_to_float(b->x[i]);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return (a->dim > b->dim) - (a->dim < b->dim);
}

Datum
hsvec_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) < 0);
}

Datum
hsvec_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) <= 0);
}

Datum
hsvec_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) == 0);
}

Datum
hsvec_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) != 0);
}

Datum
hsvec_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) >= 0);
}

Datum
hsvec_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) > 0);
}

Datum
hsvec_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_args(fcinfo));
}

Datum
hsvec_hash(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);
	Hsvec	   *plain = without_negative_zero(v);
	Datum		result;

	result = hash_any((unsigned char *) plain->x, plain->dim * sizeof(DistHalf));
	pfree(plain);
	PG_FREE_IF_COPY(v, 0);
	return result;
}

Datum
hsvec_hash_extended(PG_FUNCTION_ARGS)
{
	Hsvec	   *v = PG_GETARG_HSVEC_P(0);
	uint64		seed = PG_GETARG_INT64(1);
	Hsvec	   *plain = without_negative_zero(v);
	Datum		result;

	result = hash_any_extended((unsigned char *) plain->x,
							   plain->dim * sizeof(DistHalf), seed);
	pfree(plain);
	PG_FREE_IF_COPY(v, 0);
	return result;
}

static int
compare_args(FunctionCallInfo fcinfo)
{
	Hsvec	   *a = PG_GETARG_HSVEC_P(0);
	Hsvec	   *b = PG_GETARG_HSVEC_P(1);
	int			result = hsvec_compare(a, b);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

/* A copy in which equal vectors have equal bytes. */
static Hsvec *
without_negative_zero(const Hsvec *v)
{
	Hsvec	   *copy = hsvec_new(v->dim);

	for (int i = 0; i < v->dim; i++)
		copy->x[i] = v->x[i] == HALF_SIGN ? 0 : v->x[i];
	return copy;
}
