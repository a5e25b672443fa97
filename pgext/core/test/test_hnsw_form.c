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
	int			above;			/* the number is above the exact distance */
	double		gap;			/* by how much it is below, on the average */
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
look_at_pairs(DistMetric metric, HnswElement element, InputKind kind, uint32_t dim)
{
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
		double		least;

		input_fill(kind, &random, a, b, dim);
		size = size_of(metric, a, b, dim);
		if (size == 0 || !hnsw_form_encode(&form, a, left) || !hnsw_form_encode(&form, b, right))
			continue;
		hnsw_form_distances(&form, left, &record, 1, &dist);
		exact = (double) reference_distance(metric, a, b, dim);
		least = hnsw_form_least(&form, left, right, dist);
		seen.pairs++;
		seen.above += least > exact;
		seen.gap += (exact - least) / size;
	}
	seen.gap /= seen.pairs > 0 ? seen.pairs : 1;
	free(left);
	free(right);
	return seen;
}

/*
 * How far below the exact distance the number may be on the average, in units of
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

static void
least_holds_and_is_near(void)
{
	for (int m = 0; m < 4; m++)
	{
		for (int element = HNSW_INT8; element <= HNSW_FLOAT32; element++)
		{
			for (int d = 0; d < 4; d++)
			{
				Seen		all = {0};

				for (int k = 0; k < 6; k++)
				{
					Seen		seen = look_at_pairs(metrics[m], (HnswElement) element,
													 kinds[k], dims[d]);

					CHECK(seen.gap <= gap_allowed(metrics[m], (HnswElement) element, kinds[k],
												  dims[d]),
						  "metric %d element %d kind %s dim %u: gap %g", metrics[m], element,
						  input_names[kinds[k]], dims[d], seen.gap);
					all.pairs += seen.pairs;
					all.above += seen.above;
				}
				CHECK(all.pairs > 4 * PAIRS, "%d pairs", all.pairs);
				CHECK(all.above <= all.pairs / HARDLY,
					  "metric %d element %d dim %u: %d of %d above", metrics[m], element,
					  dims[d], all.above, all.pairs);
			}
		}
	}
}

/* A distance that is none says nothing of the exact one. */
static void
least_of_no_distance(void)
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
			CHECK(hnsw_form_least(&form, record, record, INFINITY) == -INFINITY,
				  "metric %d element %d", metrics[m], element);
			CHECK(hnsw_form_least(&form, record, record, NAN) == -INFINITY,
				  "metric %d element %d", metrics[m], element);
			free(record);
		}
	}
}

void
test_hnsw_form(void)
{
	RUN_CASE(least_holds_and_is_near);
	RUN_CASE(least_of_no_distance);
}
