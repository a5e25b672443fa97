/*
 * svec.h
 *	  The type svec: a vector of float4, in exactly pgvector's layout.
 *
 * Components are finite; dim is 1..SVEC_MAX_DIM. Every way in (text, binary,
 * arrays, casts, arithmetic) refuses NaN and infinity, so code that reads a
 * stored svec relies on finite components. The size of a datum is compared
 * with its dim whenever it is fetched: that keeps every loop over components
 * inside the datum, even where a page is corrupt or a cast lied.
 */
#ifndef SVEC_H
#define SVEC_H

#include "fmgr.h"

#include "compat.h"

#define SVEC_MAX_DIM 16000

typedef struct Svec
{
	int32		vl_len_;		/* varlena header, do not touch directly */
	int16		dim;			/* number of components */
	int16		unused;			/* zero */
	float		x[FLEXIBLE_ARRAY_MEMBER];
} Svec;

#define SVEC_SIZE(dim)		(offsetof(Svec, x) + sizeof(float) * (dim))
#define PG_GETARG_SVEC_P(n) DatumGetSvecP(PG_GETARG_DATUM(n))
#define PG_RETURN_SVEC_P(p) PG_RETURN_POINTER(p)

/* A zeroed svec of dim components in the current memory context. */
extern Svec *svec_new(int dim);

/* Error unless 1 <= dim <= SVEC_MAX_DIM. */
extern void svec_check_dim(int dim);

/* Error unless the varlena is a well-formed svec (size matches dim). */
extern void svec_check_datum(const Svec *v);

/* The input function, which tells the type from others of its name. */
extern Datum svec_in(PG_FUNCTION_ARGS);

/* The detoasted svec of a datum. */
static inline Svec *
DatumGetSvecP(Datum d)
{
	Svec	   *v = (Svec *) PG_DETOAST_DATUM(d);
	Size		size = VARSIZE(v);

	if (unlikely(size <= offsetof(Svec, x) ||
				 v->dim > SVEC_MAX_DIM || size != SVEC_SIZE(v->dim)))
		svec_check_datum(v);
	return v;
}

#endif							/* SVEC_H */
