/*
 * compare_template.h
 *	  Order and equality of a vector type: components from the left, then the
 *	  number of dimensions, as PostgreSQL orders arrays. -0 equals 0. Part of
 *	  vector_template.h.
 *
 * Btree and hash support functions run in contexts that live long, so copies
 * made by detoasting are freed here.
 */
#include "common/hashfn.h"

PG_FUNCTION_INFO_V1(FN(lt));
PG_FUNCTION_INFO_V1(FN(le));
PG_FUNCTION_INFO_V1(FN(eq));
PG_FUNCTION_INFO_V1(FN(ne));
PG_FUNCTION_INFO_V1(FN(ge));
PG_FUNCTION_INFO_V1(FN(gt));
PG_FUNCTION_INFO_V1(FN(cmp));
PG_FUNCTION_INFO_V1(FN(hash));
PG_FUNCTION_INFO_V1(FN(hash_extended));

/* Behind equal components, so many are skipped at once while their bits are
 * the same. */
#define SAME_BYTES	16
#define SAME_COUNT	(SAME_BYTES / (int) sizeof(Component))

static int
compare(const Vector *a, const Vector *b)
{
	int			dim = Min(a->dim, b->dim);

	for (int i = 0; i < dim; i++)
	{
		float		x = value_of(a->x[i]);
		float		y = value_of(b->x[i]);

		if (x != y)
			return x < y ? -1 : 1;
		while (dim - i > SAME_COUNT &&
			   memcmp(a->x + i + 1, b->x + i + 1, SAME_BYTES) == 0)
			i += SAME_COUNT;
	}
	return (a->dim > b->dim) - (a->dim < b->dim);
}

static int
compare_args(FunctionCallInfo fcinfo)
{
	Vector	   *a = GETARG_VECTOR(0);
	Vector	   *b = GETARG_VECTOR(1);
	int			result = compare(a, b);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

/* A copy in which equal vectors have equal bytes. */
static Vector *
without_negative_zero(const Vector *v)
{
	Vector	   *copy = FN(new) (v->dim);

	for (int i = 0; i < v->dim; i++)
		copy->x[i] = unsigned_zero(v->x[i]);
	return copy;
}

Datum
FN(lt) (PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) < 0);
}

Datum
FN(le) (PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) <= 0);
}

Datum
FN(eq) (PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) == 0);
}

Datum
FN(ne) (PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) != 0);
}

Datum
FN(ge) (PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) >= 0);
}

Datum
FN(gt) (PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) > 0);
}

Datum
FN(cmp) (PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_args(fcinfo));
}

Datum
FN(hash) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);
	Vector	   *plain = without_negative_zero(v);
	Datum		result;

	result = hash_any((unsigned char *) plain->x, plain->dim * sizeof(Component));
	pfree(plain);
	PG_FREE_IF_COPY(v, 0);
	return result;
}

Datum
FN(hash_extended) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);
	uint64		seed = PG_GETARG_INT64(1);
	Vector	   *plain = without_negative_zero(v);
	Datum		result;

	result = hash_any_extended((unsigned char *) plain->x,
							   plain->dim * sizeof(Component), seed);
	pfree(plain);
	PG_FREE_IF_COPY(v, 0);
	return result;
}
