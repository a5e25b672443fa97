/*
 * svec_compare.c
 *	  Order and equality of svec: components from the left, then the number of
 *	  dimensions, as PostgreSQL orders arrays. -0 equals 0.
 *
 * Btree and hash support functions run in contexts that live long, so copies
 * made by detoasting are freed here.
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "types/svec.h"

PG_FUNCTION_INFO_V1(svec_lt);
PG_FUNCTION_INFO_V1(svec_le);
PG_FUNCTION_INFO_V1(svec_eq);
PG_FUNCTION_INFO_V1(svec_ne);
PG_FUNCTION_INFO_V1(svec_ge);
PG_FUNCTION_INFO_V1(svec_gt);
PG_FUNCTION_INFO_V1(svec_cmp);
PG_FUNCTION_INFO_V1(svec_hash);
PG_FUNCTION_INFO_V1(svec_hash_extended);

static int	compare_args(FunctionCallInfo fcinfo);
static Svec *without_negative_zero(const Svec *v);

int
svec_compare(const Svec *a, const Svec *b)
{
	int			dim = Min(a->dim, b->dim);

	for (int i = 0; i < dim; i++)
	{
		if (a->x[i] != b->x[i])
			return a->x[i] < b->x[i] ? -1 : 1;
	}
	return (a->dim > b->dim) - (a->dim < b->dim);
}

Datum
svec_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) < 0);
}

Datum
svec_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) <= 0);
}

Datum
svec_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) == 0);
}

Datum
svec_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) != 0);
}

Datum
svec_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) >= 0);
}

Datum
svec_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) > 0);
}

Datum
svec_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_args(fcinfo));
}

Datum
svec_hash(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);
	Svec	   *plain = without_negative_zero(v);
	Datum		result;

	result = hash_any((unsigned char *) plain->x, plain->dim * sizeof(float));
	pfree(plain);
	PG_FREE_IF_COPY(v, 0);
	return result;
}

Datum
svec_hash_extended(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);
	uint64		seed = PG_GETARG_INT64(1);
	Svec	   *plain = without_negative_zero(v);
	Datum		result;

	result = hash_any_extended((unsigned char *) plain->x,
							   plain->dim * sizeof(float), seed);
	pfree(plain);
	PG_FREE_IF_COPY(v, 0);
	return result;
}

static int
compare_args(FunctionCallInfo fcinfo)
{
	Svec	   *a = PG_GETARG_SVEC_P(0);
	Svec	   *b = PG_GETARG_SVEC_P(1);
	int			result = svec_compare(a, b);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

/* A copy in which equal vectors have equal bytes. */
static Svec *
without_negative_zero(const Svec *v)
{
	Svec	   *copy = svec_new(v->dim);

	for (int i = 0; i < v->dim; i++)
		copy->x[i] = v->x[i] == 0.0f ? 0.0f : v->x[i];
	return copy;
}
