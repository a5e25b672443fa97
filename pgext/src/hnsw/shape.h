/*
 * shape.h
 *	  What an index is made of: metric, element, dimensions, options, columns,
 *	  and the sizes that follow.
 *
 * At build it comes from the catalogs, ever after from the metapage, so that an
 * option changed by ALTER INDEX waits for REINDEX.
 */
#ifndef HNSW_SHAPE_H
#define HNSW_SHAPE_H

#include "utils/relcache.h"

#include "hnsw_form.h"
#include "hnsw_place.h"

/* Columns after the vector: filters, then payload (INCLUDE). */
#define HNSW_MAX_COLUMNS 8

#define HNSW_MAX_DIM 16000

/* Records of at most so many dimensions hold floats: codes save little there
 * and cost recall. */
#define HNSW_FLOAT_DIMS 32

/* Stored in the metapage: never renumber. */
typedef enum HnswType
{
	HNSW_TYPE_SVEC = 1,
	HNSW_TYPE_HSVEC = 2
} HnswType;

/* Where a scan finds distances better than those of records. */
typedef enum HnswRefine
{
	HNSW_REFINE_HEAP = 1,		/* in the row alone */
	HNSW_REFINE_F16 = 2			/* first in halves in the index */
} HnswRefine;

/* What a column's value becomes; kinds are those of keyimage.h. */
typedef struct HnswColumn
{
	uint8		kind;
	uint8		bytes;			/* 8 or 16 */
	uint16		at;				/* from where the columns start */
} HnswColumn;

typedef struct HnswShape
{
	HnswForm	form;			/* metric, element, dim */
	HnswType	type;
	HnswRefine	refine;
	uint32		m;
	uint32		ef_construction;
	int			ncolumns;
	HnswColumn	columns[HNSW_MAX_COLUMNS];

	/* Bytes of slots, and where their parts lie */
	uint32		columns_at;
	uint32		record_at;
	uint32		record_bytes;
	uint32		node_bytes;
	uint32		upper_bytes;
	uint32		refine_bytes;
	uint32		per_page[3];	/* slots, by HnswSpace; 0: no such space */
} HnswShape;

struct HnswMeta;

/* The shape that the catalogs ask for; errors name what cannot be indexed. */
extern void hnsw_shape_of_index(Relation index, HnswShape *shape);

/* The shape of a metapage without fault. */
extern void hnsw_shape_of_meta(const struct HnswMeta *meta, HnswShape *shape);

/* What of a metapage's shape is not the index's, so that its values would be read
 * as something else; NULL when nothing is. */
extern const char *hnsw_shape_fault(Relation index, const HnswShape *shape);

/* The facts that never change, into a new metapage. */
extern void hnsw_shape_store(const HnswShape *shape, struct HnswMeta *meta);

/* Bytes that columns of a kind take; 0 when there is no such kind. */
extern int	hnsw_column_bytes(int kind);

static inline HnswParams
hnsw_shape_params(const HnswShape *shape)
{
	HnswParams	params = {shape->m, shape->ef_construction};

	return params;
}

#endif							/* HNSW_SHAPE_H */
