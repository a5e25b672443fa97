/*
 * dist_scalar.c
 *	  Kernels in plain C: the oracle, and the fallback of every machine.
 *
 * Products of two floats are exact in double, so summing them there and
 * rounding once leaves an error of half a unit in the last place. That makes
 * these sums a judge of the other tables, at the price of a slower fallback.
 * A sum beyond the range of float becomes infinite, one below it denormal or
 * zero; dist.c sees both.
 *
 * Four accumulators keep the additions from waiting for each other. The
 * vectorizer stays off: this table is what a machine without vector units
 * does, and benchmarks compare against it.
 */
#include "dist_isa.h"

#include <math.h>

#include "dist_nibbles.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("no-tree-vectorize", "no-tree-slp-vectorize")
#endif

#define LANES 4

static double
sum_lanes(const double *lane)
{
	return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static inline double
wide_f32(float value)
{
	return value;
}

static inline double
wide_f16(DistHalf value)
{
	return half_to_float(value);
}

#define WIDE(value) _Generic((value), float: wide_f32, DistHalf: wide_f16)(value)

static inline double
term_dot(double a, double b)
{
	return a * b;
}

static inline double
term_l2sq(double a, double b)
{
	return (a - b) * (a - b);
}

static inline double
term_l1(double a, double b)
{
	return fabs(a - b);
}

#define DEFINE_ONE_SUM(NAME, A, B, TERM) \
static float \
NAME(const A *a, const B *b, uint32_t n) \
{ \
	double		sum[LANES] = {0}; \
	uint32_t	i = 0; \
\
	for (; n - i >= LANES; i += LANES) \
	{ \
		sum[0] += TERM(WIDE(a[i]), WIDE(b[i])); \
		sum[1] += TERM(WIDE(a[i + 1]), WIDE(b[i + 1])); \
		sum[2] += TERM(WIDE(a[i + 2]), WIDE(b[i + 2])); \
		sum[3] += TERM(WIDE(a[i + 3]), WIDE(b[i + 3])); \
	} \
	for (; i < n; i++) \
		sum[0] += TERM(WIDE(a[i]), WIDE(b[i])); \
	return (float) sum_lanes(sum); \
}

DEFINE_ONE_SUM(dot_f32_scalar, float, float, term_dot)
DEFINE_ONE_SUM(l2sq_f32_scalar, float, float, term_l2sq)
DEFINE_ONE_SUM(l1_f32_scalar, float, float, term_l1)
DEFINE_ONE_SUM(dot_f16_scalar, DistHalf, DistHalf, term_dot)
DEFINE_ONE_SUM(l2sq_f16_scalar, DistHalf, DistHalf, term_l2sq)
DEFINE_ONE_SUM(l1_f16_scalar, DistHalf, DistHalf, term_l1)
DEFINE_ONE_SUM(dot_f32f16_scalar, float, DistHalf, term_dot)
DEFINE_ONE_SUM(l2sq_f32f16_scalar, float, DistHalf, term_l2sq)
DEFINE_ONE_SUM(l1_f32f16_scalar, float, DistHalf, term_l1)

/* One sum after the other: the same order for each. */
#define DEFINE_COSINE(NAME, TYPE, DOT) \
static void \
NAME(const TYPE *a, const TYPE *b, uint32_t n, DistSums *sums) \
{ \
	sums->dot = DOT(a, b, n); \
	sums->aa = DOT(a, a, n); \
	sums->bb = DOT(b, b, n); \
}

DEFINE_COSINE(cosine_f32_scalar, float, dot_f32_scalar)
DEFINE_COSINE(cosine_f16_scalar, DistHalf, dot_f16_scalar)

static void
dotnorm_f32_scalar(const float *a, const float *b, uint32_t n, DistSums *sums)
{
	sums->dot = dot_f32_scalar(a, b, n);
	sums->bb = dot_f32_scalar(b, b, n);
}

static void
dotnorm_f32f16_scalar(const float *a, const DistHalf *b, uint32_t n, DistSums *sums)
{
	sums->dot = dot_f32f16_scalar(a, b, n);
	sums->bb = dot_f16_scalar(b, b, n);
}

#define DEFINE_FOUR_SUMS(NAME, A, B, SUM, ONE) \
static void \
NAME(const A *a, const B *const *b, uint32_t n, SUM *sums) \
{ \
	for (int i = 0; i < DIST_FOUR; i++) \
		sums[i] = ONE(a, b[i], n); \
}

DEFINE_FOUR_SUMS(dot_f32_x4_scalar, float, float, float, dot_f32_scalar)
DEFINE_FOUR_SUMS(l2sq_f32_x4_scalar, float, float, float, l2sq_f32_scalar)
DEFINE_FOUR_SUMS(l1_f32_x4_scalar, float, float, float, l1_f32_scalar)
DEFINE_FOUR_SUMS(dot_f32f16_x4_scalar, float, DistHalf, float, dot_f32f16_scalar)
DEFINE_FOUR_SUMS(l2sq_f32f16_x4_scalar, float, DistHalf, float, l2sq_f32f16_scalar)
DEFINE_FOUR_SUMS(l1_f32f16_x4_scalar, float, DistHalf, float, l1_f32f16_scalar)

static int32_t
dot_i8_scalar(const int8_t *a, const int8_t *b, uint32_t n)
{
	int32_t		sum[LANES] = {0};
	uint32_t	i = 0;

	for (; n - i >= LANES; i += LANES)
	{
		sum[0] += a[i] * b[i];
		sum[1] += a[i + 1] * b[i + 1];
		sum[2] += a[i + 2] * b[i + 2];
		sum[3] += a[i + 3] * b[i + 3];
	}
	for (; i < n; i++)
		sum[0] += a[i] * b[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

DEFINE_FOUR_SUMS(dot_i8_x4_scalar, int8_t, int8_t, int32_t, dot_i8_scalar)

static float
l1_i8_scalar(const int8_t *a, float a_scale, const int8_t *b, float b_scale, uint32_t n)
{
	double		sum = 0.0;

	for (uint32_t i = 0; i < n; i++)
		sum += fabs((double) a[i] * a_scale - (double) b[i] * b_scale);
	return (float) sum;
}

static void
l1_i8_x4_scalar(const int8_t *a, float a_scale, const int8_t *const *b, const float *scales,
				uint32_t n, float *sums)
{
	for (int i = 0; i < DIST_FOUR; i++)
		sums[i] = l1_i8_scalar(a, a_scale, b[i], scales[i], n);
}

static void
f16_to_f32_scalar(const DistHalf *from, float *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = half_to_float(from[i]);
}

static void
f32_to_f16_scalar(const float *from, DistHalf *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = half_from_float(from[i]);
}

static float
maxabs_f32_scalar(const float *a, uint32_t n)
{
	float		largest = 0.0f;

	for (uint32_t i = 0; i < n; i++)
	{
		float		size = fabsf(a[i]);

		largest = size > largest ? size : largest;
	}
	return largest;
}

/* In [2^23, 2^24) floats are the whole numbers: adding this rounds to them. */
#define ROUNDER 0x1.8p23f

static void
f32_to_i8_scalar(const float *from, float factor, int8_t *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		volatile float product = from[i] * factor;	/* rounded once, as in a
													 * vector register */
		volatile float shifted = product + ROUNDER;

		to[i] = (int8_t) (shifted - ROUNDER);
	}
}

DEFINE_DOT_U4I8_FOUR_TIMES(, dot_u4i8_x4_scalar, dot_u4i8_plain)

const DistKernels dist_isa_scalar = {
	.isa = "scalar",
	.dot_f32 = dot_f32_scalar,
	.l2sq_f32 = l2sq_f32_scalar,
	.l1_f32 = l1_f32_scalar,
	.dotnorm_f32 = dotnorm_f32_scalar,
	.cosine_f32 = cosine_f32_scalar,
	.dot_f16 = dot_f16_scalar,
	.l2sq_f16 = l2sq_f16_scalar,
	.l1_f16 = l1_f16_scalar,
	.cosine_f16 = cosine_f16_scalar,
	.dot_f32f16 = dot_f32f16_scalar,
	.l2sq_f32f16 = l2sq_f32f16_scalar,
	.l1_f32f16 = l1_f32f16_scalar,
	.dotnorm_f32f16 = dotnorm_f32f16_scalar,
	.dot_i8 = dot_i8_scalar,
	.l1_i8 = l1_i8_scalar,
	.l1_i8_x4 = l1_i8_x4_scalar,
	.dot_f32_x4 = dot_f32_x4_scalar,
	.l2sq_f32_x4 = l2sq_f32_x4_scalar,
	.l1_f32_x4 = l1_f32_x4_scalar,
	.dot_f32f16_x4 = dot_f32f16_x4_scalar,
	.l2sq_f32f16_x4 = l2sq_f32f16_x4_scalar,
	.l1_f32f16_x4 = l1_f32f16_x4_scalar,
	.dot_i8_x4 = dot_i8_x4_scalar,
	.f16_to_f32 = f16_to_f32_scalar,
	.f32_to_f16 = f32_to_f16_scalar,
	.maxabs_f32 = maxabs_f32_scalar,
	.f32_to_i8 = f32_to_i8_scalar,
	.dot_u4i8 = dot_u4i8_plain,
	.dot_u4i8_x4 = dot_u4i8_x4_scalar,
};
