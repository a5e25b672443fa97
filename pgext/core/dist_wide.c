/*
 * dist_wide.c
 *	  The formulas of distances over again, in double.
 */
#include "dist_wide.h"

#include <math.h>

static inline double
component(WideView v, uint32_t i)
{
	return v.f32 != NULL ? v.f32[i] : half_to_float(v.f16[i]);
}

double
dist_wide_cosine(WideView a, WideView b, uint32_t n)
{
	double		dot = 0.0;
	double		aa = 0.0;
	double		bb = 0.0;

	for (uint32_t i = 0; i < n; i++)
	{
		double		x = component(a, i);
		double		y = component(b, i);

		dot += x * y;
		aa += x * x;
		bb += y * y;
	}
	if (aa == 0.0 || bb == 0.0)
		return NAN;
	return clamp_cosine(dot / sqrt(aa * bb));
}

double
dist_wide_l2(WideView a, WideView b, uint32_t n)
{
	double		sum = 0.0;

	for (uint32_t i = 0; i < n; i++)
	{
		double		diff = component(a, i) - component(b, i);

		sum += diff * diff;
	}
	return sqrt(sum);
}

double
dist_wide_l1(WideView a, WideView b, uint32_t n)
{
	double		sum = 0.0;

	for (uint32_t i = 0; i < n; i++)
		sum += fabs(component(a, i) - component(b, i));
	return sum;
}

/* Sparse vectors are often orthogonal, so this one is not rare: two sums. */
double
dist_wide_dot(WideView a, WideView b, uint32_t n)
{
	double		even = 0.0;
	double		odd = 0.0;
	uint32_t	i = 0;

	for (; n - i >= 2; i += 2)
	{
		even += component(a, i) * component(b, i);
		odd += component(a, i + 1) * component(b, i + 1);
	}
	if (i < n)
		even += component(a, i) * component(b, i);
	return even + odd;
}
