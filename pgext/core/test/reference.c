/*
 * reference.c
 *	  The oracle of the kernels. Written for plainness; shares nothing with
 *	  them.
 *
 * Where long double is no wider than double, sums of 16000 exact products are
 * still right to 2^-39, far below what is tested.
 */
#include "reference.h"

#include <float.h>
#include <math.h>

static void
add_term(Reference *reference, long double term)
{
	reference->sum += term;
	reference->size += fabsl(term);
}

Reference
reference_dot(const float *a, const float *b, uint32_t n)
{
	Reference	reference = {0.0L, 0.0L};

	for (uint32_t i = 0; i < n; i++)
		add_term(&reference, (long double) a[i] * b[i]);
	return reference;
}

Reference
reference_l2sq(const float *a, const float *b, uint32_t n)
{
	Reference	reference = {0.0L, 0.0L};

	for (uint32_t i = 0; i < n; i++)
	{
		long double diff = (long double) a[i] - b[i];

		add_term(&reference, diff * diff);
	}
	return reference;
}

Reference
reference_l1(const float *a, const float *b, uint32_t n)
{
	Reference	reference = {0.0L, 0.0L};

	for (uint32_t i = 0; i < n; i++)
		add_term(&reference, fabsl((long double) a[i] - b[i]));
	return reference;
}

long double
reference_distance(DistMetric metric, const float *a, const float *b, uint32_t n)
{
	switch (metric)
	{
		case DIST_COSINE:
			{
				long double aa = reference_dot(a, a, n).sum;
				long double bb = reference_dot(b, b, n).sum;

				if (aa == 0.0L || bb == 0.0L)
					return NAN;
				return 1.0L - reference_dot(a, b, n).sum / (sqrtl(aa) * sqrtl(bb));
			}
		case DIST_L2:
			return sqrtl(reference_l2sq(a, b, n).sum);
		case DIST_IP:
			return -reference_dot(a, b, n).sum;
		case DIST_L1:
			return reference_l1(a, b, n).sum;
	}
	return NAN;
}

double
error_in_ulps(double got, long double want, long double size)
{
	int			exponent;

	if (size < FLT_MIN)
		size = FLT_MIN;			/* spacing is constant below */
	frexpl(size, &exponent);
	return (double) (fabsl(got - want) / ldexpl(1.0L, exponent - FLT_MANT_DIG));
}
