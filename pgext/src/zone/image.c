/*
 * image.c
 *	  From column values to what the zone map stores of them.
 *
 * Integers of any width share one scale, the 64-bit signed one, so that a
 * bigint constant can be compared with an integer column. Byte strings give
 * their first bytes, big-endian and padded with zeros: a proper prefix sorts
 * first in memcmp() order, and so does its image or it is equal.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "compat.h"
#include "keysearch.h"
#include "zone/image.h"

#define IMAGE_BYTES ((int) sizeof(uint64))

const ZoneRange zone_range_nothing = {
	{PG_UINT64_MAX, PG_UINT64_MAX}, {0, 0}
};
const ZoneRange zone_range_everything = {
	{0, 0}, {PG_UINT64_MAX, PG_UINT64_MAX}
};

ZoneKind
zone_kind_of_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return ZONE_KIND_INT2;
		case INT4OID:
			return ZONE_KIND_INT4;
		case INT8OID:
			return ZONE_KIND_INT8;
		case OIDOID:
			return ZONE_KIND_OID;
		case BOOLOID:
			return ZONE_KIND_BOOL;
		case DATEOID:
			return ZONE_KIND_DATE;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return ZONE_KIND_TIMESTAMP;
		case UUIDOID:
			return ZONE_KIND_UUID;
		case TEXTOID:
		case VARCHAROID:
		case BYTEAOID:
			return ZONE_KIND_BYTES;
		default:
			return ZONE_KIND_NONE;
	}
}

static bool
is_integer_kind(ZoneKind kind)
{
	return kind == ZONE_KIND_INT2 || kind == ZONE_KIND_INT4 ||
		kind == ZONE_KIND_INT8;
}

/* A kind may stand for types that do not: what a timestamp is to one with time
 * zone depends on the session. */
bool
zone_types_comparable(Oid a, Oid b)
{
	return a == b || (is_integer_kind(zone_kind_of_type(a)) &&
					  is_integer_kind(zone_kind_of_type(b)));
}

uint64
zone_image_exact(Datum value, ZoneKind kind)
{
	switch (kind)
	{
		case ZONE_KIND_INT2:
			return key_image_int64(DatumGetInt16(value));
		case ZONE_KIND_INT4:
			return key_image_int64(DatumGetInt32(value));
		case ZONE_KIND_INT8:
			return key_image_int64(DatumGetInt64(value));
		case ZONE_KIND_OID:
			return DatumGetObjectId(value);
		case ZONE_KIND_BOOL:
			return DatumGetBool(value) ? 1 : 0;
		case ZONE_KIND_DATE:
			return key_image_int64(DatumGetDateADT(value));
		case ZONE_KIND_TIMESTAMP:
			return key_image_int64(DatumGetTimestamp(value));
		case ZONE_KIND_NONE:
		case ZONE_KIND_UUID:
		case ZONE_KIND_BYTES:
			break;
	}
	elog(ERROR, "zone map key kind %d has no exact image", (int) kind);
}

/* Image of the bytes from offset `from` on. */
static uint64
bytes_image(const unsigned char *bytes, size_t length, size_t from)
{
	uint64		image = 0;

	for (size_t i = from; i < from + IMAGE_BYTES; i++)
		image = (image << 8) | (i < length ? bytes[i] : 0);
	return image;
}

static ZonePair
bytes_pair(const void *bytes, size_t length)
{
	ZonePair	pair = {
		bytes_image(bytes, length, 0), bytes_image(bytes, length, IMAGE_BYTES)
	};

	return pair;
}

/* The pair of one value; false when it is not stored inline and plain. */
static bool
value_pair_inline(Datum value, ZoneKind kind, ZonePair *pair)
{
	if (kind == ZONE_KIND_UUID)
	{
		*pair = bytes_pair(DatumGetUUIDP(value)->data, UUID_LEN);
		return true;
	}
	if (kind == ZONE_KIND_BYTES)
	{
		struct varlena *bytes = (struct varlena *) DatumGetPointer(value);

		if (VARATT_IS_EXTERNAL(bytes) || VARATT_IS_COMPRESSED(bytes))
			return false;
		*pair = bytes_pair(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
		return true;
	}
	pair->first = zone_image_exact(value, kind);
	pair->second = 0;
	return true;
}

static ZonePair
value_pair(Datum value, ZoneKind kind)
{
	ZonePair	pair;

	if (!value_pair_inline(value, kind, &pair))
	{
		struct varlena *prefix =
			PG_DETOAST_DATUM_SLICE(value, 0, 2 * IMAGE_BYTES);

		pair = bytes_pair(VARDATA_ANY(prefix), VARSIZE_ANY_EXHDR(prefix));
		pfree(prefix);
	}
	return pair;
}

ZonePair
zone_image(Datum value, Oid type)
{
	return value_pair(value, zone_kind_of_type(type));
}

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
	if (!value_pair_inline(values[0], key->kinds[0], &first))
		return false;
	if (has_second && !value_pair_inline(values[1], key->kinds[1], &second))
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
		second = value_pair(values[1], key->kinds[1]);
	*range = row_range(key, value_pair(values[0], key->kinds[0]),
					   has_second ? &second : NULL);
}
