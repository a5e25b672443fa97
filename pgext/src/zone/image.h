/*
 * image.h
 *	  From rows to what the zone map stores of them.
 *
 * A row becomes a pair of numbers: those of its first column's image, or the
 * first ones of two columns' images (types/keyimage.h). The README says which
 * columns the halves of a pair come from.
 */
#ifndef ZONE_IMAGE_H
#define ZONE_IMAGE_H

#include "access/attnum.h"
#include "utils/relcache.h"

#include "types/keyimage.h"

#define ZONE_MAX_COLUMNS 2

typedef KeyImage ZonePair;

/* A closed interval of pairs; low > high is the empty one. */
typedef struct ZoneRange
{
	ZonePair	low;
	ZonePair	high;
} ZoneRange;

/* What an index is made of, as far as images are concerned. */
typedef struct ZoneKey
{
	int			ncolumns;
	AttrNumber	attnums[ZONE_MAX_COLUMNS];	/* of the heap */
	KeyKind		kinds[ZONE_MAX_COLUMNS];
} ZoneKey;

static inline int
zone_pair_compare(ZonePair a, ZonePair b)
{
	return key_image_compare(a, b);
}

static inline ZonePair
zone_pair_min(ZonePair a, ZonePair b)
{
	return zone_pair_compare(a, b) <= 0 ? a : b;
}

static inline ZonePair
zone_pair_max(ZonePair a, ZonePair b)
{
	return zone_pair_compare(a, b) >= 0 ? a : b;
}

static inline bool
zone_range_is_empty(ZoneRange range)
{
	return zone_pair_compare(range.low, range.high) > 0;
}

static inline bool
zone_range_contains(ZoneRange outer, ZoneRange inner)
{
	return zone_pair_compare(outer.low, inner.low) <= 0 &&
		zone_pair_compare(outer.high, inner.high) >= 0;
}

/* Smallest range that contains both; the empty range adds nothing. */
static inline ZoneRange
zone_range_union(ZoneRange a, ZoneRange b)
{
	ZoneRange	both = {zone_pair_min(a.low, b.low), zone_pair_max(a.high, b.high)};

	return both;
}

extern const ZoneRange zone_range_nothing;
extern const ZoneRange zone_range_everything;

/* Do both halves of a pair come from the first column? */
static inline bool
zone_key_is_wide(const ZoneKey *key)
{
	return !key_kind_is_exact(key->kinds[0]);
}

/*
 * The range that covers a row, for values as they are in a tuple on a page:
 * safe under a buffer lock. A NULL first column needs no cover: the empty
 * range. False when a value is compressed or out of line.
 */
extern bool zone_row_range_inline(const ZoneKey *key, const Datum *values,
								  const bool *isnull, ZoneRange *range);

/* The same for values from the executor, fetching what must be fetched. */
extern void zone_row_range(const ZoneKey *key, const Datum *values,
						   const bool *isnull, ZoneRange *range);

#endif							/* ZONE_IMAGE_H */
