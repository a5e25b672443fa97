/*
 * options.c
 *	  Storage options of an index.
 */
#include "postgres.h"

#include "access/reloptions.h"
#include "utils/rel.h"

#include "hnsw.h"
#include "hnsw/options.h"

#define DEFAULT_M 16
#define MIN_EF_CONSTRUCTION 4
#define MAX_EF_CONSTRUCTION 2000
#define DEFAULT_EF_CONSTRUCTION 200

typedef struct HnswOptions
{
	int32		vl_len_;		/* varlena header, do not touch directly */
	int			m;
	int			ef_construction;
	int			refine;			/* HnswRefineOption */
} HnswOptions;

static relopt_kind options_kind;

static relopt_enum_elt_def refine_values[] = {
	{"auto", HNSW_REFINE_OPTION_AUTO},
	{"heap", HNSW_REFINE_OPTION_HEAP},
	{"f16", HNSW_REFINE_OPTION_F16},
	{NULL, 0}
};

/* Values of an index that exists take effect when it is built again, so no
 * reader needs to be kept out. */
#define OPTIONS_LOCK ShareUpdateExclusiveLock

void
hnsw_options_init(void)
{
	options_kind = add_reloption_kind();
	add_int_reloption(options_kind, "m", "Links of a node on each level above the lowest, which has twice as many",
					  DEFAULT_M, HNSW_MIN_M, HNSW_MAX_M, OPTIONS_LOCK);
	add_int_reloption(options_kind, "ef_construction", "Nodes kept by the walk that finds a new node's place",
					  DEFAULT_EF_CONSTRUCTION, MIN_EF_CONSTRUCTION, MAX_EF_CONSTRUCTION,
					  OPTIONS_LOCK);
	add_enum_reloption(options_kind, "refine", "Where a scan finds distances better than those of the walk",
					   refine_values, HNSW_REFINE_OPTION_AUTO,
					   "Valid values are \"auto\", \"heap\", and \"f16\".",
					   OPTIONS_LOCK);
}

bytea *
hnsw_options(Datum reloptions, bool validate)
{
	static const relopt_parse_elt fields[] = {
		{"m", RELOPT_TYPE_INT, offsetof(HnswOptions, m)},
		{"ef_construction", RELOPT_TYPE_INT, offsetof(HnswOptions, ef_construction)},
		{"refine", RELOPT_TYPE_ENUM, offsetof(HnswOptions, refine)}
	};

	return (bytea *) build_reloptions(reloptions, validate, options_kind,
									  sizeof(HnswOptions), fields, lengthof(fields));
}

static const HnswOptions *
options_of(Relation index)
{
	return (const HnswOptions *) index->rd_options;
}

uint32
hnsw_options_m(Relation index)
{
	return options_of(index) != NULL ? options_of(index)->m : DEFAULT_M;
}

uint32
hnsw_options_ef_construction(Relation index)
{
	return options_of(index) != NULL ? options_of(index)->ef_construction
		: DEFAULT_EF_CONSTRUCTION;
}

HnswRefineOption
hnsw_options_refine(Relation index)
{
	return options_of(index) != NULL ? (HnswRefineOption) options_of(index)->refine
		: HNSW_REFINE_OPTION_AUTO;
}
