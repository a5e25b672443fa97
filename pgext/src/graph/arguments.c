/*
 * arguments.c
 *	  SQL arguments of the graph functions: read, checked, named in errors.
 */
#include "postgres.h"

#include <ctype.h>

#include "utils/array.h"
#include "utils/builtins.h"

#include "graph/arguments.h"

static int32
required_int(FunctionCallInfo fcinfo, int n, const char *name)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	return PG_GETARG_INT32(n);
}

uint32
arg_count(FunctionCallInfo fcinfo, int n, const char *name)
{
	int32		value = required_int(fcinfo, n, name);

	if (value < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1, not %d", name, value)));
	return (uint32) value;
}

uint64
arg_limit(FunctionCallInfo fcinfo, int n)
{
	int32		value = PG_ARGISNULL(n) ? 0 : PG_GETARG_INT32(n);

	if (value < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("limit_rows must be at least 0, not %d", value),
				 errhint("Use 0 for no limit.")));
	return (uint64) value;
}

static FactFilter
filter_of(int32 value, const char *name)
{
	FactFilter	filter = {.any = false};

	if (value < PG_INT16_MIN || value > PG_INT16_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s value %d is out of range for type smallint",
						name, value)));
	filter.relation = (int16) value;
	return filter;
}

FactFilter
arg_filter(FunctionCallInfo fcinfo, int n, const char *name)
{
	FactFilter	any = {.any = true};

	return PG_ARGISNULL(n) ? any : filter_of(PG_GETARG_INT32(n), name);
}

/* A text argument, trimmed and in lower case; null is blank. */
static char *
keyword(FunctionCallInfo fcinfo, int n)
{
	char	   *start;
	char	   *end;

	if (PG_ARGISNULL(n))
		return pstrdup("");
	start = text_to_cstring(PG_GETARG_TEXT_PP(n));
	while (isspace((unsigned char) *start))
		start++;
	end = start + strlen(start);
	while (end > start && isspace((unsigned char) end[-1]))
		end--;
	*end = '\0';
	for (char *c = start; *c != '\0'; c++)
		*c = pg_ascii_tolower((unsigned char) *c);
	return start;
}

bool
arg_seed_filter(FunctionCallInfo fcinfo, int n)
{
	char	   *word = keyword(fcinfo, n);

	if (*word == '\0' || strcmp(word, "none") == 0)
		return false;
	if (strcmp(word, "hop1") == 0)
		return true;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized seed_filter \"%s\"", word),
			 errhint("Use \"none\" or \"hop1\".")));
	return false;				/* keep compiler quiet */
}

GraphScore
arg_score_mode(FunctionCallInfo fcinfo, int n)
{
	char	   *word = keyword(fcinfo, n);

	if (*word == '\0' || strcmp(word, "path") == 0)
		return GRAPH_SCORE_PATH;
	if (strcmp(word, "endpoint") == 0)
		return GRAPH_SCORE_ENDPOINT;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized score_mode \"%s\"", word),
			 errhint("Use \"path\" or \"endpoint\".")));
	return GRAPH_SCORE_PATH;	/* keep compiler quiet */
}

/* Number of elements; error when there is more than one dimension. */
static int
element_count(ArrayType *array, const char *name)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s must be a one-dimensional array", name)));
	return ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0];
}

void
arg_seeds(FunctionCallInfo fcinfo, int n, GraphCall *call)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(n);
	int			count = element_count(array, "seed_ids");
	const int32 *values = (const int32 *) ARR_DATA_PTR(array);
	const bits8 *bitmap = ARR_NULLBITMAP(array);

	/*
	 * Stored values are those that are not null, in order, so with or without
	 * nulls they are an array already.
	 */
	call->seeds = GRAPH_SEEDS_GIVEN;
	call->seed_ids = values;
	call->nseed_ids = (size_t) count;
	for (int i = 0; bitmap != NULL && i < count; i++)
		if ((bitmap[i / 8] & (1 << (i % 8))) == 0)
			call->nseed_ids--;
}

void
arg_path(FunctionCallInfo fcinfo, int n, GraphCall *call)
{
	const char *name = "relation_path";
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(n);
	int			count = element_count(array, name);
	const int32 *value = (const int32 *) ARR_DATA_PTR(array);
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	FactFilter *hops;

	if (count < 1 || count > GRAPH_MAX_HOPS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must have 1 to %d elements, not %d",
						name, GRAPH_MAX_HOPS, count)));
	hops = (FactFilter *) palloc0(count * sizeof(FactFilter));
	for (int i = 0; i < count; i++)
	{
		if (bitmap != NULL && (bitmap[i / 8] & (1 << (i % 8))) == 0)
			hops[i].any = true;
		else
			hops[i] = filter_of(*value++, name);
	}
	call->hops = hops;
	call->nhops = count;
}
