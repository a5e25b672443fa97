/*
 * handler.c
 *	  The index access method sorted_zone: its properties, and what an operator
 *	  class for it must look like.
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/amvalidate.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/reloptions.h"
#include "access/stratnum.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type_d.h"
#include "commands/vacuum.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "types/keyimage.h"
#include "zone/zone.h"

static bytea *zone_options(Datum reloptions, bool validate);

PG_FUNCTION_INFO_V1(sorted_zone_handler);

Datum
sorted_zone_handler(PG_FUNCTION_ARGS)
{
	IndexAmRoutine *am = makeNode(IndexAmRoutine);

	am->amstrategies = BTMaxStrategyNumber;
	am->amcanmulticol = true;

	/* Rows whose first column is NULL are not covered: insist on a clause. */
	am->amoptionalkey = false;
	am->amsearcharray = true;
	am->amparallelvacuumoptions = VACUUM_OPTION_PARALLEL_CLEANUP;
	am->amkeytype = InvalidOid;

#ifdef HAVE_AMSUMMARIZING
	/* It would let HOT updates change key columns without a call to us. */
	am->amsummarizing = false;
#endif

	am->ambuild = zone_build;
	am->ambuildempty = zone_build_empty;
	am->aminsert = zone_insert;
#ifdef HAVE_AMINSERTCLEANUP
	am->aminsertcleanup = zone_insert_cleanup;
#endif
	am->ambulkdelete = zone_bulk_delete;
	am->amvacuumcleanup = zone_vacuum_cleanup;
	am->amcostestimate = zone_cost_estimate;
	am->amoptions = zone_options;
	am->amvalidate = zone_validate;
	am->ambeginscan = zone_begin_scan;
	am->amrescan = zone_rescan;
	am->amgetbitmap = zone_get_bitmap;
	am->amendscan = zone_end_scan;

	PG_RETURN_POINTER(am);
}

bool
zone_is_zone_index(Relation index)
{
	return index->rd_indam != NULL && index->rd_indam->ambuild == zone_build;
}

List *
zone_indexes_of(Relation heap)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(heap))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (zone_is_zone_index(index))
			result = lappend_oid(result, lfirst_oid(lc));
		index_close(index, AccessShareLock);
	}
	return result;
}

/* There are no options; refuse any. */
static bytea *
zone_options(Datum reloptions, bool validate)
{
	return (bytea *) build_reloptions(reloptions, validate, 0, sizeof(int32),
									  NULL, 0);
}

static char *
opfamily_name(Oid opfamily)
{
	HeapTuple	tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(opfamily));
	char	   *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator family %u", opfamily);
	name = pstrdup(NameStr(((Form_pg_opfamily) GETSTRUCT(tuple))->opfname));
	ReleaseSysCache(tuple);
	return name;
}

/* One operator of the family. */
static bool
validate_operator(Form_pg_amop amop, const char *family)
{
	bool		valid = true;

	if (amop->amopstrategy < 1 || amop->amopstrategy > BTMaxStrategyNumber)
	{
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator family \"%s\" of access method %s contains operator %s with invalid strategy number %d",
						family, "sorted_zone",
						format_operator(amop->amopopr), amop->amopstrategy)));
		valid = false;
	}
	if (amop->amoppurpose != AMOP_SEARCH || OidIsValid(amop->amopsortfamily))
	{
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator family \"%s\" of access method %s contains invalid ORDER BY specification for operator %s",
						family, "sorted_zone", format_operator(amop->amopopr))));
		valid = false;
	}
	if (!check_amop_signature(amop->amopopr, BOOLOID, amop->amoplefttype,
							  amop->amoprighttype) ||
		key_kind_of_type(amop->amoplefttype) == KEY_KIND_NONE ||
		!key_types_comparable(amop->amoplefttype, amop->amoprighttype))
	{
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator family \"%s\" of access method %s contains operator %s with wrong signature",
						family, "sorted_zone", format_operator(amop->amopopr))));
		valid = false;
	}
	return valid;
}

bool
zone_validate(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	Form_pg_opclass form;
	char	   *family;
	CatCList   *operators;
	uint32		strategies = 0;
	bool		valid = true;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	form = (Form_pg_opclass) GETSTRUCT(tuple);
	family = opfamily_name(form->opcfamily);

	operators = SearchSysCacheList1(AMOPSTRATEGY,
									ObjectIdGetDatum(form->opcfamily));
	for (int i = 0; i < operators->n_members; i++)
	{
		Form_pg_amop amop =
			(Form_pg_amop) GETSTRUCT(&operators->members[i]->tuple);

		if (!validate_operator(amop, family))
			valid = false;
		else if (amop->amoplefttype == form->opcintype &&
				 amop->amoprighttype == form->opcintype)
			strategies |= 1 << amop->amopstrategy;
	}
	for (int strategy = 1; strategy <= BTMaxStrategyNumber; strategy++)
	{
		if (strategies & (1 << strategy))
			continue;
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class \"%s\" of access method %s is missing operator strategy %d",
						NameStr(form->opcname), "sorted_zone", strategy)));
		valid = false;
	}

	ReleaseCatCacheList(operators);
	ReleaseSysCache(tuple);
	return valid;
}
