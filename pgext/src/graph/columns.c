/*
 * columns.c
 *	  The five columns of a facts table: found by name, read by offset.
 *
 * A column's type must be the one named here or a domain over it (a domain
 * stores its base type's bytes); anything else is refused rather than
 * converted, since pages are read without a planner.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "graph/columns.h"

static const char *const default_names[FACT_NCOLUMNS] = {
	"entity_id", "relation_id", "target_id", "embedding", "payload"
};

void
facts_default_names(FactNames *names)
{
	for (int i = 0; i < FACT_NCOLUMNS; i++)
		namestrcpy(&names->name[i], default_names[i]);
	names->registered = false;
}

static Oid
own_type(const char *name, Oid home)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
						   CStringGetDatum(name), ObjectIdGetDatum(home));
}

/* The type that a column must have; an embedding may be hsvec as well. */
static Oid
expected_type(FactColumn column, Oid home)
{
	switch (column)
	{
		case FACT_ENTITY:
		case FACT_TARGET:
			return INT4OID;
		case FACT_RELATION:
			return INT2OID;
		case FACT_PAYLOAD:
			return TEXTOID;
		case FACT_EMBEDDING:
			break;
	}
	return own_type("svec", home);
}

static AttrNumber
find_column(Relation rel, const FactNames *names, FactColumn column)
{
	TupleDesc	desc = RelationGetDescr(rel);
	const char *name = NameStr(names->name[column]);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (!att->attisdropped && strcmp(NameStr(att->attname), name) == 0)
			return att->attnum;
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of relation \"%s\" does not exist",
					name, RelationGetRelationName(rel)),
			 names->registered ?
			 errhint("The table is registered with this column name; register it again.") :
			 errhint("Register other column names with sorted_heap_graph_register.")));
	return InvalidAttrNumber;	/* keep compiler quiet */
}

static bool
has_type(Relation rel, AttrNumber attno, Oid expected)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attno - 1);

	return att->atttypid == expected || getBaseType(att->atttypid) == expected;
}

static void
check_type(Relation rel, AttrNumber attno, Oid expected)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attno - 1);

	if (has_type(rel, attno, expected))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" of relation \"%s\" has type %s, expected %s",
					NameStr(att->attname), RelationGetRelationName(rel),
					format_type_be(att->atttypid), format_type_be(expected))));
}

/*
 * Offsets of the leading columns of fixed width. fixed_keys and
 * fixed_embedding tell which of our columns they reach.
 */
static void
find_offsets(FactColumns *columns)
{
	TupleDesc	desc = columns->desc;
	int			keys = 0;
	uint32		at = 0;

	columns->fixed_keys = false;
	columns->fixed_embedding = false;
	columns->fixed_natts = 0;
	columns->fixed_end = 0;
	columns->key_natts = 0;
	columns->key_end = 0;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (att->attnum == columns->attno[FACT_EMBEDDING])
		{
			columns->fixed_embedding = true;
			columns->offset[FACT_EMBEDDING] = at;
			columns->fixed_natts = Max(columns->fixed_natts, att->attnum);
			columns->fixed_end = Max(columns->fixed_end, at + 1);
		}
		if (att->attlen <= 0)
			break;
		at = att_align_nominal(at, att->attalign);
		for (int column = FACT_ENTITY; column <= FACT_TARGET; column++)
		{
			if (att->attnum != columns->attno[column])
				continue;
			columns->offset[column] = at;
			columns->key_natts = att->attnum;
			columns->key_end = at + att->attlen;
			keys++;
		}
		at += att->attlen;
	}
	columns->fixed_keys = (keys == FACT_TARGET + 1);
	columns->fixed_natts = Max(columns->fixed_natts, columns->key_natts);
	columns->fixed_end = Max(columns->fixed_end, columns->key_end);
	columns->next_payload = columns->fixed_embedding &&
		columns->attno[FACT_PAYLOAD] == columns->attno[FACT_EMBEDDING] + 1;
	columns->key_bits = columns->key_natts <= BITS_PER_BYTE ?
		(uint8) ((1 << columns->key_natts) - 1) : 0;
}

void
facts_resolve(FactColumns *columns, Relation rel, const FactNames *names,
			  Oid home)
{
	columns->desc = RelationGetDescr(rel);
	for (int i = 0; i < FACT_NCOLUMNS; i++)
		columns->attno[i] = find_column(rel, names, i);
	columns->halves = has_type(rel, columns->attno[FACT_EMBEDDING],
							   own_type("hsvec", home));
	for (int i = 0; i < FACT_NCOLUMNS; i++)
	{
		if (i != FACT_EMBEDDING || !columns->halves)
			check_type(rel, columns->attno[i], expected_type(i, home));
	}
	find_offsets(columns);
}

void
facts_key_slow(const FactColumns *columns, HeapTuple tuple, FactKey *key)
{
	bool		isnull;
	Datum		value;

	key->nulls = 0;
	value = heap_getattr(tuple, columns->attno[FACT_ENTITY], columns->desc,
						 &isnull);
	key->entity = isnull ? 0 : DatumGetInt32(value);
	key->nulls |= isnull ? FACT_NULL(FACT_ENTITY) : 0;
	value = heap_getattr(tuple, columns->attno[FACT_RELATION], columns->desc,
						 &isnull);
	key->relation = isnull ? 0 : DatumGetInt16(value);
	key->nulls |= isnull ? FACT_NULL(FACT_RELATION) : 0;
	value = heap_getattr(tuple, columns->attno[FACT_TARGET], columns->desc,
						 &isnull);
	key->target = isnull ? 0 : DatumGetInt32(value);
	key->nulls |= isnull ? FACT_NULL(FACT_TARGET) : 0;
}

struct varlena *
facts_embedding(const FactColumns *columns, HeapTuple tuple)
{
	Datum		value;
	bool		isnull;

	if (columns->fixed_embedding && facts_is_fixed(columns, tuple))
	{
		char	   *data = (char *) tuple->t_data + tuple->t_data->t_hoff;
		uint32		at = columns->offset[FACT_EMBEDDING];

		/* a byte of padding tells an aligned long header from a short one */
		return (struct varlena *)
			(data + att_align_pointer(at, TYPALIGN_INT, -1, data + at));
	}
	value = heap_getattr(tuple, columns->attno[FACT_EMBEDDING], columns->desc,
						 &isnull);
	return isnull ? NULL : (struct varlena *) DatumGetPointer(value);
}

Datum
facts_payload(const FactColumns *columns, HeapTuple tuple, bool *isnull)
{
	if (columns->next_payload && facts_is_fixed(columns, tuple) &&
		HeapTupleHeaderGetNatts(tuple->t_data) >=
		columns->attno[FACT_PAYLOAD])
	{
		char	   *data = (char *) tuple->t_data + tuple->t_data->t_hoff;
		char	   *end = (char *) facts_embedding(columns, tuple);
		uint32		at;

		end += VARSIZE_ANY(end);
		at = end - data;
		/* as in heap's own deforming, which has no bounds to check either */
		*isnull = false;
		return PointerGetDatum(data + att_align_pointer(at, TYPALIGN_INT, -1,
														end));
	}
	return heap_getattr(tuple, columns->attno[FACT_PAYLOAD], columns->desc,
						isnull);
}
