/*
 * dist_code.c
 *	  int8 codes of vectors: quantise, and distances between codes.
 *
 * A component times 127 / max is rounded twice in single precision, so it may
 * miss its code's boundary by 2^-16 of a step; the scale is rounded once, which
 * 127 steps turn into another 2^-17. That is where 0.5001 comes from; 2^-142
 * is what a denormal scale may be wrong by, 127 times.
 *
 * Vectors so small that 127 / max leaves the range of float are quantised in
 * double. Both ways stand in for each other: what matters is that the choice
 * depends on the vector alone.
 */
#include "dist_code.h"

#include <math.h>

#include "dist_wide.h"

/* Sizes of components below which the factor might overflow. */
#define SMALLEST_MAX 0x1p-100f

/* Halves are widened so many at a time. */
#define CHUNK 256

/* Where the scale is 0 the code need not be. */
static void
code_tiny(const float *v, uint32_t n, float largest, int8_t *room)
{
	for (uint32_t i = 0; i < n; i++)
	{
		double		step = (double) v[i] / largest * 127.0;

		room[i] = (int8_t) (step < 0 ? step - 0.5 : step + 0.5);
	}
}

static void
code_part(const float *v, uint32_t n, float largest, int8_t *room)
{
	if (largest == 0.0f)
		memset(room, 0, n);
	else if (largest < SMALLEST_MAX)
		code_tiny(v, n, largest, room);
	else
		dist_kernels()->f32_to_i8(v, 127.0f / largest, room, n);
}

static DistCode
code_of(const int8_t *room, float largest, uint32_t n)
{
	DistCode	code;

	code.x = room;
	code.scale = largest / 127.0f;
	code.square = dist_kernels()->dot_i8(room, room, n);
	return code;
}

DistCode
dist_code_f32(const float *v, uint32_t n, int8_t *room)
{
	float		largest = dist_kernels()->maxabs_f32(v, n);

	code_part(v, n, largest, room);
	return code_of(room, largest, n);
}

DistCode
dist_code_f16(const DistHalf *v, uint32_t n, int8_t *room)
{
	const DistKernels *kernels = dist_kernels();
	float		wide[CHUNK];
	float		largest = 0.0f;

	for (uint32_t at = 0; at < n; at += CHUNK)
	{
		uint32_t	count = n - at < CHUNK ? n - at : CHUNK;
		float		part;

		kernels->f16_to_f32(v + at, wide, count);
		part = kernels->maxabs_f32(wide, count);
		largest = part > largest ? part : largest;
	}
	for (uint32_t at = 0; at < n; at += CHUNK)
	{
		uint32_t	count = n - at < CHUNK ? n - at : CHUNK;

		kernels->f16_to_f32(v + at, wide, count);
		code_part(wide, count, largest, room + at);
	}
	return code_of(room, largest, n);
}

void
dist_code_query_init(DistCodeQuery *dq, DistMetric metric, DistCode code, uint32_t n)
{
	dist_code_query_init_by(dq, dist_kernels(), metric, code, n);
}

void
dist_code_query_init_by(DistCodeQuery *dq, const DistKernels *kernels,
						DistMetric metric, DistCode code, uint32_t n)
{
	dq->kernels = kernels;
	dq->code = code;
	dq->n = n;
	dq->metric = metric;
}

/*
 * With equal scales L2 is an exact integer under the root, so that equal codes
 * are at distance exactly 0. Else the difference of rounded terms may fall
 * below it.
 */
static inline double
code_result(const DistCodeQuery *dq, DistCode v, int32_t dot)
{
	double		a = dq->code.scale;
	double		b = v.scale;
	double		square;

	switch (dq->metric)
	{
		case DIST_COSINE:
			if (dq->code.square == 0 || v.square == 0)
				return NAN;
			return clamp_cosine(dot / sqrt((double) dq->code.square * v.square));
		case DIST_L2:
			if (a == b)
				return a * sqrt((double) ((int64_t) dq->code.square + v.square -
										  2 * (int64_t) dot));
			square = a * a * dq->code.square + b * b * v.square - 2.0 * a * b * dot;
			return square > 0.0 ? sqrt(square) : 0.0;
		case DIST_IP:
			return 0.0 - a * b * dot;
		case DIST_L1:
			break;
	}
	return NAN;					/* not a metric of products */
}

/* A sum of n scaled components may leave the range of float. */
static double
l1_result(const DistCodeQuery *dq, DistCode v, float sum)
{
	double		wide = 0.0;

	if (isfinite(sum))
		return sum;
	for (uint32_t i = 0; i < dq->n; i++)
		wide += fabs((double) dq->code.x[i] * dq->code.scale - (double) v.x[i] * v.scale);
	return wide;
}

double
dist_code(const DistCodeQuery *dq, DistCode v)
{
	const DistKernels *k = dq->kernels;

	if (dq->metric == DIST_L1)
		return l1_result(dq, v, k->l1_i8(dq->code.x, dq->code.scale, v.x, v.scale, dq->n));
	return code_result(dq, v, k->dot_i8(dq->code.x, v.x, dq->n));
}

void
dist_code_many(const DistCodeQuery *dq, const DistCode *codes,
			   uint32_t count, double *distances)
{
	uint32_t	i = 0;

	for (; count - i >= DIST_FOUR; i += DIST_FOUR)
	{
		const int8_t *const v[DIST_FOUR] = {
			codes[i].x, codes[i + 1].x, codes[i + 2].x, codes[i + 3].x
		};
		const float scales[DIST_FOUR] = {
			codes[i].scale, codes[i + 1].scale, codes[i + 2].scale, codes[i + 3].scale
		};

		for (uint32_t next = i + DIST_FOUR; next < count && next < i + 2 * DIST_FOUR; next++)
			dist_prefetch(codes[next].x, dq->n);
		if (dq->metric == DIST_L1)
		{
			float		sums[DIST_FOUR];

			dq->kernels->l1_i8_x4(dq->code.x, dq->code.scale, v, scales, dq->n, sums);
			for (int k = 0; k < DIST_FOUR; k++)
				distances[i + k] = l1_result(dq, codes[i + k], sums[k]);
		}
		else
		{
			int32_t		dot[DIST_FOUR];

			dq->kernels->dot_i8_x4(dq->code.x, v, dq->n, dot);
			for (int k = 0; k < DIST_FOUR; k++)
				distances[i + k] = code_result(dq, codes[i + k], dot[k]);
		}
	}
	for (; i < count; i++)
		distances[i] = dist_code(dq, codes[i]);
}
