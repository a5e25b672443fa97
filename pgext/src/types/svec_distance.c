/*
 * svec_distance.c
 *	  SQL functions under the distance operators of svec. The arithmetic and
 *	  its rules (zero norm, clamp, overflow) are core/dist.c's.
 */
#include "postgres.h"

#include "dist.h"
#include "types/svec.h"

PG_FUNCTION_INFO_V1(svec_cosine_distance);
PG_FUNCTION_INFO_V1(svec_l2_distance);
PG_FUNCTION_INFO_V1(svec_l1_distance);
PG_FUNCTION_INFO_V1(svec_inner_product);
PG_FUNCTION_INFO_V1(svec_negative_inner_product);

static double
distance_args(FunctionCallInfo fcinfo, DistMetric metric)
{
	Svec	   *a = PG_GETARG_SVEC_P(0);
	Svec	   *b = PG_GETARG_SVEC_P(1);
	double		result;

	svec_check_same_dim(a, b);
	result = dist_f32(metric, a->x, b->x, a->dim);
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

Datum
svec_cosine_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_COSINE));
}

Datum
svec_l2_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_L2));
}

Datum
svec_l1_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_L1));
}

/* Adding zero turns the -0 of orthogonal vectors into 0. */
Datum
svec_inner_product(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(-distance_args(fcinfo, DIST_IP) + 0.0);
}

Datum
svec_negative_inner_product(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_IP));
}
