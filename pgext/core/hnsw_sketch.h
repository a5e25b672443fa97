/*
 * hnsw_sketch.h
 *	  Four bits for each component of a record: about its distance, for half of the
 *	  bytes.
 *
 * Of each vector its difference from the middle of all is taken and turned by a fixed
 * rotation, which makes components of any vector much alike; they are rounded to sixteen
 * steps. The product of a query's difference with that gives an estimate of the product
 * of both, whose error is normal, with a deviation that is known (as RaBitQ has it). Who
 * has found nodes by estimates compares them by their records in the end.
 *
 * The middle is what makes it work for vectors that have much in common: only
 * what they differ in is rounded. Vectors far longer than most are no part of it.
 *
 * Sketches are made of records of int8 codes, for metrics that are a matter of
 * products, so not for L1. Numbers of four bits are packed as dist_nibbles.h has it.
 */
#ifndef HNSW_SKETCH_H
#define HNSW_SKETCH_H

#include "hnsw_form.h"

/* What is known of a vector beside the numbers; distances of dist.h, L2 squared. */
typedef struct HnswSketchFacts
{
	float		factor;			/* what a step of the product takes off */
	float		more;			/* than the distance from query to middle */
} HnswSketchFacts;

struct HnswSketchQuery
{
	const DistKernels *kernels;
	uint32_t	blocks;
	float		base;			/* the distance from query to middle */
	float		scale;			/* of a product of codes and numbers */
	float		middle;			/* the product that stands for none */
	float		length;			/* of the query's difference from the middle */
	const int8_t *code;			/* of the turned query, zeros behind */
};

/* Are there sketches of this form's records? */
extern bool hnsw_sketch_serves(const HnswForm *form);

/* Bytes of the numbers of one vector. */
extern size_t hnsw_sketch_bytes(const HnswForm *form);

/* The lengths of vectors, of which some may be far longer than most; all zeros before the
 * first. */
typedef struct HnswSketchLengths
{
	int64_t		exponents;		/* binary ones of the squares */
	int64_t		count;
} HnswSketchLengths;

extern void hnsw_sketch_measure(const HnswForm *form, const HnswFacts *facts,
								HnswSketchLengths *lengths);

/* Add a record's vector to sums of form->dim components, unless it is far longer than
 * those measured; returns whether. */
extern bool hnsw_sketch_add(const HnswForm *form, const void *record,
							const HnswSketchLengths *lengths, double *sums);

/* The middle of the `count` vectors added, turned, as `form->dim` floats. */
extern void hnsw_sketch_middle(const HnswForm *form, const double *sums, uint32_t count,
							   float *middle);

/* Bytes of the room that the next two want. */
extern size_t hnsw_sketch_room(const HnswForm *form);

/* Returns the deviation of estimates, for a factor and a query's length of 1. */
extern float hnsw_sketch_make(const HnswForm *form, const float *middle, const void *record,
							  void *room, HnswSketchFacts *facts, uint8_t *numbers);

/* The room must outlive the query. */
extern void hnsw_sketch_query_init(HnswSketchQuery *query, const HnswForm *form,
								   const float *middle, const void *record, void *room);

/* What the products of codes with the numbers of `count` sketches tell: about the
 * distances to the records, as hnsw_form_distances gives them. What a damaged record
 * makes of it is infinitely far. */
extern void hnsw_sketch_distances(const HnswSketchQuery *query, const HnswSketchFacts *facts,
								  const int32_t *products, uint32_t count, float *out);

/* Of up to HNSW_SKETCH_RUN of them: which are no farther than the limit? Their places go
 * into `near`, their distances into out[] at these; returns how many they are. */
#define HNSW_SKETCH_RUN 256
extern uint32_t hnsw_sketch_near(const HnswSketchQuery *query, const HnswSketchFacts *facts,
								 const int32_t *products, uint32_t count, float limit,
								 float *out, uint8_t *near);

/* The product with the numbers of one, and with those of four. */
static inline int32_t
hnsw_sketch_product(const HnswSketchQuery *query, const uint8_t *numbers)
{
	return query->kernels->dot_u4i8(numbers, query->code, query->blocks);
}

static inline void
hnsw_sketch_products_four(const HnswSketchQuery *query, const uint8_t *const *numbers,
						  int32_t *out)
{
	query->kernels->dot_u4i8_x4(numbers, query->code, query->blocks, out);
}

#endif							/* HNSW_SKETCH_H */
