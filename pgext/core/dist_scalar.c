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

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("no-tree-vectorize", "no-tree-slp-vectorize")
#endif

#define LANES 4

static double
sum_lanes(const double *lane)
{
	return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static float
dot_f32_scalar(const float *a, const float *b, uint32_t n)
{
	double		sum[LANES] = {0};
	uint32_t	i = 0;

	for (; n - i >= LANES; i += LANES)
	{
		sum[0] += (double) a[i] * b[i];
		sum[1] += (double) a[i + 1] * b[i + 1];
		sum[2] += (double) a[i + 2] * b[i + 2];
		sum[3] += (double) a[i + 3] * b[i + 3];
	}
	for (; i < n; i++)
		sum[0] += (double) a[i] * b[i];
	return (float) sum_lanes(sum);
}

static inline double
diff_squared(float a, float b)
{
	double		diff = (double) a - b;

	return diff * diff;
}

static float
l2sq_f32_scalar(const float *a, const float *b, uint32_t n)
{
	double		sum[LANES] = {0};
	uint32_t	i = 0;

	for (; n - i >= LANES; i += LANES)
	{
		sum[0] += diff_squared(a[i], b[i]);
		sum[1] += diff_squared(a[i + 1], b[i + 1]);
		sum[2] += diff_squared(a[i + 2], b[i + 2]);
		sum[3] += diff_squared(a[i + 3], b[i + 3]);
	}
	for (; i < n; i++)
		sum[0] += diff_squared(a[i], b[i]);
	return (float) sum_lanes(sum);
}

static float
l1_f32_scalar(const float *a, const float *b, uint32_t n)
{
	double		sum[LANES] = {0};
	uint32_t	i = 0;

	for (; n - i >= LANES; i += LANES)
	{
		sum[0] += fabs((double) a[i] - b[i]);
		sum[1] += fabs((double) a[i + 1] - b[i + 1]);
		sum[2] += fabs((double) a[i + 2] - b[i + 2]);
		sum[3] += fabs((double) a[i + 3] - b[i + 3]);
	}
	for (; i < n; i++)
		sum[0] += fabs((double) a[i] - b[i]);
	return (float) sum_lanes(sum);
}

/* Sums of one lane for cosine, in double. */
typedef struct WideSums
{
	double		dot;
	double		aa;
	double		bb;
} WideSums;

static inline __attribute__((always_inline)) void
cosine_step(WideSums *sums, double a, double b, bool with_aa)
{
	sums->dot += a * b;
	sums->bb += b * b;
	if (with_aa)
		sums->aa += a * a;
}

/* Both callers sum in the same order: see dist_isa.h. */
static inline __attribute__((always_inline)) void
cosine_sums(const float *a, const float *b, uint32_t n, bool with_aa,
			DistSums *sums)
{
	WideSums	s0 = {0.0, 0.0, 0.0};
	WideSums	s1 = s0;
	WideSums	s2 = s0;
	WideSums	s3 = s0;
	uint32_t	i = 0;

	for (; n - i >= LANES; i += LANES)
	{
		cosine_step(&s0, a[i], b[i], with_aa);
		cosine_step(&s1, a[i + 1], b[i + 1], with_aa);
		cosine_step(&s2, a[i + 2], b[i + 2], with_aa);
		cosine_step(&s3, a[i + 3], b[i + 3], with_aa);
	}
	for (; i < n; i++)
		cosine_step(&s0, a[i], b[i], with_aa);
	sums->dot = (float) ((s0.dot + s1.dot) + (s2.dot + s3.dot));
	sums->bb = (float) ((s0.bb + s1.bb) + (s2.bb + s3.bb));
	if (with_aa)
		sums->aa = (float) ((s0.aa + s1.aa) + (s2.aa + s3.aa));
}

static void
dotnorm_f32_scalar(const float *a, const float *b, uint32_t n, DistSums *sums)
{
	cosine_sums(a, b, n, false, sums);
}

static void
cosine_f32_scalar(const float *a, const float *b, uint32_t n, DistSums *sums)
{
	cosine_sums(a, b, n, true, sums);
}

const DistKernels dist_isa_scalar = {
	.isa = "scalar",
	.dot_f32 = dot_f32_scalar,
	.l2sq_f32 = l2sq_f32_scalar,
	.l1_f32 = l1_f32_scalar,
	.dotnorm_f32 = dotnorm_f32_scalar,
	.cosine_f32 = cosine_f32_scalar,
};
