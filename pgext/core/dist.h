/*
 * dist.h
 *	  Distance kernels: one table per instruction set, filled once.
 *
 * A kernel gives raw sums in single precision; the final formula (square root,
 * division, clamp) is in dist.c, in double, in one place for all instruction
 * sets. Vector kernels also sum in single precision, in several accumulators;
 * scalar kernels sum in double and round once: they are the oracle.
 *
 * Rules decided here, for every caller:
 *	 - Both vectors have n >= 1 finite components. The caller checks that
 *	   dimensions match; kernels do not.
 *	 - Cosine distance lies in [0, 2]; it is NaN when either norm is zero.
 *	 - When single precision overflows or underflows (huge or denormal
 *	   components), the formula is recomputed in double, so no finite input
 *	   gives an infinite or NaN result but for the rule above.
 *	 - A vector has cosine, L2 and L1 distance exactly 0 to itself, and the
 *	   negative inner product of orthogonal vectors is 0, never -0.
 */
#ifndef DIST_H
#define DIST_H

#include "core.h"

typedef enum DistMetric
{
	DIST_COSINE,				/* 1 - cos(a, b) */
	DIST_L2,					/* Euclidean distance */
	DIST_IP,					/* negative inner product */
	DIST_L1						/* taxicab distance */
} DistMetric;

#define DIST_NMETRICS 4

/* Sums of one pass for cosine. */
typedef struct DistSums
{
	float		dot;			/* sum a[i] * b[i] */
	float		aa;				/* sum a[i] * a[i] */
	float		bb;				/* sum b[i] * b[i] */
} DistSums;

/* One instruction set. Arrays need no alignment but a float's. */
typedef struct DistKernels
{
	const char *isa;			/* "scalar", "avx2" */
	float		(*dot_f32) (const float *a, const float *b, uint32_t n);
	float		(*l2sq_f32) (const float *a, const float *b, uint32_t n);
	float		(*l1_f32) (const float *a, const float *b, uint32_t n);
	/* dot and bb only, aa is left alone: the norm of the query is known */
	void		(*dotnorm_f32) (const float *a, const float *b, uint32_t n, DistSums *sums);
	void		(*cosine_f32) (const float *a, const float *b, uint32_t n, DistSums *sums);
} DistKernels;

/* The kernels of this machine: probed once, best first; safe to call first from
 * several threads. SORTED_HEAP_ISA in the environment (scalar, avx2) limits the
 * choice, for tests; a name that this CPU or this build lacks gives scalar, and
 * `isa` of the result tells which it is. */
extern const DistKernels *dist_kernels(void);

/* The kernels of one instruction set, or NULL when this CPU lacks it. */
extern const DistKernels *dist_kernels_isa(const char *isa);

/* Distance between two vectors of n components. */
extern double dist_f32(DistMetric metric, const float *a, const float *b, uint32_t n);

/* The same by a given instruction set. */
extern double dist_f32_by(const DistKernels *kernels, DistMetric metric,
						  const float *a, const float *b, uint32_t n);

/*
 * A query against many vectors. Gives bit for bit what dist_f32(metric, query,
 * v, n) gives, without computing the query's norm again. `query` must outlive
 * the struct.
 */
typedef struct DistQuery
{
	const DistKernels *kernels;
	const float *query;
	uint32_t	n;
	DistMetric	metric;
	float		aa;				/* the query's squared norm, as cosine_f32
								 * sums it */
} DistQuery;

extern void dist_query_init(DistQuery *dq, DistMetric metric, const float *query, uint32_t n);
extern void dist_query_init_by(DistQuery *dq, const DistKernels *kernels,
							   DistMetric metric, const float *query, uint32_t n);
extern double dist_query_f32(const DistQuery *dq, const float *v);

/* Euclidean norm, accumulated in double. */
extern double dist_norm_f32(const float *a, uint32_t n);

#endif							/* DIST_H */
