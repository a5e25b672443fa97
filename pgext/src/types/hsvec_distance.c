/*
 * hsvec_distance.c
 *	  SQL functions under the distance operators of hsvec. The arithmetic and
 *	  its rules (zero norm, clamp, overflow) are core/dist.c's.
 */
#include "postgres.h"

#include "dist.h"
#include "types/hsvec.h"

PG_FUNCTION_INFO_V1(hsvec_cosine_distance);
PG_FUNCTION_INFO_V1(hsvec_l2_distance);
PG_FUNCTION_INFO_V1(hsvec_l1_distance);
PG_FUNCTION_INFO_V1(hsvec_inner_product);
PG_FUNCTION_INFO_V1(hsvec_negative_inner_product);

static double
distance_args(FunctionCallInfo fcinfo, DistMetric metric)
{
	Hsvec	   *a = PG_GETARG_HSVEC_P(0);
	Hsvec	   *b = PG_GETARG_HSVEC_P(1);
	double		result;

	hsvec_check_same_dim(a, b);
	result = dist_f16(metric, a->x, b->x, a->dim);
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

Datum
hsvec_cosine_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_COSINE));
}

Datum
hsvec_l2_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_L2));
}

Datum
hsvec_l1_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_L1));
}

/* Adding zero turns the -0 of orthogonal vectors into 0. */
Datum
hsvec_inner_product(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(-distance_args(fcinfo, DIST_IP) + 0.0);
}

Datum
hsvec_negative_inner_product(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_IP));
}
