/*
 * hsvec_cast.c
 *	  Casts between svec and hsvec.
 *
 * Values are rounded to half precision; one beyond its range is an error, one
 * too small becomes zero.
 */
#include "postgres.h"

#include "dist.h"
#include "types/hsvec.h"
#include "types/svec.h"
#include "types/vector.h"

PG_FUNCTION_INFO_V1(svec_to_hsvec);
PG_FUNCTION_INFO_V1(hsvec_to_svec);

Datum
svec_to_hsvec(PG_FUNCTION_ARGS)
{
	Svec	   *from = PG_GETARG_SVEC_P(0);
	Hsvec	   *v;

	vector_check_typmod(PG_GETARG_INT32(1), from->dim);
	v = hsvec_new(from->dim);
	hsvec_fill(v, from->x);
	PG_RETURN_HSVEC_P(v);
}

Datum
hsvec_to_svec(PG_FUNCTION_ARGS)
{
	Hsvec	   *from = PG_GETARG_HSVEC_P(0);
	Svec	   *v;

	svec_check_dim(from->dim);
	vector_check_typmod(PG_GETARG_INT32(1), from->dim);
	v = svec_new(from->dim);
	dist_kernels()->f16_to_f32(from->x, v->x, v->dim);
	PG_RETURN_SVEC_P(v);
}
