/*
 * vector.c
 *	  Checks of dimensions, sizes and type modifiers, for every vector type.
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "types/vector.h"

void
vector_check_dim(const VectorType *type, int dim)
{
	if (dim < 1)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("%s must have at least 1 dimension", type->name)));
	if (dim > type->max_dim)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s cannot have more than %d dimensions",
						type->name, type->max_dim)));
}

void
vector_check_datum(const VectorType *type, const void *v)
{
	Size		size = VARSIZE(v);
	int			dim = size > sizeof(VectorHead) ? ((const VectorHead *) v)->dim : 0;

	if (dim < 1 || dim > type->max_dim ||
		size != sizeof(VectorHead) + type->component * dim)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid %s of %zu bytes", type->name, size)));
}

void
vector_check_typmod(int32 typmod, int dim)
{
	if (typmod != -1 && typmod != dim)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected %d dimensions, not %d", typmod, dim)));
}

void
vector_check_same_dim(int a, int b)
{
	if (unlikely(a != b))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("different vector dimensions %d and %d", a, b)));
}

Datum
vector_typmod_in(FunctionCallInfo fcinfo, const VectorType *type)
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
				 errmsg("dimensions for type %s must be at least 1", type->name)));
	if (typmods[0] > type->max_dim)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dimensions for type %s cannot exceed %d",
						type->name, type->max_dim)));
	PG_RETURN_INT32(typmods[0]);
}

Datum
vector_typmod_out(FunctionCallInfo fcinfo)
{
	int32		typmod = PG_GETARG_INT32(0);

	if (typmod < 0)
		PG_RETURN_CSTRING(pstrdup(""));
	PG_RETURN_CSTRING(psprintf("(%d)", typmod));
}
