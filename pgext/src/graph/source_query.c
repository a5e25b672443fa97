/*
 * source_query.c
 *	  Fact rows through a query, where policies or children are in force.
 *
 * The queries run as the current user with the calling statement's snapshot,
 * so the executor applies row-level security, and reads inheritance children,
 * as it would for the caller's own SELECT. Every name and operator is
 * qualified: search_path has no say. Only plain columns are selected;
 * distances are computed here, after the policies have spoken, by the same
 * kernel as on pages.
 *
 * Rows nearest to the query are asked for in the order of the operator, with
 * those that tie with the last one: the planner uses the vector indexes, those
 * of children, too. hsvec has no operator with an svec: there the query is
 * rounded, and some more rows are asked for. Where policies leave too few of what an index finds, there
 * is still the scan of everything.
 *
 * Plans are not kept: they depend on the user and on settings.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/genam.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "graph/nearest.h"
#include "types/hsvec.h"
#include "types/svec.h"

#define FETCH_ROWS 256

/* The payload of a row that is in the ranking now. */
typedef struct KeptPayload
{
	Datum		value;
	bool		isnull;
	bool		used;
} KeptPayload;

typedef struct SpiSource
{
	FactSource	base;
	MemoryContext context;
	char	   *select;			/* SELECT ... FROM ... AS f */
	char	   *entity;			/* qualified column names */
	char	   *relation;
	char	   *order;			/* in which limit_rows counts */
	char	   *embedding;
	Relation	rel;
	const FactColumns *columns;
	Snapshot	snapshot;
	KeptPayload *kept;
	uint32		nkept;
	uint32		allocated;
	uint32		next_free;		/* a slot that drop() freed, or nkept */
} SpiSource;

static Oid
type_namespace(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Oid			namespace;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	namespace = ((Form_pg_type) GETSTRUCT(tuple))->typnamespace;
	ReleaseSysCache(tuple);
	return namespace;
}

static const char *
column_name(const FactColumns *columns, FactColumn column)
{
	Form_pg_attribute att = TupleDescAttr(columns->desc,
										  columns->attno[column] - 1);

	return psprintf("f.%s", quote_identifier(NameStr(att->attname)));
}

/* A row of the current fetch, as the hop wants it. */
static void
read_row(SpiSource *source, HeapTuple tuple, TupleDesc desc, FactWant want,
		 FactRow *row)
{
	bool		isnull;
	Datum		value;

	memset(row, 0, sizeof(*row));
	row->ref = PG_UINT64_MAX;
	value = SPI_getbinval(tuple, desc, 1, &isnull);
	row->key.entity = isnull ? 0 : DatumGetInt32(value);
	row->key.nulls |= isnull ? FACT_NULL(FACT_ENTITY) : 0;
	value = SPI_getbinval(tuple, desc, 2, &isnull);
	row->key.relation = isnull ? 0 : DatumGetInt16(value);
	row->key.nulls |= isnull ? FACT_NULL(FACT_RELATION) : 0;
	value = SPI_getbinval(tuple, desc, 3, &isnull);
	row->key.target = isnull ? 0 : DatumGetInt32(value);
	row->key.nulls |= isnull ? FACT_NULL(FACT_TARGET) : 0;
	row->embedding = SPI_getbinval(tuple, desc, 4, &row->embedding_null);
	row->payload = SPI_getbinval(tuple, desc, 5, &row->payload_null);
	row->halves = source->base.halves;
	if ((want & FACT_WANT_DISTANCE) != 0 && !row->embedding_null)
		row->ranked = facts_distance(source->base.query,
									 source->base.halves,
									 (struct varlena *)
									 DatumGetPointer(row->embedding),
									 &row->distance);
}

/* Run a query and give its rows to the sink, at most `limit` (0 = all). */
static void
run_query(SpiSource *source, const char *sql, int nargs, Oid *types,
		  Datum *values, uint64 limit, FactWant want,
		  FactSink sink, void *state)
{
	Portal		portal;
	uint64		emitted = 0;
	bool		more = true;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	portal = SPI_cursor_open_with_args(NULL, sql, nargs, types, values, NULL,
									   true, CURSOR_OPT_NO_SCROLL);
	while (more)
	{
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		more = (SPI_processed == FETCH_ROWS);
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			FactRow		row;

			CHECK_FOR_INTERRUPTS();
			read_row(source, SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
					 want, &row);
			sink(state, &row);
			if (++emitted == limit)
			{
				more = false;
				break;
			}
		}
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_finish();
}

static void
query_expand(FactSource *base, const FactHop *hop, FactSink sink, void *state)
{
	SpiSource  *source = (SpiSource *) base;
	StringInfoData sql;
	Oid			types[2] = {INT4ARRAYOID, INT2OID};
	Datum		values[2];
	Datum	   *seeds;

	if (hop->nseeds == 0)
		return;
	seeds = (Datum *) MemoryContextAllocHuge(CurrentMemoryContext,
											 hop->nseeds * sizeof(Datum));
	for (size_t i = 0; i < hop->nseeds; i++)
		seeds[i] = Int32GetDatum(hop->seeds[i]);
	values[0] = PointerGetDatum(construct_array(seeds, (int) hop->nseeds,
												INT4OID, sizeof(int32), true,
												TYPALIGN_INT));
	values[1] = Int16GetDatum(hop->filter.relation);

	initStringInfo(&sql);
	appendStringInfo(&sql, "%s WHERE %s OPERATOR(pg_catalog.=) ANY ($1)",
					 source->select, source->entity);
	if (!hop->filter.any)
		appendStringInfo(&sql, " AND %s OPERATOR(pg_catalog.=) $2",
						 source->relation);
	/* A limit is counted in a fixed order; otherwise order does not matter. */
	if (hop->limit > 0)
		appendStringInfo(&sql, " ORDER BY %s", source->order);
	run_query(source, sql.data, hop->filter.any ? 1 : 2, types, values,
			  hop->limit, hop->want, sink, state);
	pfree(sql.data);
	pfree(seeds);
}

static void
query_scan(FactSource *base, const FactFilter *filter,
		   FactSink sink, void *state)
{
	SpiSource  *source = (SpiSource *) base;
	Oid			types[1] = {INT2OID};
	Datum		values[1] = {Int16GetDatum(filter->relation)};
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, source->select);
	if (!filter->any)
		appendStringInfo(&sql, " WHERE %s OPERATOR(pg_catalog.=) $1",
						 source->relation);
	run_query(source, sql.data, filter->any ? 0 : 1, types, values, 0,
			  FACT_WANT_DISTANCE, sink, state);
	pfree(sql.data);
}

/* Counts what passes through query_nearest. */
typedef struct CountedRows
{
	FactSink	sink;
	void	   *state;
	uint64		ranked;
} CountedRows;

static void
count_ranked(void *arg, const FactRow *row)
{
	CountedRows *counted = (CountedRows *) arg;

	if (row->ranked)
		counted->ranked++;
	counted->sink(counted->state, row);
}

/* Of rows in the order of a query that was rounded, so many more are ranked by
 * the query itself. */
#define ROUNDED_MORE(count) ((count) / 4 + 16)

/*
 * The query as a value of the column's type. For halves it is rounded, after it
 * was brought to norm 1, which no half is too small or too large for.
 */
static Datum
query_value(const DistQuery *query, bool halves)
{
	double		norm = dist_norm_f32(query->query, query->n);
	Svec	   *floats;
	Hsvec	   *rounded;

	if (!halves)
	{
		floats = svec_new((int) query->n);
		memcpy(floats->x, query->query, query->n * sizeof(float));
		return PointerGetDatum(floats);
	}
	rounded = hsvec_new((int) query->n);
	for (uint32 i = 0; i < query->n; i++)
		rounded->x[i] = half_from_float((float) (query->query[i] / norm));
	return PointerGetDatum(rounded);
}

static const char *
query_nearest(FactSource *base, const FactFilter *filter, uint32 count,
			  FactSink sink, void *state)
{
	SpiSource  *source = (SpiSource *) base;
	Form_pg_attribute att =
		TupleDescAttr(source->columns->desc,
					  source->columns->attno[FACT_EMBEDDING] - 1);
	CountedRows counted = {sink, state, 0};
	Oid			types[3] = {getBaseType(att->atttypid), INT8OID, INT2OID};
	Datum		values[3];
	StringInfoData sql;
	Relation	index;

	index = nearest_index_open(source->rel, source->columns, filter,
							   base->query, source->snapshot);
	if (index == NULL)
		return NULL;
	index_close(index, NoLock);

	values[0] = query_value(base->query, base->halves);
	values[1] = Int64GetDatum(base->halves ? count + ROUNDED_MORE((int64) count) : (int64) count);
	values[2] = Int16GetDatum(filter->relation);
	initStringInfo(&sql);
	appendStringInfoString(&sql, source->select);
	if (!filter->any)
		appendStringInfo(&sql, " WHERE %s OPERATOR(pg_catalog.=) $3",
						 source->relation);
	appendStringInfo(&sql, " ORDER BY %s OPERATOR(%s.<=>) $1 FETCH FIRST ($2) ROWS WITH TIES",
					 source->embedding,
					 quote_identifier(get_namespace_name(type_namespace(types[0]))));
	run_query(source, sql.data, filter->any ? 2 : 3, types, values, 0,
			  FACT_WANT_DISTANCE, count_ranked, &counted);
	pfree(sql.data);
	pfree(DatumGetPointer(values[0]));
	return counted.ranked < count ? NULL : "query in order";
}

static uint64
query_keep(FactSource *base, const FactRow *row)
{
	SpiSource  *source = (SpiSource *) base;
	MemoryContext caller = MemoryContextSwitchTo(source->context);
	uint32		slot = source->next_free;
	KeptPayload *kept;

	if (slot == source->allocated)
	{
		source->allocated *= 2;
		source->kept = (KeptPayload *)
			repalloc_huge(source->kept,
						  (Size) source->allocated * sizeof(KeptPayload));
	}
	if (slot == source->nkept)
		source->nkept++;
	source->next_free = source->nkept;
	kept = &source->kept[slot];
	kept->used = true;
	kept->isnull = row->payload_null;
	if (kept->isnull)
		kept->value = (Datum) 0;
	else if (VARATT_IS_EXTERNAL(DatumGetPointer(row->payload)))
		kept->value = PointerGetDatum(detoast_external_attr((struct varlena *)
															DatumGetPointer(row->payload)));
	else
		kept->value = datumCopy(row->payload, false, -1);
	MemoryContextSwitchTo(caller);
	return slot;
}

/* A drop is always followed by a keep, so one free slot is all there is. */
static void
query_drop(FactSource *base, uint64 ref)
{
	SpiSource  *source = (SpiSource *) base;
	KeptPayload *kept = &source->kept[ref];

	Assert(ref < source->nkept && kept->used);
	Assert(source->next_free == source->nkept);
	if (!kept->isnull)
		pfree(DatumGetPointer(kept->value));
	kept->used = false;
	source->next_free = (uint32) ref;
}

static Datum
query_payload(FactSource *base, uint64 ref, bool *isnull)
{
	SpiSource  *source = (SpiSource *) base;
	KeptPayload *kept = &source->kept[ref];

	Assert(ref < source->nkept && kept->used);
	*isnull = kept->isnull;
	return kept->isnull ? (Datum) 0 : datumCopy(kept->value, false, -1);
}

static void
query_close(FactSource *base)
{
}

FactSource *
facts_open_query(RelGate *gate, const FactColumns *columns, Snapshot snapshot,
				 const DistQuery *query)
{
	SpiSource  *source = (SpiSource *) palloc0(sizeof(SpiSource));
	char	   *schema = get_namespace_name(RelationGetNamespace(gate->rel));

	source->base.expand = query_expand;
	source->base.scan = query_scan;
	source->base.nearest = query_nearest;
	source->base.keep = query_keep;
	source->base.drop = query_drop;
	source->base.payload = query_payload;
	source->base.close = query_close;
	source->base.access = "query";
	source->base.query = query;
	source->base.halves = columns->halves;
	source->context = CurrentMemoryContext;
	source->rel = gate->rel;
	source->columns = columns;
	source->snapshot = snapshot;
	source->allocated = FETCH_ROWS;
	source->kept = (KeptPayload *) palloc(FETCH_ROWS * sizeof(KeptPayload));
	source->entity = pstrdup(column_name(columns, FACT_ENTITY));
	source->relation = pstrdup(column_name(columns, FACT_RELATION));
	source->embedding = pstrdup(column_name(columns, FACT_EMBEDDING));

	/*
	 * Physical order, but system columns need SELECT on the whole table: who
	 * has it on columns only gets key order.
	 */
	if (gate->whole)
		source->order = pstrdup("f.tableoid, f.ctid");
	else
		source->order = psprintf("%s, %s, %s", source->entity,
								 source->relation,
								 column_name(columns, FACT_TARGET));
	source->select =
		psprintf("SELECT %s, %s, %s, %s, %s FROM %s AS f",
				 source->entity, source->relation,
				 column_name(columns, FACT_TARGET),
				 column_name(columns, FACT_EMBEDDING),
				 column_name(columns, FACT_PAYLOAD),
				 quote_qualified_identifier(schema,
											RelationGetRelationName(gate->rel)));
	return &source->base;
}
