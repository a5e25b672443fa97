/*
 * io_template.h
 *	  Ways in and out of a vector type: text, binary, type modifier. Part of
 *	  vector_template.h.
 */
#include "libpq/pqformat.h"

#include "types/vector_text.h"

PG_FUNCTION_INFO_V1(FN(in));
PG_FUNCTION_INFO_V1(FN(out));
PG_FUNCTION_INFO_V1(FN(typmod_in));
PG_FUNCTION_INFO_V1(FN(typmod_out));
PG_FUNCTION_INFO_V1(FN(recv));
PG_FUNCTION_INFO_V1(FN(send));

Datum
FN(in) (PG_FUNCTION_ARGS)
{
	const char *lit = PG_GETARG_CSTRING(0);
	int32		typmod = PG_GETARG_INT32(2);
	int			dim = vector_text_room(&type, lit);
	float	   *values = (float *) palloc(sizeof(float) * dim);
	Vector	   *v;

	if (!vector_text_read(&type, lit, values, dim, fcinfo->context))
		return (Datum) 0;		/* the error is in the context */
	if (typmod != -1 && typmod != dim)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected %d dimensions, not %d", typmod, dim)));
	v = FN(new) (dim);
	fill(v, values);
	pfree(values);
	PG_RETURN_POINTER(v);
}

Datum
FN(out) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);
	float	   *values = values_of(v);
	char	   *result = vector_text_write(values, v->dim);

	if ((void *) values != (void *) v->x)
		pfree(values);
	PG_FREE_IF_COPY(v, 0);
	PG_RETURN_CSTRING(result);
}

Datum
FN(typmod_in) (PG_FUNCTION_ARGS)
{
	return vector_typmod_in(fcinfo, &type);
}

Datum
FN(typmod_out) (PG_FUNCTION_ARGS)
{
	return vector_typmod_out(fcinfo);
}

Datum
FN(recv) (PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int32		typmod = PG_GETARG_INT32(2);
	int			dim = (int16) pq_getmsgint(buf, sizeof(int16));
	int			unused = (int16) pq_getmsgint(buf, sizeof(int16));
	Vector	   *v;

	vector_check_dim(&type, dim);
	vector_check_typmod(typmod, dim);
	if (unused != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("expected unused field of %s to be 0, not %d",
						type.name, unused)));

	v = FN(new) (dim);
	for (int i = 0; i < dim; i++)
		v->x[i] = receive(buf);
	PG_RETURN_POINTER(v);
}

Datum
FN(send) (PG_FUNCTION_ARGS)
{
	Vector	   *v = GETARG_VECTOR(0);
	StringInfoData buf;

	pq_begintypsend(&buf);
	enlargeStringInfo(&buf, VECTOR_SIZE(v->dim));
	pq_sendint16(&buf, v->dim);
	pq_sendint16(&buf, v->unused);
	for (int i = 0; i < v->dim; i++)
		transmit(&buf, v->x[i]);

	PG_FREE_IF_COPY(v, 0);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}
