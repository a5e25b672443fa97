/*
 * image.c
 *	  From rows to what the zone map stores of them.
 */
#include "postgres.h"

#include "zone/image.h"

const ZoneRange zone_range_nothing = {
	{PG_UINT64_MAX, PG_UINT64_MAX}, {0, 0}
};
const ZoneRange zone_range_everything = {
	{0, 0}, {PG_UINT64_MAX, PG_UINT64_MAX}
};

/*
 * Range of a row from the pairs of its columns. second is NULL when the second
 * column is NULL or there is none to look at.
 */
static ZoneRange
row_range(const ZoneKey *key, ZonePair first, const ZonePair *second)
{
	ZoneRange	range = {first, first};

	if (key->ncolumns > 1 && !zone_key_is_wide(key))
	{
		range.low.second = second ? second->first : 0;
		range.high.second = second ? second->first : PG_UINT64_MAX;
	}
	return range;
}

bool
zone_row_range_inline(const ZoneKey *key, const Datum *values,
					  const bool *isnull, ZoneRange *range)
{
	bool		has_second = key->ncolumns > 1 && !zone_key_is_wide(key) && !isnull[1];
	ZonePair	first;
	ZonePair	second;

	if (isnull[0])
	{
		*range = zone_range_nothing;
		return true;
	}
	if (!key_image_inline(values[0], key->kinds[0], &first))
		return false;
	if (has_second && !key_image_inline(values[1], key->kinds[1], &second))
		return false;
	*range = row_range(key, first, has_second ? &second : NULL);
	return true;
}

void
zone_row_range(const ZoneKey *key, const Datum *values, const bool *isnull,
			   ZoneRange *range)
{
	bool		has_second = key->ncolumns > 1 && !zone_key_is_wide(key) && !isnull[1];
	ZonePair	second;

	if (isnull[0])
	{
		*range = zone_range_nothing;
		return;
	}
	if (has_second)
		second = key_image(values[1], key->kinds[1]);
	*range = row_range(key, key_image(values[0], key->kinds[0]),
					   has_second ? &second : NULL);
}
