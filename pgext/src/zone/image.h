/*
 * image.h
 *	  From column values to what the zone map stores of them.
 *
 * An image is an unsigned 64-bit number; values in order have images in order,
 * though different values of a prefix kind may share one. A row becomes a pair
 * of images. The README says which columns the halves of a pair come from.
 */
#ifndef ZONE_IMAGE_H
#define ZONE_IMAGE_H

#include "access/attnum.h"
#include "utils/relcache.h"

#define ZONE_MAX_COLUMNS 2

typedef struct ZonePair
{
	uint64		first;
	uint64		second;
} ZonePair;

/* A closed interval of pairs; low > high is the empty one. */
typedef struct ZoneRange
{
	ZonePair	low;
	ZonePair	high;
} ZoneRange;

/* Stored in the metapage: never renumber. */
typedef enum ZoneKind
{
	ZONE_KIND_NONE = 0,			/* no such column */
	ZONE_KIND_INT2 = 1,
	ZONE_KIND_INT4 = 2,
	ZONE_KIND_INT8 = 3,
	ZONE_KIND_OID = 4,
	ZONE_KIND_BOOL = 5,
	ZONE_KIND_DATE = 6,
	ZONE_KIND_TIMESTAMP = 7,	/* with and without time zone */
	ZONE_KIND_UUID = 8,
	ZONE_KIND_BYTES = 9			/* text under a C collation, bytea */
} ZoneKind;

/* What an index is made of, as far as images are concerned. */
typedef struct ZoneKey
{
	int			ncolumns;
	AttrNumber	attnums[ZONE_MAX_COLUMNS];	/* of the heap */
	ZoneKind	kinds[ZONE_MAX_COLUMNS];
} ZoneKey;

static inline int
zone_pair_compare(ZonePair a, ZonePair b)
{
	if (a.first != b.first)
		return a.first < b.first ? -1 : 1;
	if (a.second != b.second)
		return a.second < b.second ? -1 : 1;
	return 0;
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

/* Do different values of the kind always have different images? */
static inline bool
zone_kind_is_exact(ZoneKind kind)
{
	return kind != ZONE_KIND_UUID && kind != ZONE_KIND_BYTES;
}

/* Do both halves of a pair come from the first column? */
static inline bool
zone_key_is_wide(const ZoneKey *key)
{
	return !zone_kind_is_exact(key->kinds[0]);
}

/* Kind of a type, ZONE_KIND_NONE when the map cannot hold it. */
extern ZoneKind zone_kind_of_type(Oid type);

/* Are images of the two types in the order in which their values compare? */
extern bool zone_types_comparable(Oid a, Oid b);

/*
 * Both halves of the image of a value; the second is 0 for exact kinds. type
 * is the value's own, which may be another integer type than the column's.
 * Fetches compressed and out-of-line values: hold no buffer lock.
 */
extern ZonePair zone_image(Datum value, Oid type);

/* Image of an exact kind's value of the column's own type; never fetches. */
extern uint64 zone_image_exact(Datum value, ZoneKind kind);

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
