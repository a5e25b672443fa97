/*
 * arith_template.h
 *	  Componentwise operators and the functions that make one vector of
 *	  another. Part of vector_template.h.
 *
 * Components are computed in single precision and rounded once. A result that
 * would leave the component's range is an error, as is a product that vanishes
 * though neither factor is zero.
 */
#include "utils/float.h"

PG_FUNCTION_INFO_V1(FN(add));
PG_FUNCTION_INFO_V1(FN(sub));
PG_FUNCTION_INFO_V1(FN(mul));
PG_FUNCTION_INFO_V1(FN(concat));
PG_FUNCTION_INFO_V1(FN(subvector));
PG_FUNCTION_INFO_V1(FN(l2_normalize));
PG_FUNCTION_INFO_V1(FN(norm));
PG_FUNCTION_INFO_V1(FN(dims));

/* The two operands of an operator, and room for its result. */
typedef struct Operands
{
	Vector	   *a;
	Vector	   *b;
	Vector	   *result;
} Operands;

static Operands
operands(FunctionCallInfo fcinfo)
{
	Operands	o = {GETARG_VECTOR(0), GETARG_VECTOR(1), NULL};

	vector_check_same_dim(o.a->dim, o.b->dim);
	o.result = FN(new) (o.a->dim);
	return o;
}

/* Operands are finite, so what is not has overflowed. */
static void
check_no_overflow(const Vector *v)
{
	for (int i = 0; i < v->dim; i++)
	{
		if (unlikely(!is_finite(v->x[i])))
			float_overflow_error();
	}
}

Datum
FN(add) (PG_FUNCTION_ARGS)
{
	Operands	o = operands(fcinfo);

	for (int i = 0; i < o.result->dim; i++)
		o.result->x[i] = rounded(value_of(o.a->x[i]) + value_of(o.b->x[i]));
	check_no_overflow(o.result);
	PG_RETURN_POINTER(o.result);
}

Datum
FN(sub) (PG_FUNCTION_ARGS)
{
	Operands	o = operands(fcinfo);

	for (int i = 0; i < o.result->dim; i++)
		o.result->x[i] = rounded(value_of(o.a->x[i]) - value_of(o.b->x[i]));
	check_no_overflow(o.result);
	PG_RETURN_POINTER(o.result);
}

Datum
FN(mul) (PG_FUNCTION_ARGS)
{
	Operands	o = operands(fcinfo);

	for (int i = 0; i < o.result->dim; i++)
		o.result->x[i] = rounded(value_of(o.a->x[i]) * value_of(o.b->x[i]));
	check_no_overflow(o.result);
	for (int i = 0; i < o.result->dim; i++)
	{
		if (value_of(o.result->x[i]) == 0.0f &&
			value_of(o.a->x[i]) != 0.0f && value_of(o.b->x[i]) != 0.0f)
			float_underflow_error();
	}
	PG_RETURN_POINTER(o.result);
}

Datum
FN(concat) (PG_FUNCTION_ARGS)
{
	Vector	   *a = GETARG_VECTOR(0);
	Vector	   *b = GETARG_VECTOR(1);
	int			dim = a->dim + b->dim;
	Vector	   *result;

	vector_check_dim(&type, dim);
	result = FN(new) (dim);
	memcpy(result->x, a->x, sizeof(Component) * a->dim);
	memcpy(result->x + a->dim, b->x, sizeof(Component) * b->dim);
	PG_RETURN_POINTER(result);
}

/*
 * Components start .. start + count - 1, counted from 1; what lies outside
 * the vector is left out, as substring() does.
 */
Datum
FN(subvector) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);
	int64		start = PG_GETARG_INT32(1);
	int64		end = start + PG_GETARG_INT32(2);
	Vector	   *result;

	start = Max(start, 1);
	end = Min(end, (int64) v->dim + 1);
	if (end <= start)
		vector_check_dim(&type, 0);

	result = FN(new) ((int) (end - start));
	memcpy(result->x, v->x + (start - 1), sizeof(Component) * result->dim);
	PG_RETURN_POINTER(result);
}

/* The zero vector stays what it is; no component of another exceeds 1. */
Datum
FN(l2_normalize) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);
	Vector	   *result = FN(new) (v->dim);
	double		norm = NORM(v->x, v->dim);

	if (norm > 0.0)
	{
		for (int i = 0; i < v->dim; i++)
			result->x[i] = rounded((float) (value_of(v->x[i]) / norm));
	}
	PG_RETURN_POINTER(result);
}

Datum
FN(norm) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);

	PG_RETURN_FLOAT8(NORM(v->x, v->dim));
}

Datum
FN(dims) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);

	PG_RETURN_INT32(v->dim);
}
