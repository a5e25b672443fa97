/*
 * svec_agg.c
 *	  avg and sum of svec, in double precision.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "types/svec.h"
#include "types/vector_agg.h"

PG_FUNCTION_INFO_V1(svec_accum);
PG_FUNCTION_INFO_V1(svec_combine);
PG_FUNCTION_INFO_V1(svec_avg);
PG_FUNCTION_INFO_V1(svec_sum);

static Svec *state_result(const VectorAgg *state, double divisor);

Datum
svec_accum(PG_FUNCTION_ARGS)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, "svec", SVEC_MAX_DIM);
	Svec	   *v = PG_GETARG_SVEC_P(1);

	state = vector_agg_open(fcinfo, state, v->dim);
	*state.count += 1.0;
	for (int i = 0; i < state.dim; i++)
		state.sums[i] += v->x[i];

	PG_FREE_IF_COPY(v, 1);
	PG_RETURN_ARRAYTYPE_P(state.array);
}

Datum
svec_combine(PG_FUNCTION_ARGS)
{
	return vector_agg_combine(fcinfo, "svec", SVEC_MAX_DIM);
}

Datum
svec_avg(PG_FUNCTION_ARGS)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, "svec", SVEC_MAX_DIM);

	if (*state.count == 0.0)
		PG_RETURN_NULL();
	PG_RETURN_SVEC_P(state_result(&state, *state.count));
}

Datum
svec_sum(PG_FUNCTION_ARGS)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, "svec", SVEC_MAX_DIM);

	if (*state.count == 0.0)
		PG_RETURN_NULL();
	PG_RETURN_SVEC_P(state_result(&state, 1.0));
}

/*
 * sums / divisor. Sums of fewer than 2^896 finite float4 do not overflow a
 * double, so only here a result can leave the range of float4.
 */
static Svec *
state_result(const VectorAgg *state, double divisor)
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
