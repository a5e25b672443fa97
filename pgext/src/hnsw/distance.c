/*
 * distance.c
 *	  Which of our distances a function computes.
 *
 * Anybody who may create operator classes can name any function of a suitable
 * signature as support function, so the function itself is looked at, where it
 * is in memory, and not its name.
 */
#include "postgres.h"

#include "hnsw/distance.h"

extern PGDLLEXPORT Datum svec_cosine_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum svec_l2_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum svec_negative_inner_product(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum svec_l1_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hsvec_cosine_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hsvec_l2_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hsvec_negative_inner_product(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hsvec_l1_distance(PG_FUNCTION_ARGS);

typedef struct DistanceFunction
{
	PGFunction	function;
	HnswType	type;
	DistMetric	metric;
} DistanceFunction;

static const DistanceFunction distance_functions[] = {
	{svec_cosine_distance, HNSW_TYPE_SVEC, DIST_COSINE},
	{svec_l2_distance, HNSW_TYPE_SVEC, DIST_L2},
	{svec_negative_inner_product, HNSW_TYPE_SVEC, DIST_IP},
	{svec_l1_distance, HNSW_TYPE_SVEC, DIST_L1},
	{hsvec_cosine_distance, HNSW_TYPE_HSVEC, DIST_COSINE},
	{hsvec_l2_distance, HNSW_TYPE_HSVEC, DIST_L2},
	{hsvec_negative_inner_product, HNSW_TYPE_HSVEC, DIST_IP},
	{hsvec_l1_distance, HNSW_TYPE_HSVEC, DIST_L1}
};

bool
hnsw_distance_metric(PGFunction function, HnswType *type, DistMetric *metric)
{
	for (int i = 0; i < lengthof(distance_functions); i++)
	{
		if (distance_functions[i].function != function)
			continue;
		*type = distance_functions[i].type;
		*metric = distance_functions[i].metric;
		return true;
	}
	return false;
}
