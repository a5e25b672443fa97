/*
 * dist_avx512.c
 *	  Kernels for x86-64 with AVX-512 F, BW, DQ and VL; int8 also with VNNI.
 *
 * The instruction set is asked for function by function, so the file compiles
 * with any flags, in any host; only dist.c, after probing, may call in here.
 * Remainders are masked loads: lanes outside of the mask touch no memory.
 *
 * Float and half kernels are dist_loops.h's. Halves are widened and summed in
 * single precision: sums in half precision, as AVX512-FP16 makes them, keep 11
 * bits, too few for any ranking.
 *
 * VPDPBUSD multiplies unsigned by signed. So 128 is added to one side's
 * components, by flipping their top bits, and 128 times the sum of the other
 * side's is taken away again, which the same instruction counts. Both sums may
 * wrap; their difference does not.
 */
#include "dist_isa.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define ISA avx512
#define TARGET __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")))
#define TARGET_VNNI __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define VEC __m512
#define WIDTH 16

/* 32 registers: no accumulator waits in memory. */
#define ONCE_FROM 1
#define ONCE_FROM_L1 1

#define IVEC __m512i
#define BVEC __m512i
#define BYTES 64
#define MM(name) _mm512_##name

#include "dist_x86.h"

TARGET static inline __m512
step_l1(__m512 sum, __m512 a, __m512 b)
{
	return _mm512_add_ps(sum, _mm512_abs_ps(_mm512_sub_ps(a, b)));
}

TARGET static inline __m256
halved(__m512 v)
{
	return _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
}

TARGET static inline float
sum_lanes(__m512 v)
{
	return sum_eight(halved(v));
}

TARGET static inline void
store_lanes(__m512 v0, __m512 v1, __m512 v2, __m512 v3, float *to)
{
	store_four(halved(v0), halved(v1), halved(v2), halved(v3), to);
}

/* A mask of the first `rest` lanes, fewer than 16. */
TARGET static inline __mmask16
first16(uint32_t rest)
{
	return (__mmask16) ((1u << rest) - 1);
}

TARGET static inline __m512
load_f16(const DistHalf *p)
{
	return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) p));
}

TARGET static inline __m512
tail_f32(const float *p, uint32_t rest)
{
	return _mm512_maskz_loadu_ps(first16(rest), p);
}

TARGET static inline __m512
tail_f16(const DistHalf *p, uint32_t rest)
{
	return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first16(rest), p));
}

#include "dist_loops.h"

/* int8 */

/* A mask of the first `rest` bytes, fewer than 64. */
TARGET static inline __mmask64
first64(uint32_t rest)
{
	return (UINT64_C(1) << rest) - 1;
}

TARGET static inline __m512i
load_i8(const int8_t *p)
{
	return _mm512_loadu_si512(p);
}

TARGET static inline __m512i
tail_i8(const int8_t *p, uint32_t rest)
{
	return _mm512_maskz_loadu_epi8(first64(rest), p);
}

/* Without VNNI: products in 16 bits, by the halves of a register. */
TARGET static inline __m512i
step_i8(__m512i sum, __m512i a, __m512i b)
{
	__m512i		a_low = _mm512_cvtepi8_epi16(_mm512_castsi512_si256(a));
	__m512i		b_low = _mm512_cvtepi8_epi16(_mm512_castsi512_si256(b));
	__m512i		a_high = _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(a, 1));
	__m512i		b_high = _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(b, 1));

	sum = _mm512_add_epi32(sum, _mm512_madd_epi16(a_low, b_low));
	return _mm512_add_epi32(sum, _mm512_madd_epi16(a_high, b_high));
}

TARGET static inline __m512i
izero(void)
{
	return _mm512_setzero_si512();
}

TARGET static inline __m512i
iadd(__m512i a, __m512i b)
{
	return _mm512_add_epi32(a, b);
}

/* Both halves of the register together. */
TARGET static inline __m256i
folded(__m512i v)
{
	return _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
}

TARGET static inline int32_t
sum_i32(__m512i v)
{
	return sum_eight_i32(folded(v));
}

TARGET static inline void
store_sums(__m512i s0, __m512i s1, __m512i s2, __m512i s3, int32_t *to)
{
	store_four_i32(folded(s0), folded(s1), folded(s2), folded(s3), to);
}

TARGET static inline __m512
scaled_i8(const int8_t *p, float scale)
{
	return scaled(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *) p)), scale);
}

TARGET static inline __m512
scaled_tail(const int8_t *p, uint32_t rest, float scale)
{
	return scaled(_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(first16(rest), p)), scale);
}

#include "dist_loops_i8.h"
#include "dist_nibbles.h"

DEFINE_DOT_I8(TARGET, dot_i8_avx512, step_i8)
DEFINE_DOT_I8_X4(TARGET, dot_i8_x4_avx512, step_i8)
DEFINE_L1_I8(l1_i8_avx512)
DEFINE_L1_I8_X4(l1_i8_x4_avx512)

/* The components of b, 128 more each, as unsigned bytes. */
TARGET_VNNI static inline __m512i
flipped(__m512i v)
{
	return _mm512_xor_si512(v, _mm512_set1_epi8(-128));
}

TARGET_VNNI static int32_t
dot_i8_avx512vnni(const int8_t *a, const int8_t *b, uint32_t n)
{
	const __m512i offset = _mm512_set1_epi8(-128);
	__m512i		sum = _mm512_setzero_si512();
	__m512i		excess = sum;

	for (; n >= BYTES; n -= BYTES, a += BYTES, b += BYTES)
	{
		__m512i		q = load_i8(a);

		sum = _mm512_dpbusd_epi32(sum, flipped(load_i8(b)), q);
		excess = _mm512_dpbusd_epi32(excess, offset, q);
	}
	if (n > 0)
	{
		__m512i		q = tail_i8(a, n);

		sum = _mm512_dpbusd_epi32(sum, flipped(tail_i8(b, n)), q);
		excess = _mm512_dpbusd_epi32(excess, offset, q);
	}
	return sum_i32(_mm512_sub_epi32(sum, excess));
}

TARGET_VNNI static void
dot_i8_x4_avx512vnni(const int8_t *a, const int8_t *const *b, uint32_t n, int32_t *sums)
{
	const __m512i offset = _mm512_set1_epi8(-128);
	__m512i		s0 = _mm512_setzero_si512();
	__m512i		s1 = s0;
	__m512i		s2 = s0;
	__m512i		s3 = s0;
	__m512i		excess = s0;
	uint32_t	at = 0;

	for (; n - at >= BYTES; at += BYTES)
	{
		__m512i		q = load_i8(a + at);

		excess = _mm512_dpbusd_epi32(excess, offset, q);
		s0 = _mm512_dpbusd_epi32(s0, flipped(load_i8(b[0] + at)), q);
		s1 = _mm512_dpbusd_epi32(s1, flipped(load_i8(b[1] + at)), q);
		s2 = _mm512_dpbusd_epi32(s2, flipped(load_i8(b[2] + at)), q);
		s3 = _mm512_dpbusd_epi32(s3, flipped(load_i8(b[3] + at)), q);
	}
	if (at < n)
	{
		__m512i		q = tail_i8(a + at, n - at);

		excess = _mm512_dpbusd_epi32(excess, offset, q);
		s0 = _mm512_dpbusd_epi32(s0, flipped(tail_i8(b[0] + at, n - at)), q);
		s1 = _mm512_dpbusd_epi32(s1, flipped(tail_i8(b[1] + at, n - at)), q);
		s2 = _mm512_dpbusd_epi32(s2, flipped(tail_i8(b[2] + at, n - at)), q);
		s3 = _mm512_dpbusd_epi32(s3, flipped(tail_i8(b[3] + at, n - at)), q);
	}
	store_sums(_mm512_sub_epi32(s0, excess), _mm512_sub_epi32(s1, excess),
			   _mm512_sub_epi32(s2, excess), _mm512_sub_epi32(s3, excess), sums);
}

/* Conversions */

TARGET static void
f16_to_f32_avx512(const DistHalf *from, float *to, uint32_t n)
{
	for (; n >= WIDTH; n -= WIDTH, from += WIDTH, to += WIDTH)
		_mm512_storeu_ps(to, load_f16(from));
	if (n > 0)
		_mm512_mask_storeu_ps(to, first16(n), tail_f16(from, n));
}

TARGET static inline __m256i
narrowed(__m512 v)
{
	return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

TARGET static void
f32_to_f16_avx512(const float *from, DistHalf *to, uint32_t n)
{
	for (; n >= WIDTH; n -= WIDTH, from += WIDTH, to += WIDTH)
		_mm256_storeu_si256((__m256i *) to, narrowed(load_f32(from)));
	if (n > 0)
		_mm256_mask_storeu_epi16(to, first16(n), narrowed(tail_f32(from, n)));
}

TARGET static float
maxabs_f32_avx512(const float *a, uint32_t n)
{
	__m512		largest = zero();

	for (; n >= WIDTH; n -= WIDTH, a += WIDTH)
		largest = _mm512_max_ps(largest, _mm512_abs_ps(load_f32(a)));
	if (n > 0)
		largest = _mm512_max_ps(largest, _mm512_abs_ps(tail_f32(a, n)));
	return largest_of_eight(_mm256_max_ps(_mm512_castps512_ps256(largest),
										  _mm512_extractf32x8_ps(largest, 1)));
}

TARGET static void
f32_to_i8_avx512(const float *from, float factor, int8_t *to, uint32_t n)
{
	__m512		f = _mm512_set1_ps(factor);

	for (; n >= WIDTH; n -= WIDTH, from += WIDTH, to += WIDTH)
		_mm_storeu_si128((__m128i *) to, _mm512_cvtsepi32_epi8(rounded(load_f32(from), f)));
	if (n > 0)
		_mm_mask_storeu_epi8(to, first16(n), _mm512_cvtsepi32_epi8(rounded(tail_f32(from, n), f)));
}

/* Without VNNI: in 256 bits. */
DEFINE_DOT_U4I8(TARGET, dot_u4i8_avx512)
DEFINE_DOT_U4I8_X4(TARGET, dot_u4i8_x4_avx512)

/* What two blocks of numbers are multiplied by: their lower and their upper halves. */
typedef struct Halves
{
	__m512i		low;
	__m512i		high;
} Halves;

TARGET_VNNI static inline Halves
halves(__m512i b0, __m512i b1)
{
	Halves		q = {_mm512_shuffle_i64x2(b0, b1, 0x44), _mm512_shuffle_i64x2(b0, b1, 0xEE)};

	return q;
}

TARGET_VNNI static inline __m512i
step_u4(__m512i sum, __m512i both, Halves q)
{
	const __m512i low = _mm512_set1_epi8(15);

	sum = _mm512_dpbusd_epi32(sum, _mm512_and_si512(both, low), q.low);
	both = _mm512_and_si512(_mm512_srli_epi16(both, 4), low);
	return _mm512_dpbusd_epi32(sum, both, q.high);
}

TARGET_VNNI static int32_t
dot_u4i8_avx512vnni(const uint8_t *a, const int8_t *b, uint32_t blocks)
{
	__m512i		sum = _mm512_setzero_si512();

	for (; blocks >= 2; blocks -= 2, a += 2 * NIBBLE_BYTES, b += 2 * DIST_NIBBLE_BLOCK)
		sum = step_u4(sum, load_i8((const int8_t *) a),
					  halves(load_i8(b), load_i8(b + DIST_NIBBLE_BLOCK)));
	if (blocks > 0)
		sum = step_u4(sum, tail_i8((const int8_t *) a, NIBBLE_BYTES),
					  halves(load_i8(b), izero()));
	return sum_i32(sum);
}

TARGET_VNNI static void
dot_u4i8_x4_avx512vnni(const uint8_t *const *a, const int8_t *b, uint32_t blocks, int32_t *sums)
{
	const int8_t *a0 = (const int8_t *) a[0];
	const int8_t *a1 = (const int8_t *) a[1];
	const int8_t *a2 = (const int8_t *) a[2];
	const int8_t *a3 = (const int8_t *) a[3];
	__m512i		s0 = _mm512_setzero_si512();
	__m512i		s1 = s0;
	__m512i		s2 = s0;
	__m512i		s3 = s0;
	size_t		end = (size_t) blocks * NIBBLE_BYTES;
	size_t		at = 0;

	for (; end - at >= 2 * NIBBLE_BYTES; at += 2 * NIBBLE_BYTES)
	{
		Halves		q = halves(load_i8(b + 2 * at), load_i8(b + 2 * at + DIST_NIBBLE_BLOCK));

		s0 = step_u4(s0, load_i8(a0 + at), q);
		s1 = step_u4(s1, load_i8(a1 + at), q);
		s2 = step_u4(s2, load_i8(a2 + at), q);
		s3 = step_u4(s3, load_i8(a3 + at), q);
	}
	if (at < end)
	{
		Halves		q = halves(load_i8(b + 2 * at), izero());

		s0 = step_u4(s0, tail_i8(a0 + at, NIBBLE_BYTES), q);
		s1 = step_u4(s1, tail_i8(a1 + at, NIBBLE_BYTES), q);
		s2 = step_u4(s2, tail_i8(a2 + at, NIBBLE_BYTES), q);
		s3 = step_u4(s3, tail_i8(a3 + at, NIBBLE_BYTES), q);
	}
	store_sums(s0, s1, s2, s3, sums);
}

#define OTHER_KERNELS \
	FLOAT_KERNELS, \
	.l1_i8 = l1_i8_avx512, \
	.l1_i8_x4 = l1_i8_x4_avx512, \
	.f16_to_f32 = f16_to_f32_avx512, \
	.f32_to_f16 = f32_to_f16_avx512, \
	.maxabs_f32 = maxabs_f32_avx512, \
	.f32_to_i8 = f32_to_i8_avx512

const DistKernels dist_isa_avx512 = {
	.isa = "avx512",
	OTHER_KERNELS,
	.dot_i8 = dot_i8_avx512,
	.dot_i8_x4 = dot_i8_x4_avx512,
	.dot_u4i8 = dot_u4i8_avx512,
	.dot_u4i8_x4 = dot_u4i8_x4_avx512,
};

const DistKernels dist_isa_avx512vnni = {
	.isa = "avx512vnni",
	OTHER_KERNELS,
	.dot_i8 = dot_i8_avx512vnni,
	.dot_i8_x4 = dot_i8_x4_avx512vnni,
	.dot_u4i8 = dot_u4i8_avx512vnni,
	.dot_u4i8_x4 = dot_u4i8_x4_avx512vnni,
};

#else							/* !__x86_64__ */

/* A translation unit may not be empty. */
typedef int dist_avx512_not_built;

#endif							/* __x86_64__ */
