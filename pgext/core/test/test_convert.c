/*
 * test_convert.c
 *	  Halves to floats and back, by every instruction set, bit for bit.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "inputs.h"
#include "../dist.h"

#define ALL_HALVES 65536

/* By the definition of the format. */
static double
half_by_definition(DistHalf half)
{
	int			exponent = half >> 10 & 0x1F;
	int			fraction = half & 0x3FF;
	double		size;

	if (exponent == 0x1F)
		size = fraction == 0 ? INFINITY : NAN;
	else if (exponent == 0)
		size = ldexp(fraction, -24);
	else
		size = ldexp(1024 + fraction, exponent - 25);
	return half & HALF_SIGN ? -size : size;
}

static void
widening_is_exact(void)
{
	static DistHalf halves[ALL_HALVES];
	static float wide[ALL_HALVES];

	for (int i = 0; i < ALL_HALVES; i++)
		halves[i] = (DistHalf) i;
	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

		if (k == NULL)
			continue;
		k->f16_to_f32(halves, wide, ALL_HALVES);
		for (int i = 0; i < ALL_HALVES; i++)
		{
			double		want = half_by_definition((DistHalf) i);

			CHECK(isnan(want) ? isnan(wide[i]) :
				  wide[i] == want && !signbit(wide[i]) == !signbit(want),
				  "%s 0x%04x: %g, want %g", k->isa, i, wide[i], want);
		}
	}
}

/*
 * Every finite half, the middles between neighbours, and one float to either
 * side of each: five floats a half, the nearest of which is known.
 */
static void
narrowing_rounds_to_nearest(void)
{
	const DistHalf last = 0x7BFF;	/* 65504 */

	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

		for (DistHalf half = 0; k != NULL && half <= last; half++)
		{
			float		low = (float) half_by_definition(half);
			float		high = half == last ? 65536.0f :
				(float) half_by_definition((DistHalf) (half + 1));
			float		middle = low + (high - low) / 2;
			const float inputs[8] = {
				low, nextafterf(low, high), nextafterf(middle, low), middle,
				nextafterf(middle, high), nextafterf(high, low), -middle, -low
			};
			DistHalf	even = half & 1 ? half + 1 : half;
			const DistHalf want[8] = {
				half, half, half, even, half + 1, half + 1,
				even | HALF_SIGN, half | HALF_SIGN
			};
			DistHalf	got[8];

			k->f32_to_f16(inputs, got, 8);
			for (int i = 0; i < 8; i++)
				CHECK(got[i] == want[i], "%s %.9g: 0x%04x, want 0x%04x", k->isa,
					  inputs[i], got[i], want[i]);
		}
	}
}

/* Tails, fences, and nothing written behind the end. */
static void
every_length_converts(void)
{
	Fenced		floats = fenced_new(70);
	Fenced		halves = fenced_new(35);
	Random		random = {19};

	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

		for (uint32_t n = 1; k != NULL && n <= 70; n++)
		{
			float	   *f = floats.past_last - n;
			DistHalf   *h = (DistHalf *) halves.past_last - n;
			float		spare[70];
			float		largest = 0.0f;

			input_fill(INPUT_MIXED, &random, f, spare, n);
			k->f32_to_f16(f, h, n);
			for (uint32_t i = 0; i < n; i++)
			{
				CHECK(h[i] == half_from_float(f[i]), "%s n=%u: %u", k->isa, n, i);
				largest = fmaxf(largest, fabsf(f[i]));
			}
			CHECK(k->maxabs_f32(f, n) == largest, "%s n=%u", k->isa, n);
			k->f16_to_f32(h, f, n);
			for (uint32_t i = 0; i < n; i++)
				CHECK(f[i] == half_to_float(h[i]), "%s n=%u: %u", k->isa, n, i);
			/* once more where the space behind the result is ours */
			memset(spare, 0x55, sizeof(spare));
			k->f16_to_f32(h, spare, n - 1);
			k->f32_to_f16(f, h, n);
			CHECK(memcmp(&spare[n - 1], "\x55\x55\x55\x55", 4) == 0, "%s n=%u", k->isa, n);
		}
	}
	fenced_drop(&floats);
	fenced_drop(&halves);
}

/* Random bit patterns, infinities among them, against the code for one. */
static void
all_sets_narrow_alike(void)
{
	Random		random = {29};
	float		from[64];
	DistHalf	got[64];

	for (int round = 0; round < 20000; round++)
	{
		for (int i = 0; i < 64; i++)
		{
			uint32_t	bits = (uint32_t) random_u64(&random);

			memcpy(&from[i], &bits, sizeof(bits));
			if (isnan(from[i]))
				from[i] = INFINITY;
		}
		for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
		{
			const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

			if (k == NULL)
				continue;
			k->f32_to_f16(from, got, 64);
			for (int i = 0; i < 64; i++)
				CHECK(got[i] == half_from_float(from[i]), "%s %.9g: 0x%04x", k->isa,
					  from[i], got[i]);
		}
	}
	CHECK(!half_is_finite(half_from_float(65520.0f)), "rounds to infinity");
	CHECK(half_from_float(65519.0f) == 0x7BFF, "rounds to the largest");
}

void
test_convert(void)
{
	RUN_CASE(widening_is_exact);
	RUN_CASE(narrowing_rounds_to_nearest);
	RUN_CASE(every_length_converts);
	RUN_CASE(all_sets_narrow_alike);
}
