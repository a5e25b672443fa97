/*
 * conditions.c
 *	  The conditions of a scan on the columns after the vector, compiled to
 *	  comparisons of images: a walk calls no operator.
 *
 * All keys on one column become one test: is it null, or is its image in a
 * closed interval, and in a list where keys name one? Strict bounds move to the
 * next image where images tell values apart. Text has no zero byte, so the image
 * of a text shorter than the prefix, whose last byte is zero, is no other text's:
 * comparisons with such constants are exact, too. With longer ones the texts
 * that share the constant's image pass, and the executor must look again.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/stratnum.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "hnsw/columns.h"
#include "types/keyimage.h"

#define PREFIX_BYTES ((Size) sizeof(KeyImage))

/* A closed interval of images; low > high is the empty one. */
typedef struct ImageInterval
{
	KeyImage	low;
	KeyImage	high;
} ImageInterval;

static const ImageInterval everything = {{0, 0}, {PG_UINT64_MAX, PG_UINT64_MAX}};
static const ImageInterval nothing = {{PG_UINT64_MAX, PG_UINT64_MAX}, {0, 0}};

typedef struct ColumnTest
{
	uint8		null_bit;
	bool		wants_null;		/* else nulls fail */
	bool		wants_value;
	bool		wide;			/* the image has both numbers */
	uint16		at;
	ImageInterval interval;
	KeyImage   *values;			/* sorted, unique; NULL: no list */
	int			nvalues;
} ColumnTest;

struct HnswConditions
{
	bool		impossible;
	bool		lossy;
	int			ntests;
	ColumnTest	tests[HNSW_MAX_COLUMNS];
};

/* A constant that a column is compared with. */
typedef struct Operand
{
	KeyImage	image;
	bool		alone;			/* no other value has the image */
	bool		least;			/* the least of those that have it */
} Operand;

static int
image_compare(const void *a, const void *b)
{
	return key_image_compare(*(const KeyImage *) a, *(const KeyImage *) b);
}

static Operand
make_operand(Datum value, KeyKind kind)
{
	Operand		operand = {key_image(value, kind), true, true};

	if (kind == KEY_KIND_BYTES)
	{
		Size		length = toast_raw_datum_size(value) - VARHDRSZ;

		operand.alone = length < PREFIX_BYTES;
		operand.least = length <= PREFIX_BYTES;
	}
	return operand;
}

/* The images before or after one; false when there are none. */
static bool
image_before(KeyImage image, bool wide, KeyImage *before)
{
	*before = image;
	if (wide && image.second > 0)
		before->second--;
	else if (image.first > 0)
	{
		before->first--;
		before->second = wide ? PG_UINT64_MAX : 0;
	}
	else
		return false;
	return true;
}

static bool
image_after(KeyImage image, bool wide, KeyImage *after)
{
	*after = image;
	if (wide && image.second < PG_UINT64_MAX)
		after->second++;
	else if (image.first < PG_UINT64_MAX)
	{
		after->first++;
		after->second = 0;
	}
	else
		return false;
	return true;
}

/* Where images of values lie that may stand left of "operator constant". */
static ImageInterval
operand_interval(const Operand *operand, StrategyNumber strategy, bool wide, bool *lossy)
{
	ImageInterval interval = everything;
	bool		exact = operand->alone;

	switch (strategy)
	{
		case BTLessStrategyNumber:
			interval.high = operand->image;
			exact = operand->least;
			if (exact && !image_before(operand->image, wide, &interval.high))
				interval = nothing;
			break;
		case BTLessEqualStrategyNumber:
			interval.high = operand->image;
			break;
		case BTEqualStrategyNumber:
			interval.low = interval.high = operand->image;
			break;
		case BTGreaterEqualStrategyNumber:
			interval.low = operand->image;
			exact = operand->least;
			break;
		case BTGreaterStrategyNumber:
			interval.low = operand->image;
			if (exact && !image_after(operand->image, wide, &interval.low))
				interval = nothing;
			break;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	*lossy |= !exact;
	return interval;
}

static void
limit_interval(ColumnTest *test, ImageInterval limit)
{
	if (key_image_compare(test->interval.low, limit.low) < 0)
		test->interval.low = limit.low;
	if (key_image_compare(test->interval.high, limit.high) > 0)
		test->interval.high = limit.high;
}

/* Keep of the test's list what the other one has, too. Both are sorted. */
static void
limit_list(ColumnTest *test, KeyImage *values, int nvalues)
{
	int			kept = 0;

	if (test->values == NULL)
	{
		test->values = values;
		test->nvalues = nvalues;
		return;
	}
	for (int i = 0, j = 0; i < test->nvalues && j < nvalues;)
	{
		int			order = key_image_compare(test->values[i], values[j]);

		if (order == 0)
			test->values[kept++] = test->values[i];
		if (order <= 0)
			i++;
		if (order >= 0)
			j++;
	}
	test->nvalues = kept;
}

/* column operator ANY (array) */
static void
add_array(HnswConditions *conditions, ColumnTest *test, ScanKey key, KeyKind kind)
{
	ArrayType  *array = DatumGetArrayTypeP(key->sk_argument);
	bool		equal = key->sk_strategy == BTEqualStrategyNumber;
	ImageInterval any = nothing;
	int16		length;
	bool		by_value;
	char		align;
	Datum	   *elements;
	bool	   *nulls;
	int			nelements;
	KeyImage   *values;
	int			nvalues = 0;
	int			nunique = 0;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align,
					  &elements, &nulls, &nelements);
	values = (KeyImage *) palloc_extended(Max(nelements, 1) * sizeof(KeyImage),
										  MCXT_ALLOC_HUGE);
	for (int i = 0; i < nelements; i++)
	{
		Operand		operand;
		ImageInterval interval;

		/* A null is neither equal nor less nor greater. */
		if (nulls[i])
			continue;
		operand = make_operand(elements[i], kind);
		interval = operand_interval(&operand, key->sk_strategy, test->wide,
									&conditions->lossy);
		values[nvalues++] = operand.image;
		if (key_image_compare(interval.low, interval.high) > 0)
			continue;

		/* Of a bound on one side, the widest holds. */
		if (key_image_compare(interval.low, any.low) < 0)
			any.low = interval.low;
		if (key_image_compare(interval.high, any.high) > 0)
			any.high = interval.high;
	}
	limit_interval(test, any);
	if (!equal)
	{
		pfree(values);
		return;
	}
	qsort(values, nvalues, sizeof(KeyImage), image_compare);
	for (int i = 0; i < nvalues; i++)
	{
		if (nunique == 0 || key_image_compare(values[nunique - 1], values[i]) != 0)
			values[nunique++] = values[i];
	}
	limit_list(test, values, nunique);
}

/* The test of the key's column, which the catalogs and the shape agree on. */
static ColumnTest *
find_test(HnswConditions *conditions, const HnswShape *shape, Relation index, int column)
{
	const HnswColumn *kept;
	ColumnTest *test;
	uint8		null_bit = 1 << (column - 1);

	if (column > shape->ncolumns || column >= index->rd_index->indnkeyatts ||
		shape->columns[column - 1].kind != key_kind_of_type(index->rd_opcintype[column]))
		ereport(ERROR,
				(errcode(ERRCODE_INDEX_CORRUPTED),
				 errmsg("index \"%s\" was not built for column %d of its definition",
						RelationGetRelationName(index), column + 1),
				 errhint("Please REINDEX it.")));
	for (int i = 0; i < conditions->ntests; i++)
	{
		if (conditions->tests[i].null_bit == null_bit)
			return &conditions->tests[i];
	}
	kept = &shape->columns[column - 1];
	test = &conditions->tests[conditions->ntests++];
	test->null_bit = null_bit;
	test->wide = kept->bytes == sizeof(KeyImage);
	test->at = kept->at;
	test->interval = everything;
	return test;
}

static void
add_key(HnswConditions *conditions, const HnswShape *shape, Relation index, ScanKey key)
{
	int			column = key->sk_attno - 1;
	ColumnTest *test;
	KeyKind		kind;
	Operand		operand;

	if (key->sk_flags & SK_ROW_HEADER)
		elog(ERROR, "unexpected scan key flags: %x", key->sk_flags);
	if (column == 0)
	{
		/* The vector: there are no operators to search by. */
		if (key->sk_flags & SK_SEARCHNULL)
			conditions->impossible = true;
		else if (!(key->sk_flags & SK_SEARCHNOTNULL))
			elog(ERROR, "unexpected scan key on column 1");
		return;
	}

	/*
	 * The constant may be of another integer type than the column. An
	 * operator that somebody has added for other types says nothing here.
	 */
	kind = key_kind_of_type(index->rd_opcintype[column]);
	if (OidIsValid(key->sk_subtype))
	{
		if (!key_types_comparable(index->rd_opcintype[column], key->sk_subtype))
		{
			conditions->lossy = true;
			return;
		}
		kind = key_kind_of_type(key->sk_subtype);
	}
	test = find_test(conditions, shape, index, column);
	if (key->sk_flags & SK_SEARCHNULL)
	{
		test->wants_null = true;
		return;
	}
	if (key->sk_flags & SK_SEARCHNOTNULL)
	{
		test->wants_value = true;
		return;
	}
	test->wants_value = true;
	if (key->sk_flags & SK_ISNULL)
		conditions->impossible = true;
	else if (key->sk_flags & SK_SEARCHARRAY)
		add_array(conditions, test, key, kind);
	else
	{
		operand = make_operand(key->sk_argument, kind);
		limit_interval(test, operand_interval(&operand, key->sk_strategy, test->wide,
											  &conditions->lossy));
	}
}

/* Cut the list to the interval and the other way round; can anything pass? */
static bool
finish_test(ColumnTest *test)
{
	int			kept = 0;

	if (test->wants_null)
		return !test->wants_value;
	if (test->values != NULL)
	{
		for (int i = 0; i < test->nvalues; i++)
		{
			if (key_image_compare(test->values[i], test->interval.low) >= 0 &&
				key_image_compare(test->values[i], test->interval.high) <= 0)
				test->values[kept++] = test->values[i];
		}
		test->nvalues = kept;
		if (kept == 0)
			return false;
		test->interval.low = test->values[0];
		test->interval.high = test->values[kept - 1];
		if (kept == 1)
			test->values = NULL;
	}
	return key_image_compare(test->interval.low, test->interval.high) <= 0;
}

HnswConditions *
hnsw_conditions_make(const HnswShape *shape, Relation index, ScanKey keys, int nkeys)
{
	HnswConditions *conditions;

	if (nkeys == 0)
		return NULL;
	conditions = (HnswConditions *) palloc0(sizeof(HnswConditions));
	for (int i = 0; i < nkeys; i++)
		add_key(conditions, shape, index, &keys[i]);
	for (int i = 0; i < conditions->ntests; i++)
	{
		ColumnTest *test = &conditions->tests[i];

		if (!finish_test(test))
			conditions->impossible = true;
	}
	if (conditions->ntests == 0 && !conditions->impossible && !conditions->lossy)
	{
		pfree(conditions);
		return NULL;
	}
	return conditions;
}

bool
hnsw_conditions_impossible(const HnswConditions *conditions)
{
	return conditions->impossible;
}

bool
hnsw_conditions_lossy(const HnswConditions *conditions)
{
	return conditions->lossy;
}

static bool
list_has(const ColumnTest *test, KeyImage image)
{
	int			low = 0;
	int			high = test->nvalues;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (key_image_compare(test->values[middle], image) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < test->nvalues && key_image_compare(test->values[low], image) == 0;
}

bool
hnsw_conditions_meet(const HnswConditions *conditions, const char *columns, uint8 nulls)
{
	if (conditions->impossible)
		return false;
	for (int i = 0; i < conditions->ntests; i++)
	{
		const ColumnTest *test = &conditions->tests[i];
		KeyImage	image = {0, 0};

		if (((nulls & test->null_bit) != 0) != test->wants_null)
			return false;
		if (test->wants_null)
			continue;
		if (test->wide)
			memcpy(&image, columns + test->at, sizeof(KeyImage));
		else
			memcpy(&image.first, columns + test->at, sizeof(uint64));
		if (key_image_compare(image, test->interval.low) < 0 ||
			key_image_compare(image, test->interval.high) > 0 ||
			(test->values != NULL && !list_has(test, image)))
			return false;
	}
	return true;
}
