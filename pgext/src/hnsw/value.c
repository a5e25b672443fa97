/*
 * value.c
 *	  The indexed column: type and metric by the distance function of its
 *	  operator class, and from datum to floats.
 *
 * Anybody who may create operator classes can name any function of a suitable
 * signature as support function, so the function itself is looked at, where it
 * is in memory, and not its name.
 */
#include "postgres.h"

#include "access/genam.h"
#include "fmgr.h"
#include "utils/rel.h"

#include "half.h"
#include "hnsw/validate.h"
#include "hnsw/value.h"
#include "types/hsvec.h"
#include "types/svec.h"

extern PGDLLEXPORT Datum svec_cosine_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum svec_l2_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum svec_negative_inner_product(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum svec_l1_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hsvec_cosine_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hsvec_l2_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hsvec_negative_inner_product(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hsvec_l1_distance(PG_FUNCTION_ARGS);

/* So many components are scaled at a time. */
#define SCALE_STEP 256

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
hnsw_value_metric(PGFunction function, HnswType *type, DistMetric *metric)
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

void
hnsw_value_of_index(Relation index, HnswType *type, DistMetric *metric)
{
	const char *column = NameStr(TupleDescAttr(RelationGetDescr(index), 0)->attname);

	/* A class for filters has no support function at all. */
	if (!OidIsValid(index_getprocid(index, 1, 1)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("first column of an index of access method \"%s\" must be a vector",
						"sorted_hnsw"),
				 errdetail("The operator class of column \"%s\" has no distance function.", column)));
	if (!hnsw_value_metric(index_getprocinfo(index, 1, 1)->fn_addr, type, metric))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("support function of the operator class of column \"%s\" is not a distance function of access method \"%s\"",
						column, "sorted_hnsw")));
	if (!hnsw_vector_family_is_ours(index->rd_opfamily[0], index->rd_opcintype[0]))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class of column \"%s\" does not order by the distance of its support function",
						column),
				 errhint("amvalidate() tells what is wrong with it.")));
}

static void
check_dim(const HnswShape *shape, int dim)
{
	if (unlikely(dim != (int) shape->form.dim))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected %u dimensions, not %d", shape->form.dim, dim)));
}

const float *
hnsw_value_floats(const HnswShape *shape, Datum value, float *room)
{
	if (shape->type == HNSW_TYPE_SVEC)
	{
		const Svec *v = DatumGetSvecP(value);

		check_dim(shape, v->dim);
		return v->x;
	}
	else
	{
		const Hsvec *v = DatumGetHsvecP(value);

		check_dim(shape, v->dim);
		shape->form.kernels->f16_to_f32(v->x, room, v->dim);
		return room;
	}
}

void
hnsw_value_halves(const HnswShape *shape, const float *floats, void *halves)
{
	uint32		dim = shape->form.dim;
	float		scaled[SCALE_STEP];
	double		norm;

	if (shape->type == HNSW_TYPE_HSVEC || shape->form.metric != DIST_COSINE)
	{
		shape->form.kernels->f32_to_f16(floats, halves, dim);
		return;
	}
	norm = dist_norm_f32(floats, dim);
	for (uint32 at = 0; at < dim; at += lengthof(scaled))
	{
		uint32		n = Min(dim - at, lengthof(scaled));

		for (uint32 i = 0; i < n; i++)
			scaled[i] = (float) (floats[at + i] / norm);
		shape->form.kernels->f32_to_f16(scaled, (DistHalf *) halves + at, n);
	}
}

double
hnsw_value_distance(const HnswShape *shape, const DistQuery *query, Datum value)
{
	double		distance;

	if (shape->type == HNSW_TYPE_SVEC)
	{
		Svec	   *v = DatumGetSvecP(value);

		check_dim(shape, v->dim);
		distance = dist_query_f32(query, v->x);
		if (PointerGetDatum(v) != value)
			pfree(v);
	}
	else
	{
		Hsvec	   *v = DatumGetHsvecP(value);

		check_dim(shape, v->dim);
		distance = dist_query_f16(query, v->x);
		if (PointerGetDatum(v) != value)
			pfree(v);
	}
	return distance;
}
