/*
 * dist_wide.h
 *	  The formulas of distances over again, in double. Private to dist files.
 *
 * For the inputs whose sums leave the range of float. Squares of all finite
 * floats are normal doubles, and 2^32 of them stay finite.
 */
#ifndef DIST_WIDE_H
#define DIST_WIDE_H

#include "dist.h"

/* A vector of either type: exactly one pointer is set. */
typedef struct WideView
{
	const float *f32;
	const DistHalf *f16;
} WideView;

static inline WideView
wide_f32(const float *v)
{
	WideView	view = {v, NULL};

	return view;
}

static inline WideView
wide_f16(const DistHalf *v)
{
	WideView	view = {NULL, v};

	return view;
}

/* `similarity` as a distance in [0, 2]. */
static inline double
clamp_cosine(double similarity)
{
	if (similarity > 1.0)
		similarity = 1.0;
	else if (similarity < -1.0)
		similarity = -1.0;
	return 1.0 - similarity;
}

extern double dist_wide_cosine(WideView a, WideView b, uint32_t n);
extern double dist_wide_l2(WideView a, WideView b, uint32_t n);
extern double dist_wide_l1(WideView a, WideView b, uint32_t n);
extern double dist_wide_dot(WideView a, WideView b, uint32_t n);

#endif							/* DIST_WIDE_H */
