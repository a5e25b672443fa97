/*
 * dist_avx2.c
 *	  Kernels for x86-64 with AVX2 and FMA.
 *
 * The instruction set is asked for function by function, so the file compiles
 * with any flags, in any host; only dist.c, after probing, may call in here.
 *
 * A fused multiply-add takes four cycles and two start in each, so eight sums
 * must be under way at a time: dot and l2sq keep eight, the kernels with two
 * or three results four of each. The remainder goes by halves of a block and
 * ends in a masked load, which reads no byte past the end.
 */
#include "dist_isa.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))

/* Eight words from `WIDTH - r` on: a mask of the first r lanes. */
#define WIDTH 8
static const int32_t tail_masks[2 * WIDTH] = {
	-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0
};

/* The last `rest` floats, 1 to 7 of them; the other lanes are zero. */
AVX2 static inline __m256
load_tail(const float *p, __m256i mask)
{
	return _mm256_maskload_ps(p, mask);
}

AVX2 static inline __m256i
tail_mask(uint32_t rest)
{
	return _mm256_loadu_si256((const __m256i *) &tail_masks[WIDTH - rest]);
}

AVX2 static inline float
sum_lanes(__m256 v)
{
	__m128		half = _mm_add_ps(_mm256_castps256_ps128(v),
								  _mm256_extractf128_ps(v, 1));

	half = _mm_add_ps(half, _mm_movehl_ps(half, half));
	half = _mm_add_ss(half, _mm_movehdup_ps(half));
	return _mm_cvtss_f32(half);
}

AVX2 static inline __m256
sum4(__m256 s0, __m256 s1, __m256 s2, __m256 s3)
{
	return _mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3));
}

AVX2 static inline __m256
step_dot(__m256 sum, __m256 a, __m256 b)
{
	return _mm256_fmadd_ps(a, b, sum);
}

AVX2 static inline __m256
step_l2sq(__m256 sum, __m256 a, __m256 b)
{
	__m256		diff = _mm256_sub_ps(a, b);

	return _mm256_fmadd_ps(diff, diff, sum);
}

AVX2 static inline __m256
step_l1(__m256 sum, __m256 a, __m256 b)
{
	__m256		diff = _mm256_sub_ps(a, b);

	return _mm256_add_ps(sum, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), diff));
}

/* One sum over pairs of components; the three kernels differ in STEP alone. */
#define AT(p, k) _mm256_loadu_ps((p) + (k) * WIDTH)
#define DEFINE_ONE_SUM(NAME, STEP) \
AVX2 static float \
NAME(const float *a, const float *b, uint32_t n) \
{ \
	__m256		s0 = _mm256_setzero_ps(); \
	__m256		s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0; \
\
	for (; n >= 8 * WIDTH; n -= 8 * WIDTH, a += 8 * WIDTH, b += 8 * WIDTH) \
	{ \
		s0 = STEP(s0, AT(a, 0), AT(b, 0)); \
		s1 = STEP(s1, AT(a, 1), AT(b, 1)); \
		s2 = STEP(s2, AT(a, 2), AT(b, 2)); \
		s3 = STEP(s3, AT(a, 3), AT(b, 3)); \
		s4 = STEP(s4, AT(a, 4), AT(b, 4)); \
		s5 = STEP(s5, AT(a, 5), AT(b, 5)); \
		s6 = STEP(s6, AT(a, 6), AT(b, 6)); \
		s7 = STEP(s7, AT(a, 7), AT(b, 7)); \
	} \
	if (n & (4 * WIDTH)) \
	{ \
		s0 = STEP(s0, AT(a, 0), AT(b, 0)); \
		s1 = STEP(s1, AT(a, 1), AT(b, 1)); \
		s2 = STEP(s2, AT(a, 2), AT(b, 2)); \
		s3 = STEP(s3, AT(a, 3), AT(b, 3)); \
		a += 4 * WIDTH; \
		b += 4 * WIDTH; \
	} \
	if (n & (2 * WIDTH)) \
	{ \
		s4 = STEP(s4, AT(a, 0), AT(b, 0)); \
		s5 = STEP(s5, AT(a, 1), AT(b, 1)); \
		a += 2 * WIDTH; \
		b += 2 * WIDTH; \
	} \
	if (n & WIDTH) \
	{ \
		s6 = STEP(s6, AT(a, 0), AT(b, 0)); \
		a += WIDTH; \
		b += WIDTH; \
	} \
	if (n & (WIDTH - 1)) \
	{ \
		__m256i		mask = tail_mask(n & (WIDTH - 1)); \
\
		s7 = STEP(s7, load_tail(a, mask), load_tail(b, mask)); \
	} \
	return sum_lanes(_mm256_add_ps(sum4(s0, s1, s2, s3), \
								   sum4(s4, s5, s6, s7))); \
}

DEFINE_ONE_SUM(dot_f32_avx2, step_dot)
DEFINE_ONE_SUM(l2sq_f32_avx2, step_l2sq)
DEFINE_ONE_SUM(l1_f32_avx2, step_l1)

/*
 * Running sums of the cosine kernels. Both use the same blocks and the same
 * order (see dist_isa.h); the compiler drops aa where nothing reads it.
 */
typedef struct CosineState
{
	__m256		dot[4];
	__m256		aa[4];
	__m256		bb[4];
} CosineState;

AVX2 static inline __attribute__((always_inline)) void
cosine_step(CosineState *s, int lane, __m256 a, __m256 b, bool with_aa)
{
	s->dot[lane] = _mm256_fmadd_ps(a, b, s->dot[lane]);
	s->bb[lane] = _mm256_fmadd_ps(b, b, s->bb[lane]);
	if (with_aa)
		s->aa[lane] = _mm256_fmadd_ps(a, a, s->aa[lane]);
}

AVX2 static inline __attribute__((always_inline)) void
cosine_sums(const float *a, const float *b, uint32_t n, bool with_aa,
			DistSums *sums)
{
	CosineState s;

	for (int lane = 0; lane < 4; lane++)
		s.dot[lane] = s.aa[lane] = s.bb[lane] = _mm256_setzero_ps();

	for (; n >= 4 * WIDTH; n -= 4 * WIDTH, a += 4 * WIDTH, b += 4 * WIDTH)
	{
		cosine_step(&s, 0, AT(a, 0), AT(b, 0), with_aa);
		cosine_step(&s, 1, AT(a, 1), AT(b, 1), with_aa);
		cosine_step(&s, 2, AT(a, 2), AT(b, 2), with_aa);
		cosine_step(&s, 3, AT(a, 3), AT(b, 3), with_aa);
	}
	if (n & (2 * WIDTH))
	{
		cosine_step(&s, 0, AT(a, 0), AT(b, 0), with_aa);
		cosine_step(&s, 1, AT(a, 1), AT(b, 1), with_aa);
		a += 2 * WIDTH;
		b += 2 * WIDTH;
	}
	if (n & WIDTH)
	{
		cosine_step(&s, 2, AT(a, 0), AT(b, 0), with_aa);
		a += WIDTH;
		b += WIDTH;
	}
	if (n & (WIDTH - 1))
	{
		__m256i		mask = tail_mask(n & (WIDTH - 1));

		cosine_step(&s, 3, load_tail(a, mask), load_tail(b, mask), with_aa);
	}
	sums->dot = sum_lanes(sum4(s.dot[0], s.dot[1], s.dot[2], s.dot[3]));
	sums->bb = sum_lanes(sum4(s.bb[0], s.bb[1], s.bb[2], s.bb[3]));
	if (with_aa)
		sums->aa = sum_lanes(sum4(s.aa[0], s.aa[1], s.aa[2], s.aa[3]));
}

AVX2 static void
dotnorm_f32_avx2(const float *a, const float *b, uint32_t n, DistSums *sums)
{
	cosine_sums(a, b, n, false, sums);
}

AVX2 static void
cosine_f32_avx2(const float *a, const float *b, uint32_t n, DistSums *sums)
{
	cosine_sums(a, b, n, true, sums);
}

const DistKernels dist_isa_avx2 = {
	.isa = "avx2",
	.dot_f32 = dot_f32_avx2,
	.l2sq_f32 = l2sq_f32_avx2,
	.l1_f32 = l1_f32_avx2,
	.dotnorm_f32 = dotnorm_f32_avx2,
	.cosine_f32 = cosine_f32_avx2,
};

#else							/* !__x86_64__ */

/* A translation unit may not be empty. */
typedef int dist_avx2_not_built;

#endif							/* __x86_64__ */
