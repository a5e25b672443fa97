/*
 * shape.c
 *	  From catalogs or metapage to the shape of an index.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "hnsw/am.h"
#include "hnsw/columns.h"
#include "hnsw/distance.h"
#include "hnsw/options.h"
#include "hnsw/page.h"
#include "hnsw/value.h"
#include "types/keyimage.h"

/* A row wider than this is toasted, by default; its head takes some. */
#define INLINE_VECTOR_BYTES 1900

static void
check_dimensions(Relation index, int32 typmod)
{
	if (typmod < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not have dimensions",
						NameStr(TupleDescAttr(RelationGetDescr(index), 0)->attname)),
				 errhint("Declare the number of dimensions in its type, as in svec(384).")));
	if (typmod > HNSW_MAX_DIM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("column \"%s\" has %d dimensions, access method \"%s\" supports at most %d",
						NameStr(TupleDescAttr(RelationGetDescr(index), 0)->attname),
						typmod, "sorted_hnsw", HNSW_MAX_DIM)));
}

/* Where rows stay whole, the heap is near enough; and halves must fit a page. */
static HnswRefine
choose_refine(HnswRefineOption option, HnswType type, uint32 dim)
{
	Size		bytes = (Size) dim * (type == HNSW_TYPE_SVEC ? sizeof(float) : sizeof(DistHalf));

	switch (option)
	{
		case HNSW_REFINE_OPTION_HEAP:
			return HNSW_REFINE_HEAP;
		case HNSW_REFINE_OPTION_F16:
			return HNSW_REFINE_F16;
		case HNSW_REFINE_OPTION_AUTO:
			break;
	}
	return bytes <= INLINE_VECTOR_BYTES || dim * sizeof(DistHalf) > HNSW_PAGE_ROOM
		? HNSW_REFINE_HEAP : HNSW_REFINE_F16;
}

/* Sizes that follow from the rest. */
static void
set_sizes(HnswShape *shape)
{
	uint32		columns = 0;

	for (int i = 0; i < shape->ncolumns; i++)
	{
		shape->columns[i].at = columns;
		shape->columns[i].bytes = hnsw_column_bytes(shape->columns[i].kind);
		columns += shape->columns[i].bytes;
	}
	shape->columns_at = sizeof(HnswNode) + 2 * shape->m * sizeof(uint32);
	shape->record_at = shape->columns_at + columns;
	shape->record_bytes = hnsw_form_bytes(&shape->form);
	shape->node_bytes = shape->record_at + shape->record_bytes;
	shape->upper_bytes = sizeof(HnswUpper) + shape->m * sizeof(uint32);
	shape->refine_bytes = shape->form.dim * sizeof(DistHalf);
	shape->per_page[HNSW_SPACE_NODES] = HNSW_PAGE_ROOM / shape->node_bytes;
	shape->per_page[HNSW_SPACE_UPPER] = HNSW_PAGE_ROOM / shape->upper_bytes;
	shape->per_page[HNSW_SPACE_REFINE] = shape->refine == HNSW_REFINE_F16
		? HNSW_PAGE_ROOM / shape->refine_bytes : 0;
}

void
hnsw_shape_of_index(Relation index, HnswShape *shape)
{
	TupleDesc	desc = RelationGetDescr(index);
	int32		typmod = TupleDescAttr(desc, 0)->atttypmod;
	DistMetric	metric;

	memset(shape, 0, sizeof(*shape));
	if (desc->natts - 1 > HNSW_MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("access method \"%s\" supports at most %d columns after the vector",
						"sorted_hnsw", HNSW_MAX_COLUMNS)));
	hnsw_value_of_index(index, &shape->type, &metric);
	check_dimensions(index, typmod);
	shape->form = hnsw_form(metric, typmod <= HNSW_FLOAT_DIMS ? HNSW_FLOAT32 : HNSW_INT8, typmod);
	shape->m = hnsw_options_m(index);
	shape->ef_construction = hnsw_options_ef_construction(index);
	if (shape->ef_construction < 2 * shape->m)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("ef_construction must be at least 2 * m"),
				 errdetail("ef_construction is %u, m is %u.", shape->ef_construction, shape->m)));
	shape->refine = choose_refine(hnsw_options_refine(index), shape->type, typmod);
	shape->ncolumns = desc->natts - 1;
	for (int i = 0; i < shape->ncolumns; i++)
		shape->columns[i].kind = hnsw_column_kind(index, i + 1);
	set_sizes(shape);
	if (shape->per_page[HNSW_SPACE_NODES] == 0 ||
		(shape->refine == HNSW_REFINE_F16 && shape->per_page[HNSW_SPACE_REFINE] == 0))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a node of index \"%s\" does not fit on a page",
						RelationGetRelationName(index)),
				 errdetail("%d dimensions, m = %u and %d more columns need %u bytes, %u with refine = f16; a page has room for %zu.",
						   typmod, shape->m, shape->ncolumns, shape->node_bytes,
						   shape->refine_bytes, (Size) HNSW_PAGE_ROOM),
				 errhint("Lower m, index fewer dimensions, or set refine to heap.")));
}

void
hnsw_shape_of_meta(const HnswMeta *meta, HnswShape *shape)
{
	memset(shape, 0, sizeof(*shape));
	shape->form = hnsw_form((DistMetric) meta->metric, (HnswElement) meta->element, meta->dim);
	shape->type = (HnswType) meta->type;
	shape->refine = (HnswRefine) meta->refine;
	shape->m = meta->m;
	shape->ef_construction = meta->ef_construction;
	shape->ncolumns = meta->ncolumns;
	for (int i = 0; i < shape->ncolumns; i++)
		shape->columns[i].kind = meta->kinds[i];
	set_sizes(shape);
}

/* Can a value of the column be read as one of the kind? */
static bool
kind_fits(Form_pg_attribute attribute, int kind)
{
	switch (kind)
	{
		case KEY_KIND_BYTES:
			return attribute->attlen == -1;
		case KEY_KIND_UUID:
			return attribute->attlen == 16;
		default:
			return attribute->attbyval;
	}
}

const char *
hnsw_shape_fault(Relation index, const HnswShape *shape)
{
	TupleDesc	desc = RelationGetDescr(index);
	HnswType	type;
	DistMetric	metric;

	if (!hnsw_distance_metric(index_getprocinfo(index, 1, 1)->fn_addr, &type, &metric) ||
		type != shape->type || metric != shape->form.metric ||
		TupleDescAttr(desc, 0)->atttypmod != (int32) shape->form.dim ||
		desc->natts - 1 != shape->ncolumns)
		return "it describes another index";
	for (int i = 0; i < shape->ncolumns; i++)
	{
		if (!kind_fits(TupleDescAttr(desc, i + 1), shape->columns[i].kind))
			return "it describes another index";
	}
	return NULL;
}

void
hnsw_shape_store(const HnswShape *shape, HnswMeta *meta)
{
	meta->dim = shape->form.dim;
	meta->m = shape->m;
	meta->ef_construction = shape->ef_construction;
	meta->metric = shape->form.metric;
	meta->element = shape->form.element;
	meta->refine = shape->refine;
	meta->type = shape->type;
	meta->ncolumns = shape->ncolumns;
	for (int i = 0; i < shape->ncolumns; i++)
		meta->kinds[i] = shape->columns[i].kind;
}
