/*
 * test_hnsw_form.c
 *	  The number below which an exact distance hardly ever is: it must hold, and
 *	  be near enough to be of use.
 */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "inputs.h"
#include "random.h"
#include "reference.h"
#include "../hnsw_form.h"

#define MAX_DIM 384
#define PAIRS 1000

/* Of so many pairs one may have errors beyond five standard deviations. */
#define HARDLY 1000

static const DistMetric metrics[] = {DIST_COSINE, DIST_L2, DIST_IP, DIST_L1};
static const uint32_t dims[] = {3, 32, 100, MAX_DIM};

/* Kinds whose components are of one magnitude, as those of embeddings are. */
static const InputKind kinds[] = {
	INPUT_UNIFORM, INPUT_POSITIVE, INPUT_SPARSE, INPUT_SAME, INPUT_NEAR, INPUT_OPPOSITE
};

/* What was seen of pairs of vectors. */
typedef struct Seen
{
	int			pairs;
	int			above;			/* the least is above the exact distance */
	int			below;			/* the most is below it */
	double		gap;			/* by how much the least is below, on the average */
	double		gap_above;		/* the same of the most */
} Seen;

/* What a distance is measured in, so that gaps of all pairs are alike. */
static double
size_of(DistMetric metric, const float *a, const float *b, uint32_t n)
{
	float		zeros[MAX_DIM] = {0};
	long double aa = reference_dot(a, a, n).sum;
	long double bb = reference_dot(b, b, n).sum;

	switch (metric)
	{
		case DIST_COSINE:
			return 1.0;
		case DIST_IP:
			return (double) sqrtl(aa * bb);
		case DIST_L1:
			return (double) (reference_l1(a, zeros, n).sum + reference_l1(b, zeros, n).sum);
		default:
			return (double) sqrtl(aa + bb);
	}
}

static Seen
look_at_pairs(DistMetric metric, HnswElement element, InputKind kind, uint32_t dim, bool rested)
{
	float		room[MAX_DIM];
	int8_t		code[MAX_DIM];
	HnswRest	rest;
	HnswForm	form = hnsw_form(metric, element, dim);
	void	   *left = malloc(hnsw_form_bytes(&form));
	void	   *right = malloc(hnsw_form_bytes(&form));
	const void *record = right;
	Random		random = {dim + 17 * kind};
	Seen		seen = {0};

	for (int i = 0; i < PAIRS; i++)
	{
		float		a[MAX_DIM];
		float		b[MAX_DIM];
		float		dist;
		double		size;
		double		exact;
		HnswBounds	bounds;

		input_fill(kind, &random, a, b, dim);
		size = size_of(metric, a, b, dim);
		if (size == 0 || !hnsw_form_encode(&form, a, left) || !hnsw_form_encode(&form, b, right))
			continue;
		hnsw_form_distances(&form, left, &record, 1, &dist);
		exact = (double) reference_distance(metric, a, b, dim);
		if (rested)
			hnsw_form_rest(&form, a, left, room, code, &rest);
		bounds = hnsw_form_bounds(&form, left, rested ? &rest : NULL, right, dist);
		seen.pairs++;
		seen.above += bounds.least > exact;
		seen.below += bounds.most < exact;
		seen.gap += (exact - bounds.least) / size;
		seen.gap_above += (bounds.most - exact) / size;
	}
	seen.gap /= seen.pairs > 0 ? seen.pairs : 1;
	seen.gap_above /= seen.pairs > 0 ? seen.pairs : 1;
	free(left);
	free(right);
	return seen;
}

/*
 * How far off the exact distance the numbers may be on the average, in units of
 * size_of(): with floats next to nothing, with codes five deviations of what
 * rounding does. Of L1 all of the error may be distance. Few large components
 * make coarse steps for all.
 */
static double
gap_allowed(DistMetric metric, HnswElement element, InputKind kind, uint32_t dim)
{
	double		coarse = kind == INPUT_SPARSE ? 3.0 : 1.0;

	if (element == HNSW_FLOAT32)
		return 2e-4;
	if (metric == DIST_L1)
		return coarse * coarse * (0.0045 + 0.012 / sqrt(dim));
	return coarse * 0.03 / sqrt(dim);
}

/* Of all kinds of vectors of a form. Returns the gap on both sides of those not alike. */
static double
bounds_of_kinds(DistMetric metric, HnswElement element, uint32_t dim, bool rested)
{
	Seen		all = {0};

	for (int k = 0; k < 6; k++)
	{
		Seen		seen = look_at_pairs(metric, element, kinds[k], dim, rested);

		/* with its rest a vector is as far from its own code as that is off */
		bool		alike = kinds[k] == INPUT_SAME || kinds[k] == INPUT_NEAR;
		double		allowed = gap_allowed(metric, element, kinds[k], dim) *
			(rested && alike ? 3.0 : 1.0);

		CHECK(fmax(seen.gap, seen.gap_above) <= allowed,
			  "metric %d element %d kind %s dim %u: gaps %g, %g", metric, element,
			  input_names[kinds[k]], dim, seen.gap, seen.gap_above);
		all.pairs += seen.pairs;
		all.above += seen.above;
		all.below += seen.below;
		all.gap += alike ? 0.0 : seen.gap + seen.gap_above;
	}
	CHECK(all.pairs > 4 * PAIRS, "%d pairs", all.pairs);
	CHECK(all.above <= all.pairs / HARDLY && all.below <= all.pairs / HARDLY,
		  "metric %d element %d dim %u: of %d %d above, %d below", metric, element,
		  dim, all.pairs, all.above, all.below);
	return all.gap;
}

static void
bounds_hold_and_are_near(void)
{
	for (int m = 0; m < 4; m++)
	{
		for (int element = HNSW_INT8; element <= HNSW_FLOAT32; element++)
		{
			for (int d = 0; d < 4; d++)
			{
				HnswForm	form = hnsw_form(metrics[m], (HnswElement) element, dims[d]);
				double		gap = bounds_of_kinds(metrics[m], form.element, dims[d], false);
				double		nearer;

				if (!hnsw_form_has_rest(&form))
					continue;
				nearer = bounds_of_kinds(metrics[m], form.element, dims[d], true);
				CHECK(nearer <= 0.85 * gap, "metric %d dim %u: gaps %g, without the rest %g",
					  metrics[m], dims[d], nearer, gap);
			}
		}
	}
}

/* A distance that is none says nothing of the exact one. */
static void
bounds_of_no_distance(void)
{
	float		vector[MAX_DIM];

	for (uint32_t i = 0; i < MAX_DIM; i++)
		vector[i] = (float) (i % 7) - 2.0f;
	for (int m = 0; m < 4; m++)
	{
		for (int element = HNSW_INT8; element <= HNSW_FLOAT32; element++)
		{
			HnswForm	form = hnsw_form(metrics[m], (HnswElement) element, MAX_DIM);
			void	   *record = malloc(hnsw_form_bytes(&form));

			CHECK(hnsw_form_encode(&form, vector, record), "metric %d", metrics[m]);
			for (int i = 0; i < 2; i++)
			{
				HnswBounds	bounds = hnsw_form_bounds(&form, record, NULL, record,
														   i ? INFINITY : NAN);

				CHECK(bounds.least == -INFINITY && bounds.most == INFINITY,
					  "metric %d element %d: %g, %g", metrics[m], element, bounds.least,
					  bounds.most);
			}
			free(record);
		}
	}
}

void
test_hnsw_form(void)
{
	RUN_CASE(bounds_hold_and_are_near);
	RUN_CASE(bounds_of_no_distance);
}
