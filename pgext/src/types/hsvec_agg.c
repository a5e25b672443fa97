/*
 * hsvec_agg.c
 *	  avg and sum of hsvec, in double precision.
 */
#include "postgres.h"

#include "types/hsvec.h"
#include "types/vector_agg.h"

PG_FUNCTION_INFO_V1(hsvec_accum);
PG_FUNCTION_INFO_V1(hsvec_combine);
PG_FUNCTION_INFO_V1(hsvec_avg);
PG_FUNCTION_INFO_V1(hsvec_sum);

static Hsvec *state_result(const VectorAgg *state, double divisor);

Datum
hsvec_accum(PG_FUNCTION_ARGS)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, "hsvec", HSVEC_MAX_DIM);
	Hsvec	   *v = PG_GETARG_HSVEC_P(1);

	state = vector_agg_open(fcinfo, state, v->dim);
	*state.count += 1.0;
	for (int i = 0; i < state.dim; i++)
		state.sums[i] += half_to_float(v->x[i]);

	PG_FREE_IF_COPY(v, 1);
	PG_RETURN_ARRAYTYPE_P(state.array);
}

Datum
hsvec_combine(PG_FUNCTION_ARGS)
{
	return vector_agg_combine(fcinfo, "hsvec", HSVEC_MAX_DIM);
}

Datum
hsvec_avg(PG_FUNCTION_ARGS)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, "hsvec", HSVEC_MAX_DIM);

	if (*state.count == 0.0)
		PG_RETURN_NULL();
	PG_RETURN_HSVEC_P(state_result(&state, *state.count));
}

Datum
hsvec_sum(PG_FUNCTION_ARGS)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, "hsvec", HSVEC_MAX_DIM);

	if (*state.count == 0.0)
		PG_RETURN_NULL();
	PG_RETURN_HSVEC_P(state_result(&state, 1.0));
}

/* sums / divisor, which may leave the range of half precision. */
static Hsvec *
state_result(const VectorAgg *state, double divisor)
{
	Hsvec	   *v;

	hsvec_check_dim(state->dim);
	v = hsvec_new(state->dim);
	for (int i = 0; i < state->dim; i++)
		v->x[i] = hsvec_component((float) (state->sums[i] / divisor));
	return v;
}
