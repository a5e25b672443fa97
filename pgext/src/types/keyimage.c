/*
 * keyimage.c
 *	  From column values to numbers in the order of the values.
 *
 * Integers of any width share one scale, the 64-bit signed one, so that a
 * bigint constant can be compared with an integer column. Byte strings give
 * their first bytes, big-endian and padded with zeros: a proper prefix sorts
 * first in memcmp() order, and so does its image or it is equal.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "compat.h"
#include "keysearch.h"
#include "types/keyimage.h"

#define IMAGE_BYTES ((int) sizeof(uint64))

KeyKind
key_kind_of_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return KEY_KIND_INT2;
		case INT4OID:
			return KEY_KIND_INT4;
		case INT8OID:
			return KEY_KIND_INT8;
		case OIDOID:
			return KEY_KIND_OID;
		case BOOLOID:
			return KEY_KIND_BOOL;
		case DATEOID:
			return KEY_KIND_DATE;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return KEY_KIND_TIMESTAMP;
		case UUIDOID:
			return KEY_KIND_UUID;
		case TEXTOID:
		case VARCHAROID:
		case BYTEAOID:
			return KEY_KIND_BYTES;
		default:
			return KEY_KIND_NONE;
	}
}

static bool
is_integer_kind(KeyKind kind)
{
	return kind == KEY_KIND_INT2 || kind == KEY_KIND_INT4 ||
		kind == KEY_KIND_INT8;
}

/* A kind may stand for types that do not: what a timestamp is to one with time
 * zone depends on the session. */
bool
key_types_comparable(Oid a, Oid b)
{
	return a == b || (is_integer_kind(key_kind_of_type(a)) &&
					  is_integer_kind(key_kind_of_type(b)));
}

/* The server's own C locales, and the builtin provider's, order by memcmp(). */
#define PROVIDER_BUILTIN 'b'

static bool
locale_orders_bytes(char provider, HeapTuple tuple, int cacheid,
					AttrNumber collate_attribute)
{
	Datum		datum;
	bool		isnull;
	char	   *locale;

	if (provider == PROVIDER_BUILTIN)
		return true;
	if (provider != COLLPROVIDER_LIBC)
		return false;
	datum = SysCacheGetAttr(cacheid, tuple, collate_attribute, &isnull);
	if (isnull)
		return false;
	locale = TextDatumGetCString(datum);
	return strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0;
}

/* From the catalogs: the header that would tell needs those of the ICU
 * library. */
bool
key_collation_supported(Oid collation)
{
	HeapTuple	tuple;
	bool		result;

	if (!OidIsValid(collation))
		return true;
	if (collation == DEFAULT_COLLATION_OID)
	{
		tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
		result = locale_orders_bytes(((Form_pg_database) GETSTRUCT(tuple))->datlocprovider,
									 tuple, DATABASEOID,
									 Anum_pg_database_datcollate);
	}
	else
	{
		tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for collation %u", collation);
		result = locale_orders_bytes(((Form_pg_collation) GETSTRUCT(tuple))->collprovider,
									 tuple, COLLOID,
									 Anum_pg_collation_collcollate);
	}
	ReleaseSysCache(tuple);
	return result;
}

uint64
key_image_exact(Datum value, KeyKind kind)
{
	switch (kind)
	{
		case KEY_KIND_INT2:
			return key_image_int64(DatumGetInt16(value));
		case KEY_KIND_INT4:
			return key_image_int64(DatumGetInt32(value));
		case KEY_KIND_INT8:
			return key_image_int64(DatumGetInt64(value));
		case KEY_KIND_OID:
			return DatumGetObjectId(value);
		case KEY_KIND_BOOL:
			return DatumGetBool(value) ? 1 : 0;
		case KEY_KIND_DATE:
			return key_image_int64(DatumGetDateADT(value));
		case KEY_KIND_TIMESTAMP:
			return key_image_int64(DatumGetTimestamp(value));
		case KEY_KIND_NONE:
		case KEY_KIND_UUID:
		case KEY_KIND_BYTES:
			break;
	}
	elog(ERROR, "key kind %d has no exact image", (int) kind);
}

/* Number of the bytes from offset `from` on. */
static uint64
bytes_number(const unsigned char *bytes, size_t length, size_t from)
{
	uint64		number = 0;

	for (size_t i = from; i < from + IMAGE_BYTES; i++)
		number = (number << 8) | (i < length ? bytes[i] : 0);
	return number;
}

static KeyImage
bytes_image(const void *bytes, size_t length)
{
	KeyImage	image = {
		bytes_number(bytes, length, 0), bytes_number(bytes, length, IMAGE_BYTES)
	};

	return image;
}

bool
key_image_inline(Datum value, KeyKind kind, KeyImage *image)
{
	if (kind == KEY_KIND_UUID)
	{
		*image = bytes_image(DatumGetUUIDP(value)->data, UUID_LEN);
		return true;
	}
	if (kind == KEY_KIND_BYTES)
	{
		struct varlena *bytes = (struct varlena *) DatumGetPointer(value);

		if (VARATT_IS_EXTERNAL(bytes) || VARATT_IS_COMPRESSED(bytes))
			return false;
		*image = bytes_image(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
		return true;
	}
	image->first = key_image_exact(value, kind);
	image->second = 0;
	return true;
}

KeyImage
key_image(Datum value, KeyKind kind)
{
	KeyImage	image;

	if (!key_image_inline(value, kind, &image))
	{
		struct varlena *prefix =
			PG_DETOAST_DATUM_SLICE(value, 0, 2 * IMAGE_BYTES);

		image = bytes_image(VARDATA_ANY(prefix), VARSIZE_ANY_EXHDR(prefix));
		pfree(prefix);
	}
	return image;
}

static Datum
uuid_of_image(KeyImage image)
{
	pg_uuid_t  *uuid = (pg_uuid_t *) palloc(sizeof(pg_uuid_t));

	for (int i = 0; i < IMAGE_BYTES; i++)
	{
		int			shift = 8 * (IMAGE_BYTES - 1 - i);

		uuid->data[i] = (unsigned char) (image.first >> shift);
		uuid->data[IMAGE_BYTES + i] = (unsigned char) (image.second >> shift);
	}
	return UUIDPGetDatum(uuid);
}

Datum
key_image_value(KeyImage image, KeyKind kind)
{
	int64		number = key_value_int64(image.first);

	switch (kind)
	{
		case KEY_KIND_INT2:
			return Int16GetDatum((int16) number);
		case KEY_KIND_INT4:
			return Int32GetDatum((int32) number);
		case KEY_KIND_INT8:
			return Int64GetDatum(number);
		case KEY_KIND_OID:
			return ObjectIdGetDatum((Oid) image.first);
		case KEY_KIND_BOOL:
			return BoolGetDatum(image.first != 0);
		case KEY_KIND_DATE:
			return DateADTGetDatum((DateADT) number);
		case KEY_KIND_TIMESTAMP:
			return TimestampGetDatum(number);
		case KEY_KIND_UUID:
			return uuid_of_image(image);
		case KEY_KIND_NONE:
		case KEY_KIND_BYTES:
			break;
	}
	elog(ERROR, "key kind %d has no value", (int) kind);
}
