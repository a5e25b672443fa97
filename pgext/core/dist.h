/*
 * dist.h
 *	  Distances over float and half vectors, by the kernels of this machine.
 *
 * A kernel gives raw sums in single precision; the final formula (square root,
 * division, clamp) is applied in double, in one place for all instruction
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
 *	 - A half counts as the float of the same value: a distance has the same
 *	   bits whether its query came as halves or as floats.
 */
#ifndef DIST_H
#define DIST_H

#include "core.h"
#include "half.h"

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

/* A one-by-four kernel meets one query with so many vectors. */
#define DIST_FOUR 4

/* Numbers of four bits come in blocks of so many. */
#define DIST_NIBBLE_BLOCK 64

/*
 * One instruction set. Arrays need no alignment but their elements'. A name
 * with two types takes a float query and rows of the second type. int8
 * components are -127 to 127, never -128, and n is at most DIST_MAX_I8 there.
 */
typedef struct DistKernels
{
	const char *isa;			/* "scalar", "avx2", ... */

	float		(*dot_f32) (const float *a, const float *b, uint32_t n);
	float		(*l2sq_f32) (const float *a, const float *b, uint32_t n);
	float		(*l1_f32) (const float *a, const float *b, uint32_t n);
	/* dot and bb only, aa is left alone: the norm of the query is known */
	void		(*dotnorm_f32) (const float *a, const float *b, uint32_t n, DistSums *sums);
	void		(*cosine_f32) (const float *a, const float *b, uint32_t n, DistSums *sums);

	float		(*dot_f16) (const DistHalf *a, const DistHalf *b, uint32_t n);
	float		(*l2sq_f16) (const DistHalf *a, const DistHalf *b, uint32_t n);
	float		(*l1_f16) (const DistHalf *a, const DistHalf *b, uint32_t n);
	void		(*cosine_f16) (const DistHalf *a, const DistHalf *b, uint32_t n, DistSums *sums);

	float		(*dot_f32f16) (const float *a, const DistHalf *b, uint32_t n);
	float		(*l2sq_f32f16) (const float *a, const DistHalf *b, uint32_t n);
	float		(*l1_f32f16) (const float *a, const DistHalf *b, uint32_t n);
	void		(*dotnorm_f32f16) (const float *a, const DistHalf *b, uint32_t n, DistSums *sums);

	int32_t		(*dot_i8) (const int8_t *a, const int8_t *b, uint32_t n);
	/* sum |a[i] * a_scale - b[i] * b_scale| */
	float		(*l1_i8) (const int8_t *a, float a_scale, const int8_t *b, float b_scale, uint32_t n);

	/* four sums at once, each with the bits of the kernel for one */
	void		(*dot_f32_x4) (const float *a, const float *const *b, uint32_t n, float *sums);
	void		(*l2sq_f32_x4) (const float *a, const float *const *b, uint32_t n, float *sums);
	void		(*l1_f32_x4) (const float *a, const float *const *b, uint32_t n, float *sums);
	void		(*dot_f32f16_x4) (const float *a, const DistHalf *const *b, uint32_t n, float *sums);
	void		(*l2sq_f32f16_x4) (const float *a, const DistHalf *const *b, uint32_t n, float *sums);
	void		(*l1_f32f16_x4) (const float *a, const DistHalf *const *b, uint32_t n, float *sums);
	void		(*dot_i8_x4) (const int8_t *a, const int8_t *const *b, uint32_t n, int32_t *sums);
	void		(*l1_i8_x4) (const int8_t *a, float a_scale, const int8_t *const *b,
							 const float *scales, uint32_t n, float *sums);

	/* the same bits by every instruction set */
	void		(*f16_to_f32) (const DistHalf *from, float *to, uint32_t n);
	void		(*f32_to_f16) (const float *from, DistHalf *to, uint32_t n);
	float		(*maxabs_f32) (const float *a, uint32_t n);
	/* nearest whole number to from[i] * factor, which is within -127 to 127 */
	void		(*f32_to_i8) (const float *from, float factor, int8_t *to, uint32_t n);

	/* numbers of four bits, as dist_nibbles.h packs them, with int8 */
	int32_t		(*dot_u4i8) (const uint8_t *a, const int8_t *b, uint32_t blocks);
	void		(*dot_u4i8_x4) (const uint8_t *const *a, const int8_t *b, uint32_t blocks,
								int32_t *out);
} DistKernels;

/* The kernels of this machine: probed once, best first; safe to call first from
 * several threads. SORTED_HEAP_ISA in the environment (scalar, avx2, avx512,
 * avx512vnni, neon, neondot) limits the choice, for tests; a name that this CPU
 * or this build lacks gives scalar, and `isa` of the result tells which it is. */
extern const DistKernels *dist_kernels(void);

/* The kernels of one instruction set, or NULL when this CPU lacks it. */
extern const DistKernels *dist_kernels_isa(const char *isa);

/* All names that dist_kernels_isa may know, best first, and a NULL. */
extern const char *const dist_isa_names[];

/* Distance between two vectors of n components. */
extern double dist_f32(DistMetric metric, const float *a, const float *b, uint32_t n);
extern double dist_f16(DistMetric metric, const DistHalf *a, const DistHalf *b, uint32_t n);

/* The same by a given instruction set. */
extern double dist_f32_by(const DistKernels *kernels, DistMetric metric,
						  const float *a, const float *b, uint32_t n);
extern double dist_f16_by(const DistKernels *kernels, DistMetric metric,
						  const DistHalf *a, const DistHalf *b, uint32_t n);

/*
 * A query against many vectors. Gives bit for bit what dist_f32(metric, query,
 * v, n) gives, and dist_f16 where the query's components are halves, without
 * computing the query's norm again. `query` must outlive the struct.
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
extern double dist_query_f16(const DistQuery *dq, const DistHalf *v);

/*
 * Distances to `count` vectors in any order in memory, the bits of
 * dist_query_f32 and dist_query_f16: four at a time, the next four on their
 * way into the cache. For graph walks. `squares` holds for each vector what
 * dist_square_f32 or _f16 gives; cosine is half the work with it. NULL when not
 * known, and for the other metrics.
 */
extern void dist_query_f32_many(const DistQuery *dq, const float *const *vectors,
								const float *squares, uint32_t count, double *distances);
extern void dist_query_f16_many(const DistQuery *dq, const DistHalf *const *vectors,
								const float *squares, uint32_t count, double *distances);

/* Squared norm in single precision, as the query would sum it; also an
 * overflowed (infinite) one is right for `squares`. */
extern float dist_square_f32(const DistQuery *dq, const float *v);
extern float dist_square_f16(const DistQuery *dq, const DistHalf *v);

/* Euclidean norm, accumulated in double. */
extern double dist_norm_f32(const float *a, uint32_t n);
extern double dist_norm_f16(const DistHalf *a, uint32_t n);

/* Start loading so many bytes into the cache. */
static inline void
dist_prefetch(const void *p, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += 64)
		__builtin_prefetch((const char *) p + at);
}

/* The same into the second cache, which can wait for more lines at a time than the
 * first: for what is wanted later. */
static inline void
dist_prefetch_ahead(const void *p, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += 64)
		__builtin_prefetch((const char *) p + at, 0, 2);
}

#endif							/* DIST_H */
