/*
 * distance_template.h
 *	  SQL functions under the distance operators of a vector type. The
 *	  arithmetic and its rules (zero norm, clamp, overflow) are core/dist.c's.
 *	  Part of vector_template.h.
 */
PG_FUNCTION_INFO_V1(FN(cosine_distance));
PG_FUNCTION_INFO_V1(FN(l2_distance));
PG_FUNCTION_INFO_V1(FN(l1_distance));
PG_FUNCTION_INFO_V1(FN(inner_product));
PG_FUNCTION_INFO_V1(FN(negative_inner_product));

static double
distance_args(FunctionCallInfo fcinfo, DistMetric metric)
{
	Vector	   *a = GETARG_VECTOR(0);
	Vector	   *b = GETARG_VECTOR(1);
	double		result;

	vector_check_same_dim(a->dim, b->dim);
	result = DISTANCE(metric, a->x, b->x, a->dim);
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

Datum
FN(cosine_distance) (PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_COSINE));
}

Datum
FN(l2_distance) (PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_L2));
}

Datum
FN(l1_distance) (PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_L1));
}

/* Adding zero turns the -0 of orthogonal vectors into 0. */
Datum
FN(inner_product) (PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(-distance_args(fcinfo, DIST_IP) + 0.0);
}

Datum
FN(negative_inner_product) (PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance_args(fcinfo, DIST_IP));
}
