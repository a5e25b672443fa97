/*
 * svec_agg.c
 *	  avg and sum of svec, in double precision.
 *
 * State: a float8 array, first the number of vectors, then the sums of their
 * components; {0} before the first one. Anybody can call the functions with an
 * array of their own, so its shape is checked each time. Inside an aggregate
 * the state is ours to change in place; only the first vector, which fixes the
 * dimensions, makes a new array.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/float.h"

#include "types/svec.h"

/* A state, looked at. */
typedef struct AggState
{
	ArrayType  *array;
	int			dim;			/* 0 before the first vector */
	float8	   *count;
	float8	   *sums;
} AggState;

PG_FUNCTION_INFO_V1(svec_accum);
PG_FUNCTION_INFO_V1(svec_combine);
PG_FUNCTION_INFO_V1(svec_avg);
PG_FUNCTION_INFO_V1(svec_sum);

static AggState state_view(ArrayType *array);
static AggState state_arg(FunctionCallInfo fcinfo, int argno);
static AggState state_own(FunctionCallInfo fcinfo, AggState state);
static AggState state_new(int dim);
static void check_state_dim(const AggState *state, int dim);
static Svec *state_result(const AggState *state, double divisor);

Datum
svec_accum(PG_FUNCTION_ARGS)
{
	AggState	state = state_arg(fcinfo, 0);
	Svec	   *v = PG_GETARG_SVEC_P(1);

	if (state.dim == 0)
		state = state_new(v->dim);
	else
	{
		check_state_dim(&state, v->dim);
		state = state_own(fcinfo, state);
	}

	*state.count += 1.0;
	for (int i = 0; i < state.dim; i++)
		state.sums[i] += v->x[i];

	PG_FREE_IF_COPY(v, 1);
	PG_RETURN_ARRAYTYPE_P(state.array);
}

Datum
svec_combine(PG_FUNCTION_ARGS)
{
	AggState	state = state_arg(fcinfo, 0);
	AggState	other = state_arg(fcinfo, 1);

	if (other.dim == 0)
		PG_RETURN_ARRAYTYPE_P(state.array);
	if (state.dim == 0)
		state = state_new(other.dim);
	else
	{
		check_state_dim(&state, other.dim);
		state = state_own(fcinfo, state);
	}

	*state.count += *other.count;
	for (int i = 0; i < state.dim; i++)
		state.sums[i] += other.sums[i];
	PG_RETURN_ARRAYTYPE_P(state.array);
}

Datum
svec_avg(PG_FUNCTION_ARGS)
{
	AggState	state = state_arg(fcinfo, 0);

	if (*state.count == 0.0)
		PG_RETURN_NULL();
	PG_RETURN_SVEC_P(state_result(&state, *state.count));
}

Datum
svec_sum(PG_FUNCTION_ARGS)
{
	AggState	state = state_arg(fcinfo, 0);

	if (*state.count == 0.0)
		PG_RETURN_NULL();
	PG_RETURN_SVEC_P(state_result(&state, 1.0));
}

static AggState
state_view(ArrayType *array)
{
	AggState	state;

	state.array = array;
	state.dim = ARR_DIMS(array)[0] - 1;
	state.count = (float8 *) ARR_DATA_PTR(array);
	state.sums = state.count + 1;
	return state;
}

static AggState
state_arg(FunctionCallInfo fcinfo, int argno)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argno);

	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array) ||
		ARR_ELEMTYPE(array) != FLOAT8OID || ARR_DIMS(array)[0] < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid aggregate state of type svec")));
	if (ARR_DIMS(array)[0] > 1)
		svec_check_dim(ARR_DIMS(array)[0] - 1);
	return state_view(array);
}

/* A state that may be changed: inside an aggregate the same, else a copy. */
static AggState
state_own(FunctionCallInfo fcinfo, AggState state)
{
	ArrayType  *copy;

	if (AggCheckCallContext(fcinfo, NULL))
		return state;
	copy = (ArrayType *) palloc(VARSIZE(state.array));
	memcpy(copy, state.array, VARSIZE(state.array));
	return state_view(copy);
}

static AggState
state_new(int dim)
{
	Size		size = ARR_OVERHEAD_NONULLS(1) + sizeof(float8) * (dim + 1);
	ArrayType  *array = (ArrayType *) palloc0(size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = FLOAT8OID;
	ARR_DIMS(array)[0] = dim + 1;
	ARR_LBOUND(array)[0] = 1;
	return state_view(array);
}

static void
check_state_dim(const AggState *state, int dim)
{
	if (state->dim != dim)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("different vector dimensions %d and %d",
						state->dim, dim)));
}

/*
 * sums / divisor. Sums of fewer than 2^896 finite float4 do not overflow a
 * double, so only here a result can leave the range of float4.
 */
static Svec *
state_result(const AggState *state, double divisor)
{
	Svec	   *v;

	svec_check_dim(state->dim);
	v = svec_new(state->dim);
	for (int i = 0; i < state->dim; i++)
	{
		double		value = state->sums[i] / divisor;

		v->x[i] = (float) value;
		if (unlikely(isinf(v->x[i])) && !isinf(value))
			float_overflow_error();
		svec_check_component(v->x[i]);
	}
	return v;
}
