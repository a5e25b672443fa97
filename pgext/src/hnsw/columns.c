/*
 * columns.c
 *	  Columns after the vector: which can be kept, and what a node keeps of them.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_type_d.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "hnsw/columns.h"
#include "hnsw/validate.h"
#include "keysearch.h"
#include "types/keyimage.h"

#define NARROW_BYTES ((int) sizeof(uint64))
#define WIDE_BYTES ((int) sizeof(KeyImage))

StaticAssertDecl(HNSW_MAX_COLUMNS <= 8, "nulls are bits of one byte");

int
hnsw_column_bytes(int kind)
{
	if (kind <= KEY_KIND_NONE || kind > KEY_KIND_BYTES)
		return 0;
	return key_kind_is_exact((KeyKind) kind) ? NARROW_BYTES : WIDE_BYTES;
}

static const char *
column_name(Relation index, int column)
{
	return NameStr(TupleDescAttr(RelationGetDescr(index), column)->attname);
}

/* A column that conditions may be on. */
static KeyKind
filter_kind(Relation index, int column)
{
	Oid			type = index->rd_opcintype[column];
	KeyKind		kind = key_kind_of_type(type);

	if (kind == KEY_KIND_NONE || (kind == KEY_KIND_BYTES && type != TEXTOID))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" does not support the type of column \"%s\" after the vector",
						"sorted_hnsw", column_name(index, column))));
	if (!key_collation_supported(index->rd_indcollation[column]))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" does not support the collation of column \"%s\"",
						"sorted_hnsw", column_name(index, column)),
				 errdetail("The index keeps text in byte order."),
				 errhint("Declare the column, or the column in the index, with COLLATE \"C\".")));
	if (!hnsw_filter_family_is_btrees(index->rd_opfamily[column], type))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class of column \"%s\" does not compare values as btree does",
						column_name(index, column)),
				 errhint("Use a default operator class of access method \"%s\"; amvalidate() tells what is wrong with this one.",
						 "sorted_hnsw")));
	return kind;
}

/* A column that is only kept, to be given back. */
static KeyKind
payload_kind(Relation index, int column)
{
	Oid			type = getBaseType(TupleDescAttr(RelationGetDescr(index), column)->atttypid);
	KeyKind		kind = key_kind_of_type(type);

	if (kind == KEY_KIND_NONE || kind == KEY_KIND_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" does not support included columns of type %s",
						"sorted_hnsw", format_type_be(type)),
				 errhint("Included columns can be smallint, integer, bigint, oid, boolean, date, timestamp and uuid.")));
	return kind;
}

int
hnsw_column_kind(Relation index, int column)
{
	return column < index->rd_index->indnkeyatts ? filter_kind(index, column)
		: payload_kind(index, column);
}

void
hnsw_columns_write(const HnswShape *shape, const Datum *values,
				   const bool *isnull, char *columns, uint8 *nulls)
{
	*nulls = 0;
	for (int i = 0; i < shape->ncolumns; i++)
	{
		const HnswColumn *column = &shape->columns[i];
		KeyImage	image = {0, 0};

		if (isnull[i + 1])
			*nulls |= 1 << i;
		else
			image = key_image(values[i + 1], (KeyKind) column->kind);
		memcpy(columns + column->at, &image, column->bytes);
	}
}

bool
hnsw_columns_get(const HnswShape *shape, int column, const char *columns,
				 uint8 nulls, Datum *value, bool *isnull)
{
	KeyKind		kind = (KeyKind) shape->columns[column].kind;
	KeyImage	image = {0, 0};

	if (kind == KEY_KIND_NONE || kind == KEY_KIND_BYTES)
		return false;
	*value = (Datum) 0;
	*isnull = (nulls & (1 << column)) != 0;
	if (*isnull)
		return true;
	memcpy(&image, columns + shape->columns[column].at, shape->columns[column].bytes);
	*value = key_image_value(image, kind);
	return true;
}

int
hnsw_columns_fault(const HnswShape *shape, const char *columns, uint8 nulls)
{
	for (int i = 0; i < shape->ncolumns; i++)
	{
		const HnswColumn *column = &shape->columns[i];
		KeyImage	image = {0, 0};
		Datum		value;
		bool		isnull;

		if (!hnsw_columns_get(shape, i, columns, nulls, &value, &isnull))
			continue;
		if (!isnull)
			image = key_image(value, (KeyKind) column->kind);
		if (memcmp(columns + column->at, &image, column->bytes) != 0)
			return i;
	}
	return -1;
}
