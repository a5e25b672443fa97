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
#include "types/svec.h"

static bool
measure(const DistQuery *query, const Svec *v, double *distance)
{
	if (unlikely(v->dim != (int) query->n))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("different vector dimensions %d and %d",
						(int) query->n, v->dim)));
	if (unlikely(VARSIZE(v) != SVEC_SIZE(query->n)))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored vector of %d dimensions has %u bytes",
						v->dim, (unsigned int) VARSIZE(v))));
	*distance = dist_query_f32(query, v->x);
	return !isnan(*distance);
}

bool
facts_distance(const DistQuery *query, struct varlena *value,
			   double *distance)
{
	if (likely(VARATT_IS_4B_U(value)))
		return measure(query, (const Svec *) value, distance);
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
		return measure(query, &copy.v, distance);
	}
	else
	{
		struct varlena *plain = detoast_attr(value);
		bool		ranked = measure(query, (const Svec *) plain, distance);

		pfree(plain);
		return ranked;
	}
}
