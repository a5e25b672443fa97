/*
 * dist_code.h
 *	  int8 codes of vectors: quantise, and distances between codes.
 *
 * A code stands for the vector c[i] * scale. Distances are those of the decoded
 * vectors, nothing else is approximated: sums of products are exact integers,
 * and what a code loses is bounded component by component. With
 *		scale = max |x[i]| / 127,
 *		|x[i] - c[i] * scale| <= e = 0.5001 * scale + 2^-142,
 * so for two vectors with errors e and f of n components each
 *		L2		differs by at most (e + f) * sqrt(n)
 *		L1		by at most (e + f) * n
 *		IP		by at most |x| * f * sqrt(n) + |decoded y| * e * sqrt(n)
 *		cosine	by at most asin(e * sqrt(n) / |x|) + asin(f * sqrt(n) / |y|),
 *				where both arguments are below 1.
 * Cosine does not depend on the scale, so it is as good for tiny vectors as for
 * any. The code of a zero vector is zero, with scale 0.
 *
 * Codes have the same bits on every machine.
 */
#ifndef DIST_CODE_H
#define DIST_CODE_H

#include "dist.h"

/* Sums of this many products fit an int32. */
#define DIST_MAX_I8 65535

/* A code where it lies, and its two facts, to be stored beside it. */
typedef struct DistCode
{
	const int8_t *x;			/* -127 .. 127 */
	float		scale;
	int32_t		square;			/* sum x[i] * x[i] */
} DistCode;

/* The code of n finite floats; `room` takes the n bytes. */
extern DistCode dist_code_f32(const float *v, uint32_t n, int8_t *room);

/* The code of n halves; n <= DIST_MAX_I8. */
extern DistCode dist_code_f16(const DistHalf *v, uint32_t n, int8_t *room);

/* A code against many. */
typedef struct DistCodeQuery
{
	const DistKernels *kernels;
	DistCode	code;
	uint32_t	n;
	DistMetric	metric;
} DistCodeQuery;

/* `code.x` must outlive the struct. */
extern void dist_code_query_init(DistCodeQuery *dq, DistMetric metric, DistCode code, uint32_t n);
extern void dist_code_query_init_by(DistCodeQuery *dq, const DistKernels *kernels,
									DistMetric metric, DistCode code, uint32_t n);

/* By the rules of dist.h: cosine is NaN where either code is zero. */
extern double dist_code(const DistCodeQuery *dq, DistCode v);

/* The same bits for `count` codes: four at a time, the next on their way into
 * the cache. */
extern void dist_code_many(const DistCodeQuery *dq, const DistCode *codes,
						   uint32_t count, double *distances);

#endif							/* DIST_CODE_H */
