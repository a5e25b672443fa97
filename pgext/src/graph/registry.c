/*
 * registry.c
 *	  Column names of facts tables that do not use the default ones.
 *
 * The names live in the table sorted_heap_graph_registry, keyed by regclass,
 * which pg_dump carries (as a qualified name, so it follows the table into
 * another database). It is read with the active snapshot on each call, one
 * index lookup and no cache: a restored, updated or rolled back row is right
 * at once. A registry that was never written has no blocks and costs nothing
 * more.
 *
 * DROP TABLE leaves its row behind. That is harmless: the row is never dumped,
 * the next registration of any table deletes it, and should the OID come back
 * first, the names are looked up in the new table and either fit or give an
 * error that says what to do.
 *
 * Callers need not have privileges on the registry: reads are by this code,
 * and writes are queries run as its owner, after the caller has proved to own
 * the table that is registered.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "graph/gate.h"
#include "graph/registry.h"

PG_FUNCTION_INFO_V1(sorted_heap_graph_register);
PG_FUNCTION_INFO_V1(sorted_heap_graph_unregister);
PG_FUNCTION_INFO_V1(sorted_heap_graph_config);

#define REGISTRY "sorted_heap_graph_registry"
#define REGISTRY_KEY "sorted_heap_graph_registry_pkey"

/* Columns of the registry: relid, then the names in FactColumn order. */
#define REGISTRY_NATTS (1 + FACT_NCOLUMNS)

static Oid
registry_oid(Oid home)
{
	Oid			oid = get_relname_relid(REGISTRY, home);

	if (!OidIsValid(oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("table \"%s\" of extension sorted_heap does not exist",
						REGISTRY)));
	return oid;
}

void
registry_names(FactNames *names, Oid relid, Oid home)
{
	Relation	registry = table_open(registry_oid(home), AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple	tuple;

	facts_default_names(names);
	if (RelationGetNumberOfBlocks(registry) == 0)
	{
		table_close(registry, AccessShareLock);
		return;
	}

	ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(registry, get_relname_relid(REGISTRY_KEY, home),
							  true, GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		for (int i = 0; i < FACT_NCOLUMNS; i++)
		{
			bool		isnull;
			Datum		name = heap_getattr(tuple, 2 + i,
											RelationGetDescr(registry),
											&isnull);

			if (!isnull)
				names->name[i] = *DatumGetName(name);
		}
		names->registered = true;
	}
	systable_endscan(scan);
	table_close(registry, AccessShareLock);
}

/* Run one statement on the registry as its owner; returns rows processed. */
static uint64
registry_execute(Oid home, const char *format, int nargs, Oid *types,
				 Datum *values)
{
	Relation	registry = table_open(registry_oid(home), RowExclusiveLock);
	char	   *name =
		quote_qualified_identifier(get_namespace_name(home), REGISTRY);
	Oid			caller;
	int			context;
	int			result;
	uint64		processed;

	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(registry->rd_rel->relowner,
						   context | SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_RESTRICTED_OPERATION);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	result = SPI_execute_with_args(psprintf(format, name), nargs, types,
								   values, NULL, false, 0);
	if (result < 0)
		elog(ERROR, "could not change the registry: %s",
			 SPI_result_code_string(result));
	processed = SPI_processed;
	SPI_finish();
	SetUserIdAndSecContext(caller, context);
	table_close(registry, NoLock);
	return processed;
}

static Oid
table_argument(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("table must not be null")));
	return PG_GETARG_OID(0);
}

/* Remember the names of a table's columns; they must exist and fit. */
Datum
sorted_heap_graph_register(PG_FUNCTION_ARGS)
{
	Oid			home = get_func_namespace(fcinfo->flinfo->fn_oid);
	Oid			relid = table_argument(fcinfo);
	Oid			types[REGISTRY_NATTS] = {REGCLASSOID, NAMEOID, NAMEOID,
	NAMEOID, NAMEOID, NAMEOID};
	Datum		values[REGISTRY_NATTS];
	FactNames	names;
	FactColumns columns;
	Relation	rel;

	values[0] = ObjectIdGetDatum(relid);
	for (int i = 0; i < FACT_NCOLUMNS; i++)
	{
		if (PG_ARGISNULL(1 + i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column name must not be null")));
		names.name[i] = *PG_GETARG_NAME(1 + i);
		values[1 + i] = NameGetDatum(&names.name[i]);
	}
	names.registered = false;

	rel = relgate_open_owned(relid);
	facts_resolve(&columns, rel, &names, home);
	registry_execute(home,
					 "DELETE FROM %s AS r WHERE NOT EXISTS"
					 " (SELECT FROM pg_catalog.pg_class AS c"
					 " WHERE c.oid OPERATOR(pg_catalog.=) r.relid::pg_catalog.oid)",
					 0, NULL, NULL);
	registry_execute(home,
					 "INSERT INTO %s VALUES ($1, $2, $3, $4, $5, $6)"
					 " ON CONFLICT (relid) DO UPDATE SET"
					 " entity_column = EXCLUDED.entity_column,"
					 " relation_column = EXCLUDED.relation_column,"
					 " target_column = EXCLUDED.target_column,"
					 " embedding_column = EXCLUDED.embedding_column,"
					 " payload_column = EXCLUDED.payload_column",
					 REGISTRY_NATTS, types, values);
	relation_close(rel, NoLock);
	PG_RETURN_VOID();
}

/* Forget a table's names; false when there were none. */
Datum
sorted_heap_graph_unregister(PG_FUNCTION_ARGS)
{
	Oid			home = get_func_namespace(fcinfo->flinfo->fn_oid);
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(table_argument(fcinfo))};
	Relation	rel = relgate_open_owned(DatumGetObjectId(values[0]));
	uint64		deleted;

	deleted = registry_execute(home,
							   "DELETE FROM %s AS r WHERE"
							   " r.relid::pg_catalog.oid OPERATOR(pg_catalog.=) $1",
							   1, types, values);
	relation_close(rel, NoLock);
	PG_RETURN_BOOL(deleted > 0);
}

/* The names in use for a table, and whether they were registered. */
Datum
sorted_heap_graph_config(PG_FUNCTION_ARGS)
{
	Oid			home = get_func_namespace(fcinfo->flinfo->fn_oid);
	Oid			relid = table_argument(fcinfo);
	Relation	rel = relgate_open_owned(relid);
	Datum		values[FACT_NCOLUMNS + 1];
	bool		nulls[FACT_NCOLUMNS + 1] = {0};
	FactNames	names;
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE ||
		desc->natts != lengthof(values))
		elog(ERROR, "return type must be a row type of %d columns",
			 (int) lengthof(values));
	registry_names(&names, relid, home);
	for (int i = 0; i < FACT_NCOLUMNS; i++)
		values[i] = NameGetDatum(&names.name[i]);
	values[FACT_NCOLUMNS] = BoolGetDatum(names.registered);
	relation_close(rel, NoLock);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}
