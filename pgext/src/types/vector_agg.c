/*
 * vector_agg.c
 *	  The state of avg and sum over vectors of any element type.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "types/vector_agg.h"

static VectorAgg view(ArrayType *array);
static VectorAgg new_state(int dim);

VectorAgg
vector_agg_arg(FunctionCallInfo fcinfo, int argno, const VectorType *type)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argno);

	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array) ||
		ARR_ELEMTYPE(array) != FLOAT8OID || ARR_DIMS(array)[0] < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid aggregate state of type %s", type->name)));
	if (ARR_DIMS(array)[0] - 1 > type->max_dim)
		vector_check_dim(type, ARR_DIMS(array)[0] - 1);
	return view(array);
}

VectorAgg
vector_agg_open(FunctionCallInfo fcinfo, VectorAgg state, int dim)
{
	ArrayType  *copy;

	if (state.dim == 0)
		return new_state(dim);
	vector_check_same_dim(state.dim, dim);
	if (AggCheckCallContext(fcinfo, NULL))
		return state;
	copy = (ArrayType *) palloc(VARSIZE(state.array));
	memcpy(copy, state.array, VARSIZE(state.array));
	return view(copy);
}

Datum
vector_agg_combine(FunctionCallInfo fcinfo, const VectorType *type)
{
	VectorAgg	state = vector_agg_arg(fcinfo, 0, type);
	VectorAgg	other = vector_agg_arg(fcinfo, 1, type);

	if (other.dim == 0)
		PG_RETURN_ARRAYTYPE_P(state.array);
	state = vector_agg_open(fcinfo, state, other.dim);
	*state.count += *other.count;
	for (int i = 0; i < state.dim; i++)
		state.sums[i] += other.sums[i];
	PG_RETURN_ARRAYTYPE_P(state.array);
}

static VectorAgg
view(ArrayType *array)
{
	VectorAgg	state;

	state.array = array;
	state.dim = ARR_DIMS(array)[0] - 1;
	state.count = (float8 *) ARR_DATA_PTR(array);
	state.sums = state.count + 1;
	return state;
}

static VectorAgg
new_state(int dim)
{
	Size		size = ARR_OVERHEAD_NONULLS(1) + sizeof(float8) * (dim + 1);
	ArrayType  *array = (ArrayType *) palloc0(size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = FLOAT8OID;
	ARR_DIMS(array)[0] = dim + 1;
	ARR_LBOUND(array)[0] = 1;
	return view(array);
}
