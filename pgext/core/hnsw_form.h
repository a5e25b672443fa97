/*
 * hnsw_form.h
 *	  Vectors in the form in which a graph compares them.
 *
 * A record is a vector as it lies in an array or on an index page: two facts
 * about it and its components, either int8 codes (dist_code.h) or floats. It
 * holds no pointer and no padding that is not zero, so it may be copied, logged
 * and compared as bytes. Records are aligned to four bytes.
 *
 * Distances between records order nodes and do no more: cosine and L1 are the
 * distances of dist.h, IP too, L2 is squared. Codes lose what dist_code.h says.
 */
#ifndef HNSW_FORM_H
#define HNSW_FORM_H

#include "dist.h"
#include "hnsw.h"

/* Values are stored in indexes. */
typedef enum HnswElement
{
	HNSW_INT8 = 1,
	HNSW_FLOAT32 = 2
} HnswElement;

typedef struct HnswForm
{
	const DistKernels *kernels;
	DistMetric	metric;
	HnswElement element;
	uint32_t	dim;
} HnswForm;

/* A record's components come after so many bytes. */
#define HNSW_FORM_FACTS_BYTES 8

/* What a record begins with. */
typedef struct HnswFacts
{
	float		factor;
	float		square;
} HnswFacts;

/* dim is 1 to 16,000. */
extern HnswForm hnsw_form(DistMetric metric, HnswElement element, uint32_t dim);

extern size_t hnsw_form_bytes(const HnswForm *form);

/* The record of `dim` finite floats; false when the metric gives it no distance
 * (cosine, zero norm), then the record is not written. */
extern bool hnsw_form_encode(const HnswForm *form, const float *vector, void *record);

/* Distances from one record to others. */
extern void hnsw_form_distances(const HnswForm *form, const void *from,
								const void *const *records, uint32_t count, float *out);

/* The same where copies of the records' facts lie apart, so that of a record no more is
 * read than its components. */
extern void hnsw_form_distances_apart(const HnswForm *form, const void *from,
									  const void *const *records,
									  const HnswFacts *const *facts,
									  uint32_t count, float *out);

/*
 * What rounding took from a query, rounded in turn to codes of its own: with it the error
 * of a distance is the other record's alone.
 */
typedef struct HnswRest
{
	float		factor;			/* the scale of the codes, in units of the
								 * record's */
	double		square;			/* squared norm of the query */
	const int8_t *code;
} HnswRest;

/* Are there rests? Of codes only, and where distances are a matter of products. */
extern bool hnsw_form_has_rest(const HnswForm *form);

/* The rest of a vector that has the record. `room` is for form->dim numbers, `code` for as
 * many bytes, which must outlive the rest. */
extern void hnsw_form_rest(const HnswForm *form, const float *vector, const void *record,
						   float *room, int8_t *code, HnswRest *rest);

/*
 * Numbers below and above which the exact distance of the vectors behind two records
 * hardly ever is, given the records' distance: they leave room for five standard
 * deviations of what rounding does to it. Exact distances are those of dist.h,
 * so L2 is not squared. Infinite where nothing can be said. `rest` is that of the vector
 * behind `from`, or NULL.
 */
typedef struct HnswBounds
{
	double		least;
	double		most;
} HnswBounds;

extern HnswBounds hnsw_form_bounds(const HnswForm *form, const void *from,
								   const HnswRest *rest, const void *record, float dist);

#endif							/* HNSW_FORM_H */
