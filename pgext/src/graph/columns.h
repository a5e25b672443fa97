/*
 * columns.h
 *	  The five columns of a facts table: found by name, read by offset.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "access/htup_details.h"
#include "utils/relcache.h"

typedef enum FactColumn
{
	FACT_ENTITY,				/* int4 */
	FACT_RELATION,				/* int2 */
	FACT_TARGET,				/* int4 */
	FACT_EMBEDDING,				/* svec or hsvec */
	FACT_PAYLOAD				/* text */
} FactColumn;

#define FACT_NCOLUMNS 5

/* Which of a row's first three columns are null. */
#define FACT_NULL(column)	(1 << (column))

typedef struct FactKey
{
	int32		entity;
	int32		target;
	int16		relation;
	uint8		nulls;			/* FACT_NULL bits; a null value reads as zero */
} FactKey;

typedef struct FactNames
{
	NameData	name[FACT_NCOLUMNS];
	bool		registered;
} FactNames;

typedef struct FactColumns
{
	TupleDesc	desc;
	AttrNumber	attno[FACT_NCOLUMNS];
	bool		halves;			/* embeddings are hsvec */

	/*
	 * Where the columns lie in a tuple without nulls, when only columns of
	 * fixed width come before them; the embedding may need alignment still.
	 */
	bool		fixed_keys;
	bool		fixed_embedding;
	bool		next_payload;	/* the payload follows the embedding */
	AttrNumber	fixed_natts;	/* the tuple must have this many attributes */
	uint32		fixed_end;		/* and this many bytes behind its header */
	AttrNumber	key_natts;		/* as these two, for the keys alone */
	uint32		key_end;
	uint8		key_bits;		/* in the null bitmap's first byte, those of
								 * the columns up to the last key; 0 where
								 * they are more than eight */
	uint32		offset[FACT_EMBEDDING + 1];
} FactColumns;

/* The default names. */
extern void facts_default_names(FactNames *names);

/*
 * Find the columns of an open table and check their types. `home` is the
 * schema of the extension. Errors: undefined column, datatype mismatch.
 */
extern void facts_resolve(FactColumns *columns, Relation rel,
						  const FactNames *names, Oid home);

/* facts_key for tuples that are not of the fixed layout. */
extern void facts_key_slow(const FactColumns *columns, HeapTuple tuple,
						   FactKey *key);

/* The embedding as stored, perhaps toasted; NULL where it is null. */
extern struct varlena *facts_embedding(const FactColumns *columns,
									   HeapTuple tuple);

/* The payload likewise. */
extern Datum facts_payload(const FactColumns *columns, HeapTuple tuple,
						   bool *isnull);

static inline bool
facts_is_fixed(const FactColumns *columns, HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;

	return (header->t_infomask & HEAP_HASNULL) == 0 &&
		HeapTupleHeaderGetNatts(header) >= columns->fixed_natts &&
		tuple->t_len >= header->t_hoff + columns->fixed_end;
}

/* The same of the keys alone: a null embedding, further on, moves none. */
static inline bool
facts_has_fixed_keys(const FactColumns *columns, HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;

	if ((header->t_infomask & HEAP_HASNULL) != 0 &&
		(columns->key_bits == 0 ||
		 (header->t_bits[0] & columns->key_bits) != columns->key_bits))
		return false;
	return HeapTupleHeaderGetNatts(header) >= columns->key_natts &&
		tuple->t_len >= header->t_hoff + columns->key_end;
}

/* Entity, relation and target of a tuple; safe under a buffer lock. */
static inline void
facts_key(const FactColumns *columns, HeapTuple tuple, FactKey *key)
{
	if (likely(columns->fixed_keys && facts_has_fixed_keys(columns, tuple)))
	{
		const char *data = (const char *) tuple->t_data + tuple->t_data->t_hoff;

		key->entity = *(const int32 *) (data + columns->offset[FACT_ENTITY]);
		key->relation = *(const int16 *) (data + columns->offset[FACT_RELATION]);
		key->target = *(const int32 *) (data + columns->offset[FACT_TARGET]);
		key->nulls = 0;
	}
	else
		facts_key_slow(columns, tuple, key);
}

#endif							/* COLUMNS_H */
