/*
 * dist_avx2.c
 *	  Kernels for x86-64 with AVX2, FMA and F16C.
 *
 * The instruction set is asked for function by function, so the file compiles
 * with any flags, in any host; only dist.c, after probing, may call in here.
 *
 * Float and half kernels are dist_loops.h's. int8 products go through
 * VPMADDUBSW, unsigned by signed: |a| by b with the sign of a. Sums of two such
 * products fit 16 bits because no component is -128; they are widened at once.
 */
#include "dist_isa.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define ISA avx2
#define TARGET __attribute__((target("avx2,fma,f16c")))
#define VEC __m256
#define WIDTH 8

/* Eight words from `WIDTH - r` on: a mask of the first r lanes. */
static const int32_t tail_masks[2 * WIDTH] = {
	-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0
};

TARGET static inline __m256
zero(void)
{
	return _mm256_setzero_ps();
}

TARGET static inline __m256
add(__m256 a, __m256 b)
{
	return _mm256_add_ps(a, b);
}

TARGET static inline __m256
step_dot(__m256 sum, __m256 a, __m256 b)
{
	return _mm256_fmadd_ps(a, b, sum);
}

TARGET static inline __m256
step_l2sq(__m256 sum, __m256 a, __m256 b)
{
	__m256		diff = _mm256_sub_ps(a, b);

	return _mm256_fmadd_ps(diff, diff, sum);
}

TARGET static inline __m256
absolute(__m256 v)
{
	return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}

TARGET static inline __m256
step_l1(__m256 sum, __m256 a, __m256 b)
{
	return _mm256_add_ps(sum, absolute(_mm256_sub_ps(a, b)));
}

TARGET static inline float
sum_lanes(__m256 v)
{
	__m128		half = _mm_add_ps(_mm256_castps256_ps128(v),
								  _mm256_extractf128_ps(v, 1));

	half = _mm_add_ps(half, _mm_movehl_ps(half, half));
	half = _mm_add_ss(half, _mm_movehdup_ps(half));
	return _mm_cvtss_f32(half);
}

TARGET static inline __m256
load_f32(const float *p)
{
	return _mm256_loadu_ps(p);
}

TARGET static inline __m256
load_f16(const DistHalf *p)
{
	return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) p));
}

TARGET static inline __m256
tail_f32(const float *p, uint32_t rest)
{
	__m256i		mask = _mm256_loadu_si256((const __m256i *) &tail_masks[WIDTH - rest]);

	return _mm256_maskload_ps(p, mask);
}

/* AVX2 has no masked load of 16-bit words. */
TARGET static inline uint64_t
up_to_three(const DistHalf *p, uint32_t count)
{
	uint64_t	bits = 0;

	if (count > 0)
		bits = p[0];
	if (count > 1)
		bits |= (uint64_t) p[1] << 16;
	if (count > 2)
		bits |= (uint64_t) p[2] << 32;
	return bits;
}

TARGET static inline __m256
tail_f16(const DistHalf *p, uint32_t rest)
{
	uint64_t	low;
	uint64_t	high = 0;

	if (rest >= 4)
	{
		memcpy(&low, p, sizeof(low));
		high = up_to_three(p + 4, rest - 4);
	}
	else
		low = up_to_three(p, rest);
	return _mm256_cvtph_ps(_mm_set_epi64x((long long) high, (long long) low));
}

#include "dist_loops.h"

/* int8 */

#define BYTES 32

TARGET static inline __m256i
load_i8(const int8_t *p)
{
	return _mm256_loadu_si256((const __m256i *) p);
}

/* Up to 31 components, zeros behind. */
TARGET static inline __m256i
tail_i8(const int8_t *p, uint32_t rest)
{
	int8_t		room[BYTES] = {0};

	for (uint32_t i = 0; i < rest; i++)
		room[i] = p[i];
	return load_i8(room);
}

/* sum + products of a's components, given as sizes and signs, and b's */
TARGET static inline __m256i
step_i8(__m256i sum, __m256i a, __m256i b)
{
	__m256i		pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(a),
											 _mm256_sign_epi8(b, a));

	return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

TARGET static inline int32_t
sum_i32(__m256i v)
{
	__m128i		half = _mm_add_epi32(_mm256_castsi256_si128(v),
									 _mm256_extracti128_si256(v, 1));

	half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(1, 0, 3, 2)));
	half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(2, 3, 0, 1)));
	return _mm_cvtsi128_si32(half);
}

TARGET static int32_t
dot_i8_avx2(const int8_t *a, const int8_t *b, uint32_t n)
{
	__m256i		s0 = _mm256_setzero_si256();
	__m256i		s1 = s0;

	for (; n >= 2 * BYTES; n -= 2 * BYTES, a += 2 * BYTES, b += 2 * BYTES)
	{
		s0 = step_i8(s0, load_i8(a), load_i8(b));
		s1 = step_i8(s1, load_i8(a + BYTES), load_i8(b + BYTES));
	}
	if (n & BYTES)
	{
		s0 = step_i8(s0, load_i8(a), load_i8(b));
		a += BYTES;
		b += BYTES;
	}
	if (n & (BYTES - 1))
		s1 = step_i8(s1, tail_i8(a, n & (BYTES - 1)), tail_i8(b, n & (BYTES - 1)));
	return sum_i32(_mm256_add_epi32(s0, s1));
}

TARGET static void
dot_i8_x4_avx2(const int8_t *a, const int8_t *const *b, uint32_t n, int32_t *sums)
{
	__m256i		s0 = _mm256_setzero_si256();
	__m256i		s1 = s0;
	__m256i		s2 = s0;
	__m256i		s3 = s0;
	uint32_t	at = 0;

	for (; n - at >= BYTES; at += BYTES)
	{
		__m256i		q = load_i8(a + at);

		s0 = step_i8(s0, q, load_i8(b[0] + at));
		s1 = step_i8(s1, q, load_i8(b[1] + at));
		s2 = step_i8(s2, q, load_i8(b[2] + at));
		s3 = step_i8(s3, q, load_i8(b[3] + at));
	}
	if (at < n)
	{
		__m256i		q = tail_i8(a + at, n - at);

		s0 = step_i8(s0, q, tail_i8(b[0] + at, n - at));
		s1 = step_i8(s1, q, tail_i8(b[1] + at, n - at));
		s2 = step_i8(s2, q, tail_i8(b[2] + at, n - at));
		s3 = step_i8(s3, q, tail_i8(b[3] + at, n - at));
	}
	sums[0] = sum_i32(s0);
	sums[1] = sum_i32(s1);
	sums[2] = sum_i32(s2);
	sums[3] = sum_i32(s3);
}

/*
 * Eight components times the scale. The barrier keeps the compiler from fusing
 * this product with the difference that follows, which would round one side
 * only.
 */
TARGET static inline __m256
scaled_i8(const int8_t *p, __m256 scale)
{
	__m256i		wide = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *) p));
	__m256		product = _mm256_mul_ps(_mm256_cvtepi32_ps(wide), scale);

	__asm__("" : "+x"(product));
	return product;
}

TARGET static float
l1_i8_avx2(const int8_t *a, float a_scale, const int8_t *b, float b_scale, uint32_t n)
{
	__m256		sa = _mm256_set1_ps(a_scale);
	__m256		sb = _mm256_set1_ps(b_scale);
	__m256		s0 = zero();
	__m256		s1 = s0;

	for (; n >= 2 * WIDTH; n -= 2 * WIDTH, a += 2 * WIDTH, b += 2 * WIDTH)
	{
		s0 = step_l1(s0, scaled_i8(a, sa), scaled_i8(b, sb));
		s1 = step_l1(s1, scaled_i8(a + WIDTH, sa), scaled_i8(b + WIDTH, sb));
	}
	while (n > 0)
	{
		int8_t		rest[2][WIDTH] = {{0}};
		uint32_t	count = n < WIDTH ? n : WIDTH;

		memcpy(rest[0], a, count);
		memcpy(rest[1], b, count);
		s0 = step_l1(s0, scaled_i8(rest[0], sa), scaled_i8(rest[1], sb));
		a += count;
		b += count;
		n -= count;
	}
	return sum_lanes(add(s0, s1));
}

/* Conversions */

TARGET static void
f16_to_f32_avx2(const DistHalf *from, float *to, uint32_t n)
{
	for (; n >= WIDTH; n -= WIDTH, from += WIDTH, to += WIDTH)
		_mm256_storeu_ps(to, load_f16(from));
	for (uint32_t i = 0; i < n; i++)
		to[i] = half_to_float(from[i]);
}

TARGET static void
f32_to_f16_avx2(const float *from, DistHalf *to, uint32_t n)
{
	for (; n >= WIDTH; n -= WIDTH, from += WIDTH, to += WIDTH)
		_mm_storeu_si128((__m128i *) to,
						 _mm256_cvtps_ph(load_f32(from),
										 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
	for (uint32_t i = 0; i < n; i++)
		to[i] = half_from_float(from[i]);
}

TARGET static float
maxabs_f32_avx2(const float *a, uint32_t n)
{
	__m256		largest = zero();
	__m128		half;

	for (; n >= WIDTH; n -= WIDTH, a += WIDTH)
		largest = _mm256_max_ps(largest, absolute(load_f32(a)));
	if (n > 0)
		largest = _mm256_max_ps(largest, absolute(tail_f32(a, n)));
	half = _mm_max_ps(_mm256_castps256_ps128(largest),
					  _mm256_extractf128_ps(largest, 1));
	half = _mm_max_ps(half, _mm_movehl_ps(half, half));
	half = _mm_max_ss(half, _mm_movehdup_ps(half));
	return _mm_cvtss_f32(half);
}

/* Whole numbers nearest to eight products. */
TARGET static inline __m256i
rounded(__m256 v, __m256 factor)
{
	return _mm256_cvtps_epi32(_mm256_mul_ps(v, factor));
}

TARGET static inline __m128i
narrowed(__m256i v)
{
	return _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}

TARGET static void
f32_to_i8_avx2(const float *from, float factor, int8_t *to, uint32_t n)
{
	__m256		f = _mm256_set1_ps(factor);

	for (; n >= 2 * WIDTH; n -= 2 * WIDTH, from += 2 * WIDTH, to += 2 * WIDTH)
	{
		__m128i		low = narrowed(rounded(load_f32(from), f));
		__m128i		high = narrowed(rounded(load_f32(from + WIDTH), f));

		_mm_storeu_si128((__m128i *) to, _mm_packs_epi16(low, high));
	}
	while (n > 0)
	{
		uint32_t	count = n < WIDTH ? n : WIDTH;
		__m256		v = count < WIDTH ? tail_f32(from, count) : load_f32(from);
		int8_t		bytes[16];

		_mm_storeu_si128((__m128i *) bytes,
						 _mm_packs_epi16(narrowed(rounded(v, f)), _mm_setzero_si128()));
		memcpy(to, bytes, count);
		from += count;
		to += count;
		n -= count;
	}
}

const DistKernels dist_isa_avx2 = {
	.isa = "avx2",
	FLOAT_KERNELS,
	.dot_i8 = dot_i8_avx2,
	.dot_i8_x4 = dot_i8_x4_avx2,
	.l1_i8 = l1_i8_avx2,
	.f16_to_f32 = f16_to_f32_avx2,
	.f32_to_f16 = f32_to_f16_avx2,
	.maxabs_f32 = maxabs_f32_avx2,
	.f32_to_i8 = f32_to_i8_avx2,
};

#else							/* !__x86_64__ */

/* A translation unit may not be empty. */
typedef int dist_avx2_not_built;

#endif							/* __x86_64__ */
