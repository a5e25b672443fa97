/*
 * svec.c
 *	  Ways in and out of svec (text, binary, type modifier) and the checks that
 *	  every other way in uses.
 *
 * Layout: varlena header, int16 dim, int16 zero, dim floats; the same as
 * pgvector's vector, in memory and on the wire.
 *
 * Text is strict: decimal numbers only, one between any two commas. What
 * underflows becomes zero, what overflows is an error. Errors of the text form
 * are soft where the server asks for that (16 and later).
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "types/svec.h"
#include "types/vector_text.h"

StaticAssertDecl(offsetof(Svec, x) == 8, "svec layout must match vector's");
StaticAssertDecl(SVEC_MAX_DIM <= PG_INT16_MAX, "dim must fit its field");

PG_FUNCTION_INFO_V1(svec_in);
PG_FUNCTION_INFO_V1(svec_out);
PG_FUNCTION_INFO_V1(svec_typmod_in);
PG_FUNCTION_INFO_V1(svec_typmod_out);
PG_FUNCTION_INFO_V1(svec_recv);
PG_FUNCTION_INFO_V1(svec_send);

static const VectorText svec_text = {"svec", SVEC_MAX_DIM, INFINITY};

Svec *
svec_new(int dim)
{
	Svec	   *v;

	Assert(dim >= 1 && dim <= SVEC_MAX_DIM);
	v = (Svec *) palloc0(SVEC_SIZE(dim));
	SET_VARSIZE(v, SVEC_SIZE(dim));
	v->dim = (int16) dim;
	return v;
}

void
svec_check_dim(int dim)
{
	if (dim < 1)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("svec must have at least 1 dimension")));
	if (dim > SVEC_MAX_DIM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("svec cannot have more than %d dimensions",
						SVEC_MAX_DIM)));
}

void
svec_check_typmod(int32 typmod, int dim)
{
	if (typmod != -1 && typmod != dim)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected %d dimensions, not %d", typmod, dim)));
}

void
svec_check_same_dim(const Svec *a, const Svec *b)
{
	if (unlikely(a->dim != b->dim))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("different vector dimensions %d and %d",
						a->dim, b->dim)));
}

void
svec_check_component(float value)
{
	if (likely(isfinite(value)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 isnan(value) ?
			 errmsg("NaN not allowed in svec") :
			 errmsg("infinite value not allowed in svec")));
}

void
svec_check_datum(const Svec *v)
{
	Size		size = VARSIZE(v);

	if (size <= offsetof(Svec, x) ||
		v->dim < 1 || v->dim > SVEC_MAX_DIM ||
		size != SVEC_SIZE(v->dim))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid svec of %zu bytes", size)));
}

Datum
svec_in(PG_FUNCTION_ARGS)
{
	const char *lit = PG_GETARG_CSTRING(0);
	int32		typmod = PG_GETARG_INT32(2);
	Svec	   *v = svec_new(vector_text_room(&svec_text, lit));

	if (!vector_text_read(&svec_text, lit, v->x, v->dim, fcinfo->context))
		return (Datum) 0;		/* the error is in the context */
	if (typmod != -1 && typmod != v->dim)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected %d dimensions, not %d", typmod, v->dim)));
	PG_RETURN_SVEC_P(v);
}

Datum
svec_out(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);
	char	   *result = vector_text_write(v->x, v->dim);

	PG_FREE_IF_COPY(v, 0);
	PG_RETURN_CSTRING(result);
}

Datum
svec_typmod_in(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int			n;
	int32	   *typmods = ArrayGetIntegerTypmods(array, &n);

	if (n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid type modifier")));
	if (typmods[0] < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dimensions for type svec must be at least 1")));
	if (typmods[0] > SVEC_MAX_DIM)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dimensions for type svec cannot exceed %d",
						SVEC_MAX_DIM)));
	PG_RETURN_INT32(typmods[0]);
}

Datum
svec_typmod_out(PG_FUNCTION_ARGS)
{
	int32		typmod = PG_GETARG_INT32(0);

	if (typmod < 0)
		PG_RETURN_CSTRING(pstrdup(""));
	PG_RETURN_CSTRING(psprintf("(%d)", typmod));
}

Datum
svec_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int32		typmod = PG_GETARG_INT32(2);
	int			dim = (int16) pq_getmsgint(buf, sizeof(int16));
	int			unused = (int16) pq_getmsgint(buf, sizeof(int16));
	Svec	   *v;

	svec_check_dim(dim);
	svec_check_typmod(typmod, dim);
	if (unused != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("expected unused field of svec to be 0, not %d",
						unused)));

	v = svec_new(dim);
	for (int i = 0; i < dim; i++)
	{
		v->x[i] = pq_getmsgfloat4(buf);
		svec_check_component(v->x[i]);
	}
	PG_RETURN_SVEC_P(v);
}

Datum
svec_send(PG_FUNCTION_ARGS)
{
	Svec	   *v = PG_GETARG_SVEC_P(0);
	StringInfoData buf;

	pq_begintypsend(&buf);
	enlargeStringInfo(&buf, SVEC_SIZE(v->dim));
	pq_sendint16(&buf, v->dim);
	pq_sendint16(&buf, v->unused);
	for (int i = 0; i < v->dim; i++)
		pq_sendfloat4(&buf, v->x[i]);

	PG_FREE_IF_COPY(v, 0);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}
