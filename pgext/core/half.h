/*
 * half.h
 *	  IEEE binary16 ("half") to float and back, without help from the CPU.
 *
 * Widening is exact. Narrowing rounds to nearest, ties to even, as the
 * conversion instructions do: what is beyond the largest half (65504) by half
 * a unit or more becomes infinite, what is below the smallest denormal by half
 * of it becomes zero.
 */
#ifndef HALF_H
#define HALF_H

#include <stdint.h>
#include <string.h>

/* The bits of a half. */
typedef uint16_t DistHalf;

#define HALF_MAX		65504.0f
#define HALF_OVERFLOW	65520.0f	/* the smallest that rounds to infinity */
#define HALF_SMALLEST	0x1p-24f	/* denormal */
#define HALF_SIGN		0x8000u
#define HALF_INFINITY	0x7C00u

/* Bits of floats: half's infinity starts at the first, its normal range at the
 * second. */
#define HALF_OVERFLOW_BITS	0x477FF000u
#define HALF_NORMAL_BITS	0x38800000u

/* Float's exponent bias less half's, in place. */
#define HALF_REBIAS			(112u << 23)

static inline int
half_is_finite(DistHalf half)
{
	return (half & HALF_INFINITY) != HALF_INFINITY;
}

static inline float
half_to_float(DistHalf half)
{
	uint32_t	sign = (uint32_t) (half & HALF_SIGN) << 16;
	uint32_t	exponent = (half >> 10) & 0x1F;
	uint32_t	fraction = half & 0x3FF;
	uint32_t	bits;
	float		value;

	if (exponent == 0)
	{
		value = (float) fraction * HALF_SMALLEST;
		memcpy(&bits, &value, sizeof(bits));
	}
	else if (exponent == 0x1F)
		bits = 0x7F800000u | fraction << 13;
	else
		bits = (exponent << 23 | fraction << 13) + HALF_REBIAS;
	bits |= sign;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline DistHalf
half_from_float(float value)
{
	uint32_t	bits;
	uint32_t	sign;

	memcpy(&bits, &value, sizeof(bits));
	sign = bits >> 16 & HALF_SIGN;
	bits &= 0x7FFFFFFFu;
	if (bits > 0x7F800000u)
		return (DistHalf) (sign | 0x7E00u); /* NaN */
	if (bits >= HALF_OVERFLOW_BITS)
		return (DistHalf) (sign | HALF_INFINITY);
	if (bits < HALF_NORMAL_BITS)
	{
		/* The last place of 0.5 is half's smallest denormal: adding rounds. */
		float		sum;
		const float base = 0.5f;
		uint32_t	base_bits;

		memcpy(&sum, &bits, sizeof(sum));
		sum += base;
		memcpy(&bits, &sum, sizeof(bits));
		memcpy(&base_bits, &base, sizeof(base_bits));
		return (DistHalf) (sign | (bits - base_bits));
	}
	bits += 0xFFFu + (bits >> 13 & 1);
	return (DistHalf) (sign | (bits - HALF_REBIAS) >> 13);
}

#endif							/* HALF_H */
