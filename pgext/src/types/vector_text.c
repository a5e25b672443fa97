/*
 * vector_text.c
 *	  The text form of vectors, for every element type.
 *
 * Text is strict: decimal numbers only, one between any two commas. What
 * underflows becomes zero, what overflows is an error. Errors are soft where
 * the server asks for that (16 and later).
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"

#include "compat.h"
#include "types/svec_number.h"
#include "types/vector_text.h"

static const char *skip_space(const char *p);
static const char *scan_special(const char *p, bool *is_nan);
static const char *read_component(const VectorType *type, const char *p, const char *lit,
								  float *value, Node *escontext);

int
vector_text_room(const VectorType *type, const char *lit)
{
	int			room = 1;

	for (const char *c = lit; *c != '\0' && room < type->max_dim; c++)
		room += *c == ',';
	return room;
}

bool
vector_text_read(const VectorType *type, const char *lit, float *values, int room,
				 Node *escontext)
{
	const char *p = skip_space(lit);
	int			dim = 0;

	if (*p != '[')
		ereturn(escontext, false,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"",
						type->name, lit),
				 errdetail("Vector contents must start with \"[\".")));
	p = skip_space(p + 1);
	if (*p == ']')
		ereturn(escontext, false,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("%s must have at least 1 dimension", type->name)));

	for (;;)
	{
		if (dim == type->max_dim)
			ereturn(escontext, false,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("%s cannot have more than %d dimensions",
							type->name, type->max_dim)));
		/* a component follows each comma counted, so dim stays below room */
		Assert(dim < room);
		p = read_component(type, skip_space(p), lit, &values[dim], escontext);
		if (p == NULL)
			return false;
		dim++;
		p = skip_space(p);
		if (*p != ',')
			break;
		p++;
	}
	if (*p != ']')
		ereturn(escontext, false,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"",
						type->name, lit)));
	p = skip_space(p + 1);
	if (*p != '\0')
		ereturn(escontext, false,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"",
						type->name, lit),
				 errdetail("Junk after closing bracket.")));

	/* every comma was followed by a component, so room was exact */
	Assert(dim == room);
	return true;
}

char *
vector_text_write(const float *values, int dim)
{
	char	   *result;
	char	   *p;

	/*
	 * FLOAT_SHORTEST_DECIMAL_LEN counts a terminator, whose room takes the
	 * separator; beyond that two brackets and the end of the string.
	 */
	result = palloc((Size) dim * FLOAT_SHORTEST_DECIMAL_LEN + 3);
	p = result;
	*p++ = '[';
	for (int i = 0; i < dim; i++)
	{
		if (i > 0)
			*p++ = ',';
		p += float_to_shortest_decimal_bufn(values[i], p);
	}
	*p++ = ']';
	*p = '\0';
	return result;
}

/* The white space that array_in accepts; isspace() depends on the locale. */
static const char *
skip_space(const char *p)
{
	while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
		p++;
	return p;
}

/*
 * End of the spelling of NaN or infinity at p that float4 would accept, or
 * NULL. Only there to say why the value is refused.
 */
static const char *
scan_special(const char *p, bool *is_nan)
{
	static const char *const words[] = {"nan", "infinity", "inf"};

	if (*p == '+' || *p == '-')
		p++;
	for (int i = 0; i < lengthof(words); i++)
	{
		size_t		len = strlen(words[i]);

		if (pg_strncasecmp(p, words[i], len) == 0)
		{
			*is_nan = i == 0;
			return p + len;
		}
	}
	return NULL;
}

/* One component at p; its end, or NULL after a soft error. */
static const char *
read_component(const VectorType *type, const char *p, const char *lit, float *value,
			   Node *escontext)
{
	const char *end = svec_read_number(p, value);
	bool		is_nan;

	if (end == NULL)
	{
		end = scan_special(p, &is_nan);
		if (end != NULL)
		{
			end = skip_space(end);
			if (*end == ',' || *end == ']')
				ereturn(escontext, NULL,
						(errcode(ERRCODE_DATA_EXCEPTION),
						 is_nan ?
						 errmsg("NaN not allowed in %s", type->name) :
						 errmsg("infinite value not allowed in %s", type->name)));
		}
		ereturn(escontext, NULL,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"",
						type->name, lit)));
	}

	if (fabsf(*value) >= type->overflow)
		ereturn(escontext, NULL,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("\"%s\" is out of range for type %s",
						pnstrdup(p, end - p), type->name)));
	return end;
}
