/*
 * hsvec.h
 *	  The type hsvec: a vector of half-precision numbers, in exactly pgvector's
 *	  halfvec layout.
 *
 * The rules are svec.h's, with the range of half precision: components are
 * finite, at most 65504 in size, and dim is 1..HSVEC_MAX_DIM. The size of a
 * datum is compared with its dim whenever it is fetched.
 */
#ifndef HSVEC_H
#define HSVEC_H

#include "fmgr.h"

#include "compat.h"
#include "half.h"

#define HSVEC_MAX_DIM 32000

typedef struct Hsvec
{
	int32		vl_len_;		/* varlena header, do not touch directly */
	int16		dim;			/* number of components */
	int16		unused;			/* zero */
	DistHalf	x[FLEXIBLE_ARRAY_MEMBER];
} Hsvec;

#define HSVEC_SIZE(dim)		(offsetof(Hsvec, x) + sizeof(DistHalf) * (dim))
#define PG_GETARG_HSVEC_P(n) DatumGetHsvecP(PG_GETARG_DATUM(n))
#define PG_RETURN_HSVEC_P(p) PG_RETURN_POINTER(p)

/* A zeroed hsvec of dim components in the current memory context. */
extern Hsvec *hsvec_new(int dim);

/* Error unless 1 <= dim <= HSVEC_MAX_DIM. */
extern void hsvec_check_dim(int dim);

/* Set all components to the halves nearest to the values; error on NaN,
 * infinity and what is beyond the range of half precision. */
extern void hsvec_fill(Hsvec *v, const float *values);

/* Error unless the varlena is a well-formed hsvec (size matches dim). */
extern void hsvec_check_datum(const Hsvec *v);

/* The input function, which tells the type from others of its name. */
extern Datum hsvec_in(PG_FUNCTION_ARGS);

/* The detoasted hsvec of a datum. */
static inline Hsvec *
DatumGetHsvecP(Datum d)
{
	Hsvec	   *v = (Hsvec *) PG_DETOAST_DATUM(d);
	Size		size = VARSIZE(v);

	if (unlikely(size <= offsetof(Hsvec, x) ||
				 v->dim > HSVEC_MAX_DIM || size != HSVEC_SIZE(v->dim)))
		hsvec_check_datum(v);
	return v;
}

#endif							/* HSVEC_H */
