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

/*
 * Measured; see README.md. clang keeps a third accumulator of L1 in memory and
 * moves registers about, so that one pass never pays.
 */
#define ONCE_FROM 256
#ifdef __clang__
#define ONCE_FROM_L1 UINT32_MAX
#else
#define ONCE_FROM_L1 256
#endif

#define IVEC __m256i
#define BVEC __m256i
#define BYTES 32
#define MM(name) _mm256_##name

/* Eight words from `WIDTH - r` on: a mask of the first r lanes. */
static const int32_t tail_masks[2 * WIDTH] = {
	-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0
};

#include "dist_x86.h"

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
	return sum_eight(v);
}

#define store_lanes store_four

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

TARGET static inline __m256i
izero(void)
{
	return _mm256_setzero_si256();
}

TARGET static inline __m256i
iadd(__m256i a, __m256i b)
{
	return _mm256_add_epi32(a, b);
}

#define sum_i32 sum_eight_i32
#define store_sums store_four_i32

TARGET static inline __m256
scaled_i8(const int8_t *p, float scale)
{
	return scaled(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *) p)), scale);
}

TARGET static inline __m256
scaled_tail(const int8_t *p, uint32_t rest, float scale)
{
	int8_t		room[WIDTH] = {0};

	memcpy(room, p, rest);
	return scaled_i8(room, scale);
}

#include "dist_loops_i8.h"
#include "dist_nibbles.h"

DEFINE_DOT_I8(TARGET, dot_i8_avx2, step_i8)
DEFINE_DOT_I8_X4(TARGET, dot_i8_x4_avx2, step_i8)
DEFINE_DOT_U4I8(TARGET, dot_u4i8_avx2)
DEFINE_DOT_U4I8_X4(TARGET, dot_u4i8_x4_avx2)
DEFINE_L1_I8(l1_i8_avx2)
DEFINE_L1_I8_X4(l1_i8_x4_avx2)

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

	for (; n >= WIDTH; n -= WIDTH, a += WIDTH)
		largest = _mm256_max_ps(largest, absolute(load_f32(a)));
	if (n > 0)
		largest = _mm256_max_ps(largest, absolute(tail_f32(a, n)));
	return largest_of_eight(largest);
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
	.l1_i8_x4 = l1_i8_x4_avx2,
	.f16_to_f32 = f16_to_f32_avx2,
	.f32_to_f16 = f32_to_f16_avx2,
	.maxabs_f32 = maxabs_f32_avx2,
	.f32_to_i8 = f32_to_i8_avx2,
	.dot_u4i8 = dot_u4i8_avx2,
	.dot_u4i8_x4 = dot_u4i8_x4_avx2,
};

#else							/* !__x86_64__ */

/* A translation unit may not be empty. */
typedef int dist_avx2_not_built;

#endif							/* __x86_64__ */
