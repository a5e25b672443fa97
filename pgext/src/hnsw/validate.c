/*
 * validate.c
 *	  Checks of operator classes: amvalidate() and CREATE INDEX.
 *
 * An index computes with vectors and images of values itself and calls no
 * operator, so a class whose operators mean something else would give wrong
 * answers. Functions and types are known by their C functions, not by names:
 * anybody may own a type called svec.
 */
#include "postgres.h"

#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type_d.h"
#include "commands/defrem.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "hnsw/am.h"
#include "hnsw/distance.h"
#include "hnsw/validate.h"
#include "hnsw/value.h"
#include "types/hsvec.h"
#include "types/keyimage.h"
#include "types/svec.h"

#define ORDER_STRATEGY 1
#define DISTANCE_PROC 1

/* The class under examination, and what was found out about it. */
typedef struct Examined
{
	Oid			family;
	Oid			type;
	const char *class_name;
	const char *family_name;
	bool		vectors;
	HnswType	vector_type;
	DistMetric	metric;			/* of support function 1 */
	uint32		strategies;		/* bits: operators on the type itself */
	bool		valid;
} Examined;

/* Report a fault of the family as one of ours. */
#define COMPLAIN(examined, ...) \
	do { \
		(examined)->valid = false; \
		ereport(INFO, \
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION), \
				 errmsg(__VA_ARGS__))); \
	} while (0)

static PGFunction
function_address(Oid function)
{
	FmgrInfo	info;

	fmgr_info(function, &info);
	return info.fn_addr;
}

/* Is it svec or hsvec? By its input function. */
static bool
is_vector_type(Oid type, HnswType *vector_type)
{
	Oid			input;
	Oid			ioparam;
	PGFunction	address;

	getTypeInputInfo(type, &input, &ioparam);
	address = function_address(input);
	*vector_type = address == svec_in ? HNSW_TYPE_SVEC : HNSW_TYPE_HSVEC;
	return address == svec_in || address == hsvec_in;
}

/* The metric of a function on two values of a type; false when it is none of
 * our distances on it. */
static bool
is_distance(Oid function, HnswType type, DistMetric *metric)
{
	HnswType	of;

	return OidIsValid(function) &&
		hnsw_distance_metric(function_address(function), &of, metric) && of == type;
}

bool
hnsw_vector_family_is_ours(Oid opfamily, Oid type)
{
	Oid			op = get_opfamily_member(opfamily, type, type, ORDER_STRATEGY);
	HnswType	vector_type;
	DistMetric	metric;
	DistMetric	shown;

	return OidIsValid(op) && is_vector_type(type, &vector_type) &&
		is_distance(get_opfamily_proc(opfamily, type, type, DISTANCE_PROC),
					vector_type, &metric) &&
		is_distance(get_opcode(op), vector_type, &shown) && shown == metric;
}

/* Btree's operator of a strategy; InvalidOid where it has none. */
static Oid
btree_operator(Oid left, Oid right, int strategy)
{
	Oid			opclass = GetDefaultOpClass(left, BTREE_AM_OID);

	return OidIsValid(opclass)
		? get_opfamily_member(get_opclass_family(opclass), left, right, strategy)
		: InvalidOid;
}

bool
hnsw_filter_family_is_btrees(Oid opfamily, Oid type)
{
	for (int strategy = 1; strategy <= BTMaxStrategyNumber; strategy++)
	{
		Oid			op = get_opfamily_member(opfamily, type, type, strategy);

		if (!OidIsValid(op) || op != btree_operator(type, type, strategy))
			return false;
	}
	return true;
}

static void
examine_order_operator(Examined *examined, Form_pg_amop amop)
{
	const char *name = format_operator(amop->amopopr);
	DistMetric	metric;

	if (amop->amopstrategy != ORDER_STRATEGY)
		COMPLAIN(examined,
				 "operator family \"%s\" of access method %s contains operator %s with invalid strategy number %d",
				 examined->family_name, "sorted_hnsw", name, amop->amopstrategy);
	if (amop->amoppurpose != AMOP_ORDER ||
		!opfamily_can_sort_type(amop->amopsortfamily, FLOAT8OID))
		COMPLAIN(examined,
				 "operator family \"%s\" of access method %s contains invalid ORDER BY specification for operator %s",
				 examined->family_name, "sorted_hnsw", name);
	if (amop->amoplefttype != examined->type || amop->amoprighttype != examined->type ||
		!check_amop_signature(amop->amopopr, FLOAT8OID, examined->type, examined->type))
		COMPLAIN(examined,
				 "operator family \"%s\" of access method %s contains operator %s with wrong signature",
				 examined->family_name, "sorted_hnsw", name);
	else if (!is_distance(get_opcode(amop->amopopr), examined->vector_type, &metric) ||
			 metric != examined->metric)
		COMPLAIN(examined,
				 "operator family \"%s\" of access method %s contains operator %s, which does not compute the distance of support function %d",
				 examined->family_name, "sorted_hnsw", name, DISTANCE_PROC);
}

static void
examine_filter_operator(Examined *examined, Form_pg_amop amop)
{
	const char *name = format_operator(amop->amopopr);

	if (amop->amopstrategy < 1 || amop->amopstrategy > BTMaxStrategyNumber)
		COMPLAIN(examined,
				 "operator family \"%s\" of access method %s contains operator %s with invalid strategy number %d",
				 examined->family_name, "sorted_hnsw", name, amop->amopstrategy);
	if (amop->amoppurpose != AMOP_SEARCH || OidIsValid(amop->amopsortfamily))
		COMPLAIN(examined,
				 "operator family \"%s\" of access method %s contains invalid ORDER BY specification for operator %s",
				 examined->family_name, "sorted_hnsw", name);
	if (!check_amop_signature(amop->amopopr, BOOLOID, amop->amoplefttype,
							  amop->amoprighttype) ||
		key_kind_of_type(amop->amoplefttype) == KEY_KIND_NONE ||
		!key_types_comparable(amop->amoplefttype, amop->amoprighttype))
		COMPLAIN(examined,
				 "operator family \"%s\" of access method %s contains operator %s with wrong signature",
				 examined->family_name, "sorted_hnsw", name);
	else if (amop->amopopr != btree_operator(amop->amoplefttype, amop->amoprighttype,
											 amop->amopstrategy))
		COMPLAIN(examined,
				 "operator family \"%s\" of access method %s contains operator %s, which is not btree's of strategy %d",
				 examined->family_name, "sorted_hnsw", name, amop->amopstrategy);
}

static void
examine_operators(Examined *examined)
{
	CatCList   *operators = SearchSysCacheList1(AMOPSTRATEGY,
												ObjectIdGetDatum(examined->family));
	int			needed = examined->vectors ? ORDER_STRATEGY : BTMaxStrategyNumber;

	for (int i = 0; i < operators->n_members; i++)
	{
		Form_pg_amop amop = (Form_pg_amop) GETSTRUCT(&operators->members[i]->tuple);

		if (examined->vectors)
			examine_order_operator(examined, amop);
		else
			examine_filter_operator(examined, amop);
		if (amop->amoplefttype == examined->type && amop->amoprighttype == examined->type &&
			amop->amopstrategy >= 1 && amop->amopstrategy <= BTMaxStrategyNumber)
			examined->strategies |= 1 << amop->amopstrategy;
	}
	for (int strategy = 1; strategy <= needed; strategy++)
	{
		if ((examined->strategies & (1 << strategy)) == 0)
			COMPLAIN(examined,
					 "operator class \"%s\" of access method %s is missing operator strategy %d",
					 examined->class_name, "sorted_hnsw", strategy);
	}
	ReleaseCatCacheList(operators);
}

/* Vectors need their distance function, other classes none. */
static void
examine_functions(Examined *examined)
{
	CatCList   *functions = SearchSysCacheList1(AMPROCNUM,
												ObjectIdGetDatum(examined->family));
	bool		found = false;

	for (int i = 0; i < functions->n_members; i++)
	{
		Form_pg_amproc amproc = (Form_pg_amproc) GETSTRUCT(&functions->members[i]->tuple);
		const char *name = format_procedure(amproc->amproc);

		if (!examined->vectors || amproc->amprocnum != DISTANCE_PROC)
			COMPLAIN(examined,
					 "operator family \"%s\" of access method %s contains function %s with invalid support number %d",
					 examined->family_name, "sorted_hnsw", name, amproc->amprocnum);
		else if (amproc->amproclefttype != examined->type ||
				 amproc->amprocrighttype != examined->type ||
				 !check_amproc_signature(amproc->amproc, FLOAT8OID, true, 2, 2,
										 examined->type, examined->type))
			COMPLAIN(examined,
					 "operator family \"%s\" of access method %s contains function %s with wrong signature for support number %d",
					 examined->family_name, "sorted_hnsw", name, amproc->amprocnum);
		else if (!is_distance(amproc->amproc, examined->vector_type, &examined->metric))
			COMPLAIN(examined,
					 "operator family \"%s\" of access method %s contains function %s, which is not one of its distances",
					 examined->family_name, "sorted_hnsw", name);
		else
			found = true;
	}
	if (examined->vectors && !found)
	{
		COMPLAIN(examined,
				 "operator class \"%s\" of access method %s is missing support function %d",
				 examined->class_name, "sorted_hnsw", DISTANCE_PROC);
		examined->metric = DIST_NMETRICS;
	}
	ReleaseCatCacheList(functions);
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

bool
hnsw_am_validate(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	Form_pg_opclass form;
	Examined	examined = {.valid = true,.metric = DIST_NMETRICS};

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	form = (Form_pg_opclass) GETSTRUCT(tuple);
	examined.family = form->opcfamily;
	examined.type = form->opcintype;
	examined.class_name = NameStr(form->opcname);
	examined.family_name = opfamily_name(form->opcfamily);
	examined.vectors = is_vector_type(form->opcintype, &examined.vector_type);

	if (OidIsValid(form->opckeytype))
		COMPLAIN(&examined,
				 "operator class \"%s\" of access method %s stores another type than it indexes",
				 examined.class_name, "sorted_hnsw");
	if (!examined.vectors &&
		(key_kind_of_type(form->opcintype) == KEY_KIND_NONE ||
		 (key_kind_of_type(form->opcintype) == KEY_KIND_BYTES && form->opcintype != TEXTOID)))
		COMPLAIN(&examined,
				 "operator class \"%s\" of access method %s is for type %s, which cannot be a key",
				 examined.class_name, "sorted_hnsw", format_type_be(form->opcintype));
	examine_functions(&examined);
	examine_operators(&examined);
	ReleaseSysCache(tuple);
	return examined.valid;
}
