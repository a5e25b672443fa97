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

static void
dotnorm_f32_scalar(const float *a, const float *b, uint32_t n, DistSums *sums)
{
	double		dot[LANES] = {0};
	double		bb[LANES] = {0};
	uint32_t	i = 0;

	for (; n - i >= LANES; i += LANES)
	{
		for (int lane = 0; lane < LANES; lane++)
		{
			dot[lane] += (double) a[i + lane] * b[i + lane];
			bb[lane] += (double) b[i + lane] * b[i + lane];
		}
	}
	for (; i < n; i++)
	{
		dot[0] += (double) a[i] * b[i];
		bb[0] += (double) b[i] * b[i];
	}
	sums->dot = (float) sum_lanes(dot);
	sums->bb = (float) sum_lanes(bb);
}

static void
cosine_f32_scalar(const float *a, const float *b, uint32_t n, DistSums *sums)
{
	double		dot[LANES] = {0};
	double		aa[LANES] = {0};
	double		bb[LANES] = {0};
	uint32_t	i = 0;

	for (; n - i >= LANES; i += LANES)
	{
		for (int lane = 0; lane < LANES; lane++)
		{
			dot[lane] += (double) a[i + lane] * b[i + lane];
			aa[lane] += (double) a[i + lane] * a[i + lane];
			bb[lane] += (double) b[i + lane] * b[i + lane];
		}
	}
	for (; i < n; i++)
	{
		dot[0] += (double) a[i] * b[i];
		aa[0] += (double) a[i] * a[i];
		bb[0] += (double) b[i] * b[i];
	}
	sums->dot = (float) sum_lanes(dot);
	sums->aa = (float) sum_lanes(aa);
	sums->bb = (float) sum_lanes(bb);
}

const DistKernels dist_isa_scalar = {
	.isa = "scalar",
	.dot_f32 = dot_f32_scalar,
	.l2sq_f32 = l2sq_f32_scalar,
	.l1_f32 = l1_f32_scalar,
	.dotnorm_f32 = dotnorm_f32_scalar,
	.cosine_f32 = cosine_f32_scalar,
};
