/*
 * dist.c
 *	  Choose the kernels of this machine, and turn sums into distances.
 *
 * The final formulas stand here once, for all instruction sets, in double.
 *
 * Single-precision sums are trusted only inside a window. Above it they have
 * overflowed (infinite, or NaN from infinity minus infinity). Below it,
 * products that fell under the smallest denormal may matter: each loses up to
 * 2^-150, and 2^14 components lose less than 2^-135 together, so a sum of at
 * least TINY is right to 2^-35, beyond what single precision resolves.
 * Outside the window the formula is computed again in double, where squares of
 * all finite floats are normal and 2^32 of them stay finite. An exact zero is
 * below the window too: it may be the truth or what underflow left of it.
 */
#include "dist_isa.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"

#define TINY 0x1p-100f

#define ISA_VARIABLE "SORTED_HEAP_ISA"

const DistKernels *
dist_kernels_isa(const char *isa)
{
#if defined(__x86_64__)
	if (strcmp(isa, dist_isa_avx2.isa) == 0)
		return cpu_has_avx2_fma() ? &dist_isa_avx2 : NULL;
#endif
	if (strcmp(isa, dist_isa_scalar.isa) == 0)
		return &dist_isa_scalar;
	return NULL;
}

static const DistKernels *
choose_kernels(void)
{
	const char *wanted = getenv(ISA_VARIABLE);
	const DistKernels *kernels = NULL;

	if (wanted != NULL && wanted[0] != '\0')
		kernels = dist_kernels_isa(wanted);
	else
	{
#if defined(__x86_64__)
		kernels = dist_kernels_isa(dist_isa_avx2.isa);
#endif
	}
	return kernels != NULL ? kernels : &dist_isa_scalar;
}

const DistKernels *
dist_kernels(void)
{
	/*
	 * Threads that come here first at the same time find the same answer, so
	 * it does not matter whose store wins. The tables are constant data: no
	 * ordering is needed beyond the pointer being written whole.
	 */
	static const DistKernels *chosen;
	const DistKernels *kernels = __atomic_load_n(&chosen, __ATOMIC_RELAXED);

	if (kernels == NULL)
	{
		kernels = choose_kernels();
		__atomic_store_n(&chosen, kernels, __ATOMIC_RELAXED);
	}
	return kernels;
}

/* Is a sum of squares within the window? False for NaN. */
static inline bool
trusted(float sum)
{
	return sum >= TINY && sum <= FLT_MAX;
}

static inline double
clamp_cosine(double similarity)
{
	if (similarity > 1.0)
		similarity = 1.0;
	else if (similarity < -1.0)
		similarity = -1.0;
	return 1.0 - similarity;
}

static double
cosine_wide(const float *a, const float *b, uint32_t n)
{
	double		dot = 0.0;
	double		aa = 0.0;
	double		bb = 0.0;

	for (uint32_t i = 0; i < n; i++)
	{
		dot += (double) a[i] * b[i];
		aa += (double) a[i] * a[i];
		bb += (double) b[i] * b[i];
	}
	if (aa == 0.0 || bb == 0.0)
		return NAN;
	return clamp_cosine(dot / sqrt(aa * bb));
}

static double
l2_wide(const float *a, const float *b, uint32_t n)
{
	double		sum = 0.0;

	for (uint32_t i = 0; i < n; i++)
	{
		double		diff = (double) a[i] - b[i];

		sum += diff * diff;
	}
	return sqrt(sum);
}

/* Sparse vectors are often orthogonal, so this one is not rare: two sums. */
static double
dot_wide(const float *a, const float *b, uint32_t n)
{
	double		even = 0.0;
	double		odd = 0.0;
	uint32_t	i = 0;

	for (; n - i >= 2; i += 2)
	{
		even += (double) a[i] * b[i];
		odd += (double) a[i + 1] * b[i + 1];
	}
	if (i < n)
		even += (double) a[i] * b[i];
	return even + odd;
}

static double
l1_wide(const float *a, const float *b, uint32_t n)
{
	double		sum = 0.0;

	for (uint32_t i = 0; i < n; i++)
		sum += fabs((double) a[i] - b[i]);
	return sum;
}

/*
 * What underflow may have taken from dot is nothing beside sqrt(aa * bb) when
 * both norms are within the window, so dot itself may be as small as it likes.
 * Nor can it be NaN then: no partial sum exceeds that root by more than
 * rounding, and the clamp brings an infinity of that kind back.
 */
static inline double
cosine_result(const DistSums *sums, const float *a, const float *b, uint32_t n)
{
	if (!trusted(sums->aa) || !trusted(sums->bb))
		return cosine_wide(a, b, n);
	return clamp_cosine(sums->dot / sqrt((double) sums->aa * sums->bb));
}

static double
l2_result(const DistKernels *kernels, const float *a, const float *b, uint32_t n)
{
	float		sum = kernels->l2sq_f32(a, b, n);

	return trusted(sum) ? sqrt((double) sum) : l2_wide(a, b, n);
}

/* Zero minus the product, so that orthogonal vectors give 0 and not -0. */
static double
ip_result(const DistKernels *kernels, const float *a, const float *b, uint32_t n)
{
	float		dot = kernels->dot_f32(a, b, n);

	return 0.0 - (trusted(fabsf(dot)) ? (double) dot : dot_wide(a, b, n));
}

/* Differences of floats do not underflow: any finite sum will do. */
static double
l1_result(const DistKernels *kernels, const float *a, const float *b, uint32_t n)
{
	float		sum = kernels->l1_f32(a, b, n);

	return sum <= FLT_MAX ? (double) sum : l1_wide(a, b, n);
}

double
dist_f32(DistMetric metric, const float *a, const float *b, uint32_t n)
{
	return dist_f32_by(dist_kernels(), metric, a, b, n);
}

double
dist_f32_by(const DistKernels *kernels, DistMetric metric,
			const float *a, const float *b, uint32_t n)
{
	DistSums	sums;

	switch (metric)
	{
		case DIST_COSINE:
			kernels->cosine_f32(a, b, n, &sums);
			return cosine_result(&sums, a, b, n);
		case DIST_L2:
			return l2_result(kernels, a, b, n);
		case DIST_IP:
			return ip_result(kernels, a, b, n);
		case DIST_L1:
			return l1_result(kernels, a, b, n);
	}
	return NAN;					/* not a DistMetric */
}

void
dist_query_init(DistQuery *dq, DistMetric metric, const float *query, uint32_t n)
{
	dist_query_init_by(dq, dist_kernels(), metric, query, n);
}

void
dist_query_init_by(DistQuery *dq, const DistKernels *kernels,
				   DistMetric metric, const float *query, uint32_t n)
{
	dq->kernels = kernels;
	dq->query = query;
	dq->n = n;
	dq->metric = metric;
	dq->aa = 0.0f;
	if (metric == DIST_COSINE)
	{
		DistSums	sums;

		kernels->cosine_f32(query, query, n, &sums);
		dq->aa = sums.aa;
	}
}

double
dist_query_f32(const DistQuery *dq, const float *v)
{
	DistSums	sums;

	switch (dq->metric)
	{
		case DIST_COSINE:
			dq->kernels->dotnorm_f32(dq->query, v, dq->n, &sums);
			sums.aa = dq->aa;
			return cosine_result(&sums, dq->query, v, dq->n);
		case DIST_L2:
			return l2_result(dq->kernels, dq->query, v, dq->n);
		case DIST_IP:
			return ip_result(dq->kernels, dq->query, v, dq->n);
		case DIST_L1:
			return l1_result(dq->kernels, dq->query, v, dq->n);
	}
	return NAN;					/* not a DistMetric */
}

double
dist_norm_f32(const float *a, uint32_t n)
{
	return sqrt((double) dot_wide(a, a, n));
}
