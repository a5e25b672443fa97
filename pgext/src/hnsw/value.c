/*
 * value.c
 *	  The indexed column: type and metric by the distance function of its
 *	  operator class, and from datum to floats.
 */
#include "postgres.h"

#include "access/genam.h"
#include "fmgr.h"
#include "utils/rel.h"

#include "half.h"
#include "hnsw/distance.h"
#include "hnsw/validate.h"
#include "hnsw/value.h"
#include "types/hsvec.h"
#include "types/svec.h"

/* So many components are scaled at a time. */
#define SCALE_STEP 256

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
	if (!hnsw_distance_metric(index_getprocinfo(index, 1, 1)->fn_addr, type, metric))
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
