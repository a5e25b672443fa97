/*
 * distance.c
 *	  Distance of a stored embedding to the query.
 *
 * An inline value with a long header is measured where it lies; one with a
 * short header is copied to the stack, which costs less than an allocation; a
 * compressed or toasted one is fetched and freed again.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"

#include "graph/facts.h"
#include "types/hsvec.h"
#include "types/svec.h"

StaticAssertDecl(offsetof(Svec, dim) == offsetof(Hsvec, dim) &&
				 offsetof(Svec, x) == offsetof(Hsvec, x),
				 "svec and hsvec must have the same head");

/* A plain value of either type, looked at as svec for its head. */
static bool
measure(const DistQuery *query, bool halves, const Svec *v, double *distance)
{
	Size		size = halves ? HSVEC_SIZE(query->n) : SVEC_SIZE(query->n);

	if (unlikely(v->dim != (int) query->n))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("different vector dimensions %d and %d",
						(int) query->n, v->dim)));
	if (unlikely(VARSIZE(v) != size))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored vector of %d dimensions has %u bytes",
						v->dim, (unsigned int) VARSIZE(v))));
	*distance = halves ? dist_query_f16(query, ((const Hsvec *) v)->x) :
		dist_query_f32(query, v->x);
	return !isnan(*distance);
}

bool
facts_distance(const DistQuery *query, bool halves, struct varlena *value,
			   double *distance)
{
	if (likely(VARATT_IS_4B_U(value)))
		return measure(query, halves, (const Svec *) value, distance);
	/* a toast pointer's header looks short too */
	if (VARATT_IS_SHORT(value) && !VARATT_IS_EXTERNAL(value))
	{
		union
		{
			Svec		v;
			char		bytes[VARATT_SHORT_MAX + VARHDRSZ];
		}			copy;
		Size		size = VARSIZE_SHORT(value) - VARHDRSZ_SHORT;

		memset(&copy.v, 0, sizeof(copy.v));
		SET_VARSIZE(&copy, size + VARHDRSZ);
		memcpy(copy.bytes + VARHDRSZ, VARDATA_SHORT(value), size);
		return measure(query, halves, &copy.v, distance);
	}
	else
	{
		struct varlena *plain = detoast_attr(value);
		bool		ranked = measure(query, halves, (const Svec *) plain, distance);

		pfree(plain);
		return ranked;
	}
}

Datum
facts_widen(Datum embedding)
{
	Hsvec	   *from = DatumGetHsvecP(embedding);
	Svec	   *v;

	svec_check_dim(from->dim);
	v = svec_new(from->dim);
	dist_kernels()->f16_to_f32(from->x, v->x, v->dim);
	if ((Pointer) from != DatumGetPointer(embedding))
		pfree(from);
	return PointerGetDatum(v);
}
