/*
 * dist.c
 *	  Choose the kernels of this machine, and turn sums into distances.
 *
 * The final formulas stand here once, for all instruction sets, in double.
 *
 * Single-precision sums are trusted only inside a window. Above it they have
 * overflowed (infinite, or NaN from infinity minus infinity). Below it,
 * products that fell under the smallest denormal may matter: each loses up to
 * 2^-150, and 2^15 components lose less than 2^-134 together, so a sum of at
 * least TINY is right to 2^-34, beyond what single precision resolves.
 * Outside the window the formula is computed again in double. An exact zero is
 * below the window too: it may be the truth or what underflow left of it.
 */
#include "dist_isa.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "dist_wide.h"

#define TINY 0x1p-100f

#define ISA_VARIABLE "SORTED_HEAP_ISA"

const char *const dist_isa_names[] = {
	"avx512vnni", "avx512", "avx2", "neondot", "neon", "scalar", NULL
};

/* The table of that name when this build has it and this CPU can run it. */
const DistKernels *
dist_kernels_isa(const char *isa)
{
#if defined(__x86_64__)
	if (strcmp(isa, dist_isa_avx512vnni.isa) == 0)
		return cpu_has_avx512_vnni() ? &dist_isa_avx512vnni : NULL;
	if (strcmp(isa, dist_isa_avx512.isa) == 0)
		return cpu_has_avx512() ? &dist_isa_avx512 : NULL;
	if (strcmp(isa, dist_isa_avx2.isa) == 0)
		return cpu_has_avx2() ? &dist_isa_avx2 : NULL;
#elif defined(__aarch64__)
	if (strcmp(isa, dist_isa_neondot.isa) == 0)
		return cpu_has_neon_dotprod() ? &dist_isa_neondot : NULL;
	if (strcmp(isa, dist_isa_neon.isa) == 0)
		return &dist_isa_neon;
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
		for (int i = 0; kernels == NULL && dist_isa_names[i] != NULL; i++)
			kernels = dist_kernels_isa(dist_isa_names[i]);
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

/*
 * What underflow may have taken from dot is nothing beside sqrt(aa * bb) when
 * both norms are within the window, so dot itself may be as small as it likes.
 * Nor can it be NaN then: no partial sum exceeds that root by more than
 * rounding, and the clamp brings an infinity of that kind back.
 */
static inline double
cosine_result(const DistSums *sums, WideView a, WideView b, uint32_t n)
{
	if (!trusted(sums->aa) || !trusted(sums->bb))
		return dist_wide_cosine(a, b, n);
	return clamp_cosine(sums->dot / sqrt((double) sums->aa * sums->bb));
}

static inline double
l2_result(float sum, WideView a, WideView b, uint32_t n)
{
	return trusted(sum) ? sqrt((double) sum) : dist_wide_l2(a, b, n);
}

/* Zero minus the product, so that orthogonal vectors give 0 and not -0. */
static inline double
ip_result(float dot, WideView a, WideView b, uint32_t n)
{
	return 0.0 - (trusted(fabsf(dot)) ? (double) dot : dist_wide_dot(a, b, n));
}

/* Differences of floats do not underflow: any finite sum will do. */
static inline double
l1_result(float sum, WideView a, WideView b, uint32_t n)
{
	return sum <= FLT_MAX ? (double) sum : dist_wide_l1(a, b, n);
}

double
dist_f32(DistMetric metric, const float *a, const float *b, uint32_t n)
{
	return dist_f32_by(dist_kernels(), metric, a, b, n);
}

double
dist_f16(DistMetric metric, const DistHalf *a, const DistHalf *b, uint32_t n)
{
	return dist_f16_by(dist_kernels(), metric, a, b, n);
}

double
dist_f32_by(const DistKernels *kernels, DistMetric metric,
			const float *a, const float *b, uint32_t n)
{
	WideView	x = wide_f32(a);
	WideView	y = wide_f32(b);
	DistSums	sums;

	switch (metric)
	{
		case DIST_COSINE:
			kernels->cosine_f32(a, b, n, &sums);
			return cosine_result(&sums, x, y, n);
		case DIST_L2:
			return l2_result(kernels->l2sq_f32(a, b, n), x, y, n);
		case DIST_IP:
			return ip_result(kernels->dot_f32(a, b, n), x, y, n);
		case DIST_L1:
			return l1_result(kernels->l1_f32(a, b, n), x, y, n);
	}
	return NAN;					/* not a DistMetric */
}

double
dist_f16_by(const DistKernels *kernels, DistMetric metric,
			const DistHalf *a, const DistHalf *b, uint32_t n)
{
	WideView	x = wide_f16(a);
	WideView	y = wide_f16(b);
	DistSums	sums;

	switch (metric)
	{
		case DIST_COSINE:
			kernels->cosine_f16(a, b, n, &sums);
			return cosine_result(&sums, x, y, n);
		case DIST_L2:
			return l2_result(kernels->l2sq_f16(a, b, n), x, y, n);
		case DIST_IP:
			return ip_result(kernels->dot_f16(a, b, n), x, y, n);
		case DIST_L1:
			return l1_result(kernels->l1_f16(a, b, n), x, y, n);
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
	dq->aa = metric == DIST_COSINE ? kernels->dot_f32(query, query, n) : 0.0f;
}

double
dist_query_f32(const DistQuery *dq, const float *v)
{
	WideView	x = wide_f32(dq->query);
	WideView	y = wide_f32(v);
	DistSums	sums;

	switch (dq->metric)
	{
		case DIST_COSINE:
			dq->kernels->dotnorm_f32(dq->query, v, dq->n, &sums);
			sums.aa = dq->aa;
			return cosine_result(&sums, x, y, dq->n);
		case DIST_L2:
			return l2_result(dq->kernels->l2sq_f32(dq->query, v, dq->n), x, y, dq->n);
		case DIST_IP:
			return ip_result(dq->kernels->dot_f32(dq->query, v, dq->n), x, y, dq->n);
		case DIST_L1:
			return l1_result(dq->kernels->l1_f32(dq->query, v, dq->n), x, y, dq->n);
	}
	return NAN;					/* not a DistMetric */
}

double
dist_query_f16(const DistQuery *dq, const DistHalf *v)
{
	WideView	x = wide_f32(dq->query);
	WideView	y = wide_f16(v);
	DistSums	sums;

	switch (dq->metric)
	{
		case DIST_COSINE:
			dq->kernels->dotnorm_f32f16(dq->query, v, dq->n, &sums);
			sums.aa = dq->aa;
			return cosine_result(&sums, x, y, dq->n);
		case DIST_L2:
			return l2_result(dq->kernels->l2sq_f32f16(dq->query, v, dq->n), x, y, dq->n);
		case DIST_IP:
			return ip_result(dq->kernels->dot_f32f16(dq->query, v, dq->n), x, y, dq->n);
		case DIST_L1:
			return l1_result(dq->kernels->l1_f32f16(dq->query, v, dq->n), x, y, dq->n);
	}
	return NAN;					/* not a DistMetric */
}

/* Four raw sums as four distances; `bb` is for cosine alone. */
static CORE_ALWAYS_INLINE void
four_results(const DistQuery *dq, const float *raw, const float *bb,
			 const WideView *v, double *distances)
{
	WideView	x = wide_f32(dq->query);

	for (int i = 0; i < DIST_FOUR; i++)
	{
		switch (dq->metric)
		{
			case DIST_COSINE:
				{
					DistSums	sums = {raw[i], dq->aa, bb[i]};

					distances[i] = cosine_result(&sums, x, v[i], dq->n);
					break;
				}
			case DIST_L2:
				distances[i] = l2_result(raw[i], x, v[i], dq->n);
				break;
			case DIST_IP:
				distances[i] = ip_result(raw[i], x, v[i], dq->n);
				break;
			case DIST_L1:
				distances[i] = l1_result(raw[i], x, v[i], dq->n);
				break;
		}
	}
}

/* One distance; cosine by a known norm where there is one. */
static double
one_f32(const DistQuery *dq, const float *v, const float *square)
{
	DistSums	sums;

	if (dq->metric != DIST_COSINE || square == NULL)
		return dist_query_f32(dq, v);
	sums.dot = dq->kernels->dot_f32(dq->query, v, dq->n);
	sums.aa = dq->aa;
	sums.bb = *square;
	return cosine_result(&sums, wide_f32(dq->query), wide_f32(v), dq->n);
}

static double
one_f16(const DistQuery *dq, const DistHalf *v, const float *square)
{
	DistSums	sums;

	if (dq->metric != DIST_COSINE || square == NULL)
		return dist_query_f16(dq, v);
	sums.dot = dq->kernels->dot_f32f16(dq->query, v, dq->n);
	sums.aa = dq->aa;
	sums.bb = *square;
	return cosine_result(&sums, wide_f32(dq->query), wide_f16(v), dq->n);
}

/*
 * How much of each of the next four is fetched ahead. The rest follows by the
 * CPU's own stream detection; more would fill its queue of misses.
 */
#define AHEAD_BYTES 512

#define DEFINE_MANY(NAME, TYPE, ONE, VIEW, DOT, L2SQ, L1) \
void \
NAME(const DistQuery *dq, const TYPE *const *vectors, const float *squares, \
	 uint32_t count, double *distances) \
{ \
	size_t		bytes = dq->n * sizeof(TYPE); \
	size_t		ahead = bytes < AHEAD_BYTES ? bytes : AHEAD_BYTES; \
	uint32_t	i = 0; \
\
	for (; count - i >= DIST_FOUR; i += DIST_FOUR) \
	{ \
		const TYPE *const *v = vectors + i; \
		const WideView views[DIST_FOUR] = {VIEW(v[0]), VIEW(v[1]), VIEW(v[2]), VIEW(v[3])}; \
		float		raw[DIST_FOUR]; \
\
		for (uint32_t next = i + DIST_FOUR; next < count && next < i + 2 * DIST_FOUR; next++) \
			dist_prefetch(vectors[next], ahead); \
		if (dq->metric == DIST_L2) \
			dq->kernels->L2SQ(dq->query, v, dq->n, raw); \
		else if (dq->metric == DIST_L1) \
			dq->kernels->L1(dq->query, v, dq->n, raw); \
		else if (dq->metric == DIST_IP || squares != NULL) \
			dq->kernels->DOT(dq->query, v, dq->n, raw); \
		else \
		{ \
			for (int k = 0; k < DIST_FOUR; k++) \
				distances[i + k] = ONE(dq, v[k], NULL); \
			continue; \
		} \
		four_results(dq, raw, squares != NULL ? squares + i : NULL, views, distances + i); \
	} \
	for (; i < count; i++) \
		distances[i] = ONE(dq, vectors[i], squares != NULL ? squares + i : NULL); \
}

DEFINE_MANY(dist_query_f32_many, float, one_f32, wide_f32, dot_f32_x4, l2sq_f32_x4, l1_f32_x4)
DEFINE_MANY(dist_query_f16_many, DistHalf, one_f16, wide_f16, dot_f32f16_x4, l2sq_f32f16_x4, l1_f32f16_x4)

float
dist_square_f32(const DistQuery *dq, const float *v)
{
	return dq->kernels->dot_f32(v, v, dq->n);
}

float
dist_square_f16(const DistQuery *dq, const DistHalf *v)
{
	return dq->kernels->dot_f16(v, v, dq->n);
}

double
dist_norm_f32(const float *a, uint32_t n)
{
	return sqrt(dist_wide_dot(wide_f32(a), wide_f32(a), n));
}

double
dist_norm_f16(const DistHalf *a, uint32_t n)
{
	return sqrt(dist_wide_dot(wide_f16(a), wide_f16(a), n));
}
