/*
 * agg_template.h
 *	  avg and sum of a vector type, in double precision. Part of
 *	  vector_template.h.
 */
#include "types/vector_agg.h"

PG_FUNCTION_INFO_V1(FN(accum));
PG_FUNCTION_INFO_V1(FN(combine));
PG_FUNCTION_INFO_V1(FN(avg));
PG_FUNCTION_INFO_V1(FN(sum));

/*
 * sums / divisor. Sums of fewer than 2^896 finite components do not overflow a
 * double, so only here a result can leave the component's range.
 */
static Vector *
state_result(const VectorAgg *state, double divisor)
{
	Vector	   *v;

	vector_check_dim(&type, state->dim);
	v = FN(new) (state->dim);
	for (int i = 0; i < state->dim; i++)
		v->x[i] = of_quotient(state->sums[i] / divisor);
	return v;
}

Datum
FN(accum) (PG_FUNCTION_ARGS)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, &type);
	Vector	   *v = GETARG_VECTOR(1);

	state = vector_agg_open(fcinfo, state, v->dim);
	*state.count += 1.0;
	for (int i = 0; i < state.dim; i++)
		state.sums[i] += value_of(v->x[i]);

	PG_FREE_IF_COPY(v, 1);
	PG_RETURN_ARRAYTYPE_P(state.array);
}

Datum
FN(combine) (PG_FUNCTION_ARGS)
{
	return vector_agg_combine(fcinfo, &type);
}

Datum
FN(avg) (PG_FUNCTION_ARGS)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, &type);

	if (*state.count == 0.0)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state_result(&state, *state.count));
}

Datum
FN(sum) (PG_FUNCTION_ARGS)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, &type);

	if (*state.count == 0.0)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state_result(&state, 1.0));
}
