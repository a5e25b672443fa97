/*
 * dist_neon.c
 *	  Kernels for aarch64: NEON, and int8 also with the dot product extension.
 *
 * Float and half kernels are dist_loops.h's. Widening halves is part of every
 * aarch64 CPU. Sums in half precision, as the FP16 extension makes them, keep
 * 11 bits, too few for any ranking; its widening multiply takes halves on both
 * sides and so does not suit a float query.
 *
 * Remainders are copied to a register's worth of stack: NEON has no masked
 * loads.
 */
#include "dist_isa.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define ISA neon
#define TARGET
#if defined(__clang__)
#define TARGET_DOT __attribute__((target("dotprod")))
#else
#define TARGET_DOT __attribute__((target("arch=armv8.2-a+dotprod")))
#endif
#define VEC float32x4_t
#define WIDTH 4

/* 32 registers: no accumulator waits in memory. */
#define ONCE_FROM 1
#define ONCE_FROM_L1 1

static inline float32x4_t
zero(void)
{
	return vdupq_n_f32(0.0f);
}

static inline float32x4_t
add(float32x4_t a, float32x4_t b)
{
	return vaddq_f32(a, b);
}

static inline float32x4_t
step_dot(float32x4_t sum, float32x4_t a, float32x4_t b)
{
	return vfmaq_f32(sum, a, b);
}

static inline float32x4_t
step_l2sq(float32x4_t sum, float32x4_t a, float32x4_t b)
{
	float32x4_t diff = vsubq_f32(a, b);

	return vfmaq_f32(sum, diff, diff);
}

static inline float32x4_t
step_l1(float32x4_t sum, float32x4_t a, float32x4_t b)
{
	return vaddq_f32(sum, vabdq_f32(a, b));
}

static inline float32x2_t
halved(float32x4_t v)
{
	return vadd_f32(vget_low_f32(v), vget_high_f32(v));
}

static inline float
sum_lanes(float32x4_t v)
{
	float32x2_t half = halved(v);

	return vget_lane_f32(vpadd_f32(half, half), 0);
}

static inline void
store_lanes(float32x4_t v0, float32x4_t v1, float32x4_t v2, float32x4_t v3, float *to)
{
	vst1_f32(to, vpadd_f32(halved(v0), halved(v1)));
	vst1_f32(to + 2, vpadd_f32(halved(v2), halved(v3)));
}

static inline float32x4_t
load_f32(const float *p)
{
	return vld1q_f32(p);
}

static inline float32x4_t
load_f16(const DistHalf *p)
{
	return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}

static inline float32x4_t
tail_f32(const float *p, uint32_t rest)
{
	float		room[WIDTH] = {0.0f};

	for (uint32_t i = 0; i < rest; i++)
		room[i] = p[i];
	return vld1q_f32(room);
}

static inline float32x4_t
tail_f16(const DistHalf *p, uint32_t rest)
{
	DistHalf	room[WIDTH] = {0};

	for (uint32_t i = 0; i < rest; i++)
		room[i] = p[i];
	return load_f16(room);
}

#include "dist_loops.h"

/* int8 */

#define BYTES 16

static inline int8x16_t
tail_i8(const int8_t *p, uint32_t rest)
{
	int8_t		room[BYTES] = {0};

	for (uint32_t i = 0; i < rest; i++)
		room[i] = p[i];
	return vld1q_s8(room);
}

/* Two products fit 16 bits because no component is -128. */
static inline int32x4_t
step_i8(int32x4_t sum, int8x16_t a, int8x16_t b)
{
	int16x8_t	pairs = vmull_s8(vget_low_s8(a), vget_low_s8(b));

	pairs = vmlal_s8(pairs, vget_high_s8(a), vget_high_s8(b));
	return vpadalq_s16(sum, pairs);
}

TARGET_DOT static inline int32x4_t
step_i8_dot(int32x4_t sum, int8x16_t a, int8x16_t b)
{
	return vdotq_s32(sum, a, b);
}

#define IVEC int32x4_t
#define BVEC int8x16_t

static inline int32x4_t
izero(void)
{
	return vdupq_n_s32(0);
}

static inline int32x4_t
iadd(int32x4_t a, int32x4_t b)
{
	return vaddq_s32(a, b);
}

static inline int8x16_t
load_i8(const int8_t *p)
{
	return vld1q_s8(p);
}

static inline int32_t
sum_i32(int32x4_t v)
{
	return vaddvq_s32(v);
}

static inline void
store_sums(int32x4_t s0, int32x4_t s1, int32x4_t s2, int32x4_t s3, int32_t *to)
{
	vst1q_s32(to, vpaddq_s32(vpaddq_s32(s0, s1), vpaddq_s32(s2, s3)));
}

#include "dist_loops_i8.h"
#include "dist_nibbles.h"

/*
 * Sums in 16 bits of four products of numbers of four bits each: 4 * 15 * 127 is
 * below 2^13, so those of four blocks fit.
 */
#define BLOCKS_IN_16_BITS 4

static int32_t
dot_u4i8_neon(const uint8_t *a, const int8_t *b, uint32_t blocks)
{
	const uint8x16_t low = vdupq_n_u8(15);
	int32x4_t	sum = izero();

	while (blocks > 0)
	{
		uint32_t	count = blocks < BLOCKS_IN_16_BITS ? blocks : BLOCKS_IN_16_BITS;
		int16x8_t	first = vdupq_n_s16(0);
		int16x8_t	second = first;

		blocks -= count;
		for (; count > 0; count--, a += NIBBLE_BYTES, b += DIST_NIBBLE_BLOCK)
		{
			for (uint32_t i = 0; i < NIBBLE_BYTES; i += BYTES)
			{
				uint8x16_t	both = vld1q_u8(a + i);
				int8x16_t	u0 = vreinterpretq_s8_u8(vandq_u8(both, low));
				int8x16_t	u1 = vreinterpretq_s8_u8(vshrq_n_u8(both, 4));
				int8x16_t	q0 = vld1q_s8(b + i);
				int8x16_t	q1 = vld1q_s8(b + NIBBLE_BYTES + i);

				first = vmlal_s8(first, vget_low_s8(u0), vget_low_s8(q0));
				second = vmlal_s8(second, vget_high_s8(u0), vget_high_s8(q0));
				first = vmlal_s8(first, vget_low_s8(u1), vget_low_s8(q1));
				second = vmlal_s8(second, vget_high_s8(u1), vget_high_s8(q1));
			}
		}
		sum = vpadalq_s16(vpadalq_s16(sum, first), second);
	}
	return sum_i32(sum);
}

TARGET_DOT static int32_t
dot_u4i8_neondot(const uint8_t *a, const int8_t *b, uint32_t blocks)
{
	const uint8x16_t low = vdupq_n_u8(15);
	int32x4_t	s0 = izero();
	int32x4_t	s1 = s0;

	for (; blocks > 0; blocks--, a += NIBBLE_BYTES, b += DIST_NIBBLE_BLOCK)
	{
		for (uint32_t i = 0; i < NIBBLE_BYTES; i += BYTES)
		{
			uint8x16_t	both = vld1q_u8(a + i);
			int8x16_t	u0 = vreinterpretq_s8_u8(vandq_u8(both, low));
			int8x16_t	u1 = vreinterpretq_s8_u8(vshrq_n_u8(both, 4));

			s0 = vdotq_s32(s0, u0, vld1q_s8(b + i));
			s1 = vdotq_s32(s1, u1, vld1q_s8(b + NIBBLE_BYTES + i));
		}
	}
	return sum_i32(iadd(s0, s1));
}

DEFINE_DOT_U4I8_FOUR_TIMES(, dot_u4i8_x4_neon, dot_u4i8_neon)
DEFINE_DOT_U4I8_FOUR_TIMES(TARGET_DOT, dot_u4i8_x4_neondot, dot_u4i8_neondot)

DEFINE_DOT_I8(, dot_i8_neon, step_i8)
DEFINE_DOT_I8_X4(, dot_i8_x4_neon, step_i8)
DEFINE_DOT_I8(TARGET_DOT, dot_i8_neondot, step_i8_dot)
DEFINE_DOT_I8_X4(TARGET_DOT, dot_i8_x4_neondot, step_i8_dot)

/*
 * Eight components times the scale, as two vectors. The barrier keeps the
 * compiler from fusing a product with the difference that follows, which would
 * round one side only.
 */
static inline float32x4x2_t
scaled_i8(int8x8_t bytes, float scale)
{
	int16x8_t	wide = vmovl_s8(bytes);
	float32x4_t low = vmulq_n_f32(vcvtq_f32_s32(vmovl_s16(vget_low_s16(wide))), scale);
	float32x4_t high = vmulq_n_f32(vcvtq_f32_s32(vmovl_s16(vget_high_s16(wide))), scale);

	__asm__("" : "+w"(low), "+w"(high));
	return (float32x4x2_t) {{low, high}};
}

static float
l1_i8_neon(const int8_t *a, float a_scale, const int8_t *b, float b_scale, uint32_t n)
{
	float32x4_t s0 = zero();
	float32x4_t s1 = s0;

	while (n > 0)
	{
		uint32_t	count = n < 8 ? n : 8;
		int8_t		room[2][8] = {{0}};
		float32x4x2_t x;
		float32x4x2_t y;

		if (count == 8)
		{
			x = scaled_i8(vld1_s8(a), a_scale);
			y = scaled_i8(vld1_s8(b), b_scale);
		}
		else
		{
			memcpy(room[0], a, count);
			memcpy(room[1], b, count);
			x = scaled_i8(vld1_s8(room[0]), a_scale);
			y = scaled_i8(vld1_s8(room[1]), b_scale);
		}
		s0 = step_l1(s0, x.val[0], y.val[0]);
		s1 = step_l1(s1, x.val[1], y.val[1]);
		a += count;
		b += count;
		n -= count;
	}
	return sum_lanes(add(s0, s1));
}

static void
l1_i8_x4_neon(const int8_t *a, float a_scale, const int8_t *const *b, const float *scales,
			  uint32_t n, float *sums)
{
	for (int i = 0; i < DIST_FOUR; i++)
		sums[i] = l1_i8_neon(a, a_scale, b[i], scales[i], n);
}

/* Conversions */

static void
f16_to_f32_neon(const DistHalf *from, float *to, uint32_t n)
{
	for (; n >= WIDTH; n -= WIDTH, from += WIDTH, to += WIDTH)
		vst1q_f32(to, load_f16(from));
	for (uint32_t i = 0; i < n; i++)
		to[i] = half_to_float(from[i]);
}

static void
f32_to_f16_neon(const float *from, DistHalf *to, uint32_t n)
{
	for (; n >= WIDTH; n -= WIDTH, from += WIDTH, to += WIDTH)
		vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(load_f32(from))));
	for (uint32_t i = 0; i < n; i++)
		to[i] = half_from_float(from[i]);
}

static float
maxabs_f32_neon(const float *a, uint32_t n)
{
	float32x4_t largest = zero();

	for (; n >= WIDTH; n -= WIDTH, a += WIDTH)
		largest = vmaxq_f32(largest, vabsq_f32(load_f32(a)));
	if (n > 0)
		largest = vmaxq_f32(largest, vabsq_f32(tail_f32(a, n)));
	return vmaxvq_f32(largest);
}

/* Four components as whole numbers in 16 bits, nearest, ties to even. */
static inline int16x4_t
rounded(float32x4_t v, float factor)
{
	return vqmovn_s32(vcvtnq_s32_f32(vmulq_n_f32(v, factor)));
}

static void
f32_to_i8_neon(const float *from, float factor, int8_t *to, uint32_t n)
{
	while (n > 0)
	{
		uint32_t	count = n < 8 ? n : 8;
		float		room[8] = {0.0f};
		const float *source = from;
		int8_t		bytes[8];

		if (count < 8)
		{
			memcpy(room, from, count * sizeof(float));
			source = room;
		}
		vst1_s8(bytes, vqmovn_s16(vcombine_s16(rounded(vld1q_f32(source), factor),
											   rounded(vld1q_f32(source + WIDTH), factor))));
		memcpy(to, bytes, count);
		from += count;
		to += count;
		n -= count;
	}
}

#define OTHER_KERNELS \
	FLOAT_KERNELS, \
	.l1_i8 = l1_i8_neon, \
	.l1_i8_x4 = l1_i8_x4_neon, \
	.f16_to_f32 = f16_to_f32_neon, \
	.f32_to_f16 = f32_to_f16_neon, \
	.maxabs_f32 = maxabs_f32_neon, \
	.f32_to_i8 = f32_to_i8_neon

const DistKernels dist_isa_neon = {
	.isa = "neon",
	OTHER_KERNELS,
	.dot_i8 = dot_i8_neon,
	.dot_i8_x4 = dot_i8_x4_neon,
	.dot_u4i8 = dot_u4i8_neon,
	.dot_u4i8_x4 = dot_u4i8_x4_neon,
};

const DistKernels dist_isa_neondot = {
	.isa = "neondot",
	OTHER_KERNELS,
	.dot_i8 = dot_i8_neondot,
	.dot_i8_x4 = dot_i8_x4_neondot,
	.dot_u4i8 = dot_u4i8_neondot,
	.dot_u4i8_x4 = dot_u4i8_x4_neondot,
};

#else							/* !__aarch64__ */

/* A translation unit may not be empty. */
typedef int dist_neon_not_built;

#endif							/* __aarch64__ */
