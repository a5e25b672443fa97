/*
 * reference.h
 *	  Sums and distances by the definition, in long double.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdint.h>

#include "../dist.h"

/* A sum of signed terms, and the sum of their sizes: errors are measured in
 * units of the latter, or cancellation would make every error infinite. */
typedef struct Reference
{
	long double sum;
	long double size;
} Reference;

extern Reference reference_dot(const float *a, const float *b, uint32_t n);
extern Reference reference_l2sq(const float *a, const float *b, uint32_t n);
extern Reference reference_l1(const float *a, const float *b, uint32_t n);

/* The distance of dist.h's rules; NaN for cosine with a zero norm. */
extern long double reference_distance(DistMetric metric, const float *a,
									  const float *b, uint32_t n);

/* |got - want| in units in the last place of a float as large as `size`. */
extern double error_in_ulps(double got, long double want, long double size);

#endif							/* REFERENCE_H */
