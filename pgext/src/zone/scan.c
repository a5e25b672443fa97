/*
 * scan.c
 *	  Bitmap scans: scan keys -> ranges of pairs -> lossy pages.
 *
 * Every key only narrows: a key that is not understood could be left out, since
 * all pages are lossy and the executor rechecks. Conditions on one column are
 * an interval and at most one list of values; further lists narrow the interval
 * alone.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "zone/pageio.h"
#include "zone/zone.h"
#include "zone/zonemap.h"

/* Above this product of two lists, the second column is taken as an interval:
 * chains of neighbours tell little more then. */
#define MAX_COMBINATIONS 10000

/* What the scan keys ask of one column, as images (image.h). */
typedef struct Condition
{
	ZoneRange	interval;
	ZonePair   *values;			/* sorted, unique; NULL: no list */
	int			nvalues;
} Condition;

static bool add_key(ScanKey key, Oid type, Condition *condition);
static bool add_array(ScanKey key, Oid type, Condition *condition);
static void limit_interval(Condition *condition, StrategyNumber strategy,
						   ZonePair value, bool exact);
static ZoneRange *build_ranges(const ZoneKey *key, const Condition *conditions,
							   int *nranges);
static int64 add_pages(const ZoneBlocks *blocks, TIDBitmap *bitmap);

IndexScanDesc
zone_begin_scan(Relation index, int nkeys, int norderbys)
{
	return RelationGetIndexScan(index, nkeys, norderbys);
}

void
zone_rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys,
			int norderbys)
{
	if (keys != NULL && scan->numberOfKeys > 0)
		memmove(scan->keyData, keys, scan->numberOfKeys * sizeof(ScanKeyData));
}

void
zone_end_scan(IndexScanDesc scan)
{
}

int64
zone_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
	Relation	index = scan->indexRelation;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "sorted_zone scan",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Condition	conditions[ZONE_MAX_COLUMNS];
	bool		possible = true;
	int64		npages = 0;

	for (int i = 0; i < ZONE_MAX_COLUMNS; i++)
	{
		conditions[i].interval = zone_range_everything;
		conditions[i].values = NULL;
		conditions[i].nvalues = 0;
	}
	for (int i = 0; i < scan->numberOfKeys && possible; i++)
	{
		ScanKey		key = &scan->keyData[i];
		int			column = key->sk_attno - 1;

		Assert(column >= 0 && column < ZONE_MAX_COLUMNS);
		possible = add_key(key, index->rd_opcintype[column],
						   &conditions[column]);
	}

	if (possible)
	{
		Relation	heap = table_open(index->rd_index->indrelid, AccessShareLock);
		ZoneMap    *map = zonemap_open(heap, index, scan->xs_snapshot);
		ZoneBlocks	blocks;
		ZoneRange  *ranges;
		int			nranges;

		table_close(heap, AccessShareLock);
		ranges = build_ranges(zonemap_key(map), conditions, &nranges);
		nranges = zone_ranges_normalize(ranges, nranges);
		(void) zonemap_lookup(map, ranges, nranges, ZONE_SEARCH_ANY, &blocks);
		npages = add_pages(&blocks, bitmap);
	}

	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);

	/* Core wants a number of rows; a page holds at least one of interest. */
	return npages;
}

/* Narrow a condition by one key; false when no row can satisfy it. */
static bool
add_key(ScanKey key, Oid type, Condition *condition)
{
	if (key->sk_flags & SK_ISNULL)
		return false;
	if (key->sk_flags & (SK_SEARCHNULL | SK_SEARCHNOTNULL | SK_ROW_HEADER))
		elog(ERROR, "unexpected scan key flags: %x", key->sk_flags);

	/*
	 * The value may be of another integer type than the column. An operator
	 * that somebody has added for other types says nothing here.
	 */
	if (OidIsValid(key->sk_subtype))
	{
		if (!key_types_comparable(type, key->sk_subtype))
			return true;
		type = key->sk_subtype;
	}
	if (key->sk_flags & SK_SEARCHARRAY)
		return add_array(key, type, condition);

	limit_interval(condition, key->sk_strategy,
				   key_image(key->sk_argument, key_kind_of_type(type)),
				   key_kind_is_exact(key_kind_of_type(type)));
	return !zone_range_is_empty(condition->interval);
}

/* Narrow an interval by "column operator value". */
static void
limit_interval(Condition *condition, StrategyNumber strategy, ZonePair value,
			   bool exact)
{
	ZoneRange  *interval = &condition->interval;
	ZoneRange	limit = zone_range_everything;

	switch (strategy)
	{
		case BTLessStrategyNumber:
			if (exact && value.first == 0)
				limit = zone_range_nothing;
			else if (exact)
				limit.high.first = value.first - 1;
			else
				limit.high = value;
			break;
		case BTLessEqualStrategyNumber:
			limit.high = value;
			break;
		case BTEqualStrategyNumber:
			limit.low = value;
			limit.high = value;
			break;
		case BTGreaterEqualStrategyNumber:
			limit.low = value;
			break;
		case BTGreaterStrategyNumber:
			if (exact && value.first == PG_UINT64_MAX)
				limit = zone_range_nothing;
			else if (exact)
			{
				limit.low.first = value.first + 1;
				limit.low.second = 0;
			}
			else
				limit.low = value;
			break;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	interval->low = zone_pair_max(interval->low, limit.low);
	interval->high = zone_pair_min(interval->high, limit.high);
}

static int
pair_compare(const void *a, const void *b)
{
	return zone_pair_compare(*(const ZonePair *) a, *(const ZonePair *) b);
}

/* column = ANY (array), or another operator with ANY. */
static bool
add_array(ScanKey key, Oid type, Condition *condition)
{
	ArrayType  *array = DatumGetArrayTypeP(key->sk_argument);
	int16		length;
	bool		by_value;
	char		align;
	Datum	   *elements;
	bool	   *nulls;
	int			nelements;
	ZonePair   *values;
	int			nvalues = 0;
	int			nunique = 0;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align,
					  &elements, &nulls, &nelements);

	values = palloc_extended(Max(nelements, 1) * sizeof(ZonePair),
							 MCXT_ALLOC_HUGE);
	for (int i = 0; i < nelements; i++)
	{
		/* NULL compares as neither equal, less nor greater */
		if (!nulls[i])
			values[nvalues++] = key_image(elements[i], key_kind_of_type(type));
	}
	if (nvalues == 0)
		return false;
	qsort(values, nvalues, sizeof(ZonePair), pair_compare);

	if (key->sk_strategy != BTEqualStrategyNumber)
	{
		/* The most permissive element decides. */
		bool		below = key->sk_strategy == BTLessStrategyNumber ||
			key->sk_strategy == BTLessEqualStrategyNumber;

		limit_interval(condition, key->sk_strategy,
					   values[below ? nvalues - 1 : 0],
					   key_kind_is_exact(key_kind_of_type(type)));
		return !zone_range_is_empty(condition->interval);
	}

	for (int i = 0; i < nvalues; i++)
	{
		if (nunique == 0 || zone_pair_compare(values[nunique - 1], values[i]) != 0)
			values[nunique++] = values[i];
	}
	condition->interval.low = zone_pair_max(condition->interval.low, values[0]);
	condition->interval.high = zone_pair_min(condition->interval.high,
											 values[nunique - 1]);
	if (condition->values == NULL)
	{
		condition->values = values;
		condition->nvalues = nunique;
	}
	return !zone_range_is_empty(condition->interval);
}

/*
 * The values a condition allows, as intervals of points: its list cut to its
 * interval, or the interval itself. Returns their number.
 */
static int
condition_points(const Condition *condition, ZoneRange **points)
{
	int			npoints = 0;

	if (condition->values == NULL)
	{
		*points = palloc(sizeof(ZoneRange));
		(*points)[0] = condition->interval;
		return 1;
	}

	*points = palloc_extended(condition->nvalues * sizeof(ZoneRange),
							  MCXT_ALLOC_HUGE);
	for (int i = 0; i < condition->nvalues; i++)
	{
		ZoneRange	point = {condition->values[i], condition->values[i]};

		if (zone_range_contains(condition->interval, point))
			(*points)[npoints++] = point;
	}
	return npoints;
}

/* Pairs of rows that satisfy the conditions on both columns. */
static ZoneRange *
build_ranges(const ZoneKey *key, const Condition *conditions, int *nranges)
{
	Condition	second = conditions[1];
	ZoneRange  *first_points;
	ZoneRange  *second_points;
	ZoneRange  *ranges;
	int			nfirst = condition_points(&conditions[0], &first_points);
	int			nsecond;

	/* Both halves of a wide key's pair are the first column. */
	if (zone_key_is_wide(key))
	{
		*nranges = nfirst;
		return first_points;
	}

	/*
	 * Of a list, the interval between first and last is what is left when it
	 * is not worth its length, or cannot be used under a range.
	 */
	if (second.values != NULL &&
		(conditions[0].interval.low.first != conditions[0].interval.high.first &&
		 conditions[0].values == NULL))
		second.values = NULL;
	if ((int64) nfirst * Max(second.nvalues, 1) > MAX_COMBINATIONS)
		second.values = NULL;
	nsecond = condition_points(&second, &second_points);

	*nranges = nfirst * nsecond;
	ranges = palloc_extended(Max(*nranges, 1) * sizeof(ZoneRange),
							 MCXT_ALLOC_HUGE);
	for (int i = 0; i < nfirst; i++)
	{
		for (int j = 0; j < nsecond; j++)
		{
			ZoneRange  *range = &ranges[i * nsecond + j];

			range->low.first = first_points[i].low.first;
			range->low.second = second_points[j].low.first;
			range->high.first = first_points[i].high.first;
			range->high.second = second_points[j].high.first;
		}
	}
	return ranges;
}

static int64
add_pages(const ZoneBlocks *blocks, TIDBitmap *bitmap)
{
	int64		npages = 0;

	for (int i = 0; i < blocks->nruns; i++)
	{
		const ZoneRun *run = &blocks->runs[i];

		CHECK_FOR_INTERRUPTS();
		for (BlockNumber n = 0; n < run->count; n++)
			tbm_add_page(bitmap, run->first + n);
		npages += run->count;
	}
	return npages;
}
