/*
 * test_dist.c
 *	  Distances: the rules of dist.h, for every instruction set.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "inputs.h"
#include "reference.h"

#define LONG_N		16000
#define SHORT_N		70

/* Relative to the size of the sums; for cosine absolute. */
#define SHORT_ERROR	0x1p-21
#define LONG_ERROR	0x1p-19

static const char *const metric_names[DIST_NMETRICS] = {"cosine", "l2", "ip", "l1"};

typedef void (*PairCheck) (const DistKernels *k, InputKind kind,
						   const float *a, const float *b, uint32_t n);

/* Run a check for every instruction set, kind and length. */
static void
for_each_pair(PairCheck check)
{
	Fenced		fa = fenced_new(LONG_N);
	Fenced		fb = fenced_new(LONG_N);

	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);
		Random		random = {1};

		for (uint32_t n = 1; k != NULL && n <= SHORT_N + 2; n++)
		{
			uint32_t	length = n <= SHORT_N ? n : n == SHORT_N + 1 ? 1536 : LONG_N;
			float	   *a = fa.past_last - length;
			float	   *b = fb.past_last - length;

			for (int kind = 0; kind < INPUT_NKINDS; kind++)
			{
				input_fill((InputKind) kind, &random, a, b, length);
				check(k, (InputKind) kind, a, b, length);
			}
		}
	}
	fenced_drop(&fa);
	fenced_drop(&fb);
}

static void
compare_distances(const DistKernels *k, InputKind kind, const float *a,
				  const float *b, uint32_t n)
{
	double		relative = n <= SHORT_N ? SHORT_ERROR : LONG_ERROR;

	for (int metric = 0; metric < DIST_NMETRICS; metric++)
	{
		double		got = dist_f32_by(k, (DistMetric) metric, a, b, n);
		long double want = reference_distance((DistMetric) metric, a, b, n);
		long double size = 1.0L;

		if (isnan(want))
		{
			CHECK(isnan(got), "%s %s %s n=%u: %g", k->isa, metric_names[metric],
				  input_names[kind], n, got);
			continue;
		}
		if (metric == DIST_IP)
			size = reference_dot(a, b, n).size;
		else if (metric != DIST_COSINE)
			size = want;
		CHECK(fabsl(got - want) <= relative * size,
			  "%s %s %s n=%u: %.17g, want %.17Lg", k->isa, metric_names[metric],
			  input_names[kind], n, got, want);
		if (metric == DIST_COSINE)
			CHECK(got >= 0.0 && got <= 2.0, "%s %s n=%u: %g", k->isa,
				  input_names[kind], n, got);
	}
}

static void
distances_match_reference(void)
{
	for_each_pair(compare_distances);
}

static bool
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static void
compare_query(const DistKernels *k, InputKind kind, const float *a,
			  const float *b, uint32_t n)
{
	for (int metric = 0; metric < DIST_NMETRICS; metric++)
	{
		DistQuery	dq;
		double		pair = dist_f32_by(k, (DistMetric) metric, a, b, n);

		dist_query_init_by(&dq, k, (DistMetric) metric, a, n);
		CHECK(same_bits(dist_query_f32(&dq, b), pair), "%s %s %s n=%u",
			  k->isa, metric_names[metric], input_names[kind], n);
		CHECK(same_bits(dist_query_f32(&dq, b), pair), "%s %s %s n=%u, again",
			  k->isa, metric_names[metric], input_names[kind], n);
	}
}

static void
query_gives_the_same_bits(void)
{
	for_each_pair(compare_query);
}

/* Halves as pairs, as rows of a query, and the floats that they stand for. */
static void
compare_halves(const DistKernels *k, InputKind kind, const float *a,
			   const float *b, uint32_t n)
{
	static DistHalf half_a[LONG_N];
	static DistHalf half_b[LONG_N];
	static float wide_a[LONG_N];
	static float wide_b[LONG_N];

	input_halves(a, half_a, wide_a, n);
	input_halves(b, half_b, wide_b, n);
	for (int metric = 0; metric < DIST_NMETRICS; metric++)
	{
		DistQuery	dq;
		double		pair = dist_f16_by(k, (DistMetric) metric, half_a, half_b, n);
		double		wide = dist_f32_by(k, (DistMetric) metric, wide_a, wide_b, n);

		CHECK(same_bits(pair, wide), "%s %s %s n=%u: %.17g and %.17g", k->isa,
			  metric_names[metric], input_names[kind], n, pair, wide);
		dist_query_init_by(&dq, k, (DistMetric) metric, wide_a, n);
		CHECK(same_bits(dist_query_f16(&dq, half_b), pair), "%s %s %s n=%u", k->isa,
			  metric_names[metric], input_names[kind], n);
		/* a float query that no half could be */
		dist_query_init_by(&dq, k, (DistMetric) metric, a, n);
		CHECK(same_bits(dist_query_f16(&dq, half_b),
						dist_f32_by(k, (DistMetric) metric, a, wide_b, n)), "%s %s %s n=%u",
			  k->isa, metric_names[metric], input_names[kind], n);
	}
	CHECK(dist_norm_f16(half_a, n) == dist_norm_f32(wide_a, n), "%s n=%u", input_names[kind], n);
}

static void
halves_count_as_floats(void)
{
	for_each_pair(compare_halves);
}

#define MANY 11

/* Any number of vectors, with and without their norms, as one by one. */
static void
compare_many(const DistKernels *k, InputKind kind, const float *a,
			 const float *b, uint32_t n)
{
	static DistHalf half_a[LONG_N];
	static DistHalf half_b[LONG_N];
	static float wide[LONG_N];
	const float *floats[MANY];
	const DistHalf *halves[MANY];
	float		squares[2][MANY];
	double		got[4][MANY];

	input_halves(a, half_a, wide, n);
	input_halves(b, half_b, wide, n);
	for (int metric = 0; metric < DIST_NMETRICS; metric++)
	{
		uint32_t	count = n % (MANY + 1);
		DistQuery	dq;

		dist_query_init_by(&dq, k, (DistMetric) metric, a, n);
		for (uint32_t i = 0; i < count; i++)
		{
			floats[i] = i % 3 == 1 ? a : b;
			halves[i] = i % 3 == 1 ? half_a : half_b;
			squares[0][i] = dist_square_f32(&dq, floats[i]);
			squares[1][i] = dist_square_f16(&dq, halves[i]);
		}
		dist_query_f32_many(&dq, floats, squares[0], count, got[0]);
		dist_query_f32_many(&dq, floats, NULL, count, got[1]);
		dist_query_f16_many(&dq, halves, squares[1], count, got[2]);
		dist_query_f16_many(&dq, halves, NULL, count, got[3]);
		for (uint32_t i = 0; i < 4 * count; i++)
		{
			double		one = i / count < 2 ? dist_query_f32(&dq, floats[i % count]) :
				dist_query_f16(&dq, halves[i % count]);

			CHECK(same_bits(got[i / count][i % count], one), "%s %s %s n=%u: %u of %u", k->isa,
				  metric_names[metric], input_names[kind], n, i, count);
		}
	}
}

static void
many_give_the_same_bits(void)
{
	for_each_pair(compare_many);
}

/* Swapping the arguments changes no bit: ground truth may compute either. */
static void
compare_swapped(const DistKernels *k, InputKind kind, const float *a,
				const float *b, uint32_t n)
{
	for (int metric = 0; metric < DIST_NMETRICS; metric++)
	{
		double		pair = dist_f32_by(k, (DistMetric) metric, a, b, n);
		double		swapped = dist_f32_by(k, (DistMetric) metric, b, a, n);

		CHECK(same_bits(pair, swapped), "%s %s %s n=%u: %.17g and %.17g", k->isa,
			  metric_names[metric], input_names[kind], n, pair, swapped);
	}
}

static void
distance_is_symmetric(void)
{
	for_each_pair(compare_swapped);
}

static void
compare_with_itself(const DistKernels *k, InputKind kind, const float *a,
					const float *b, uint32_t n)
{
	double		cosine = dist_f32_by(k, DIST_COSINE, a, a, n);

	(void) b;
	CHECK(cosine == 0.0 || isnan(reference_distance(DIST_COSINE, a, a, n)),
		  "%s %s n=%u: cosine %g", k->isa, input_names[kind], n, cosine);
	CHECK(dist_f32_by(k, DIST_L2, a, a, n) == 0.0, "%s %s n=%u: l2", k->isa,
		  input_names[kind], n);
	CHECK(dist_f32_by(k, DIST_L1, a, a, n) == 0.0, "%s %s n=%u: l1", k->isa,
		  input_names[kind], n);
}

static void
distance_to_itself_is_zero(void)
{
	for_each_pair(compare_with_itself);
}

static void
norm_matches_reference(void)
{
	Random		random = {3};
	float		a[SHORT_N];
	float		b[SHORT_N];

	for (int kind = 0; kind < INPUT_NKINDS; kind++)
	{
		for (uint32_t n = 1; n <= SHORT_N; n++)
		{
			long double want;
			double		got;

			input_fill((InputKind) kind, &random, a, b, n);
			want = sqrtl(reference_dot(a, a, n).sum);
			got = dist_norm_f32(a, n);
			CHECK(fabsl(got - want) <= 0x1p-50 * want, "%s n=%u: %.17g, want %.17Lg",
				  input_names[kind], n, got, want);
		}
	}
}

/* The values that a reader of dist.h would work out by hand. */
static void
rules_hold(void)
{
	static const float zero[3] = {0.0f, -0.0f, 0.0f};
	static const float x[3] = {1.0f, 0.0f, 0.0f};
	static const float y[3] = {0.0f, 2.0f, 0.0f};
	static const float minus_x[3] = {-3.0f, 0.0f, 0.0f};
	static const float denormal[3] = {0x1p-149f, 0.0f, 0.0f};
	static const float largest[3] = {FLT_MAX, FLT_MAX, -FLT_MAX};
	static const float lowest[3] = {-FLT_MAX, -FLT_MAX, FLT_MAX};

	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

		if (k == NULL)
			continue;
		CHECK(isnan(dist_f32_by(k, DIST_COSINE, x, zero, 3)), "%s", k->isa);
		CHECK(isnan(dist_f32_by(k, DIST_COSINE, zero, x, 3)), "%s", k->isa);
		CHECK(isnan(dist_f32_by(k, DIST_COSINE, zero, zero, 3)), "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_COSINE, x, y, 3) == 1.0, "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_COSINE, x, minus_x, 3) == 2.0, "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_COSINE, x, denormal, 3) == 0.0, "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_COSINE, largest, lowest, 3) == 2.0, "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_L2, x, minus_x, 3) == 4.0, "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_L2, zero, denormal, 3) == 0x1p-149, "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_L1, x, y, 3) == 3.0, "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_L1, largest, lowest, 3) == 6.0 * FLT_MAX, "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_IP, x, minus_x, 3) == 3.0, "%s", k->isa);
		CHECK(dist_f32_by(k, DIST_IP, denormal, denormal, 3) == -0x1p-298, "%s", k->isa);
		CHECK(same_bits(dist_f32_by(k, DIST_IP, x, y, 3), 0.0), "%s: -0", k->isa);
		CHECK(same_bits(dist_f32_by(k, DIST_IP, x, zero, 3), 0.0), "%s: -0", k->isa);
	}
}

/* dist_f32 and dist_query_init go by the chosen table. */
static void
default_is_the_chosen_table(void)
{
	Random		random = {5};
	float		a[100];
	float		b[100];

	input_fill(INPUT_UNIFORM, &random, a, b, 100);
	for (int metric = 0; metric < DIST_NMETRICS; metric++)
	{
		double		want = dist_f32_by(dist_kernels(), (DistMetric) metric, a, b, 100);
		DistQuery	dq;

		dist_query_init(&dq, (DistMetric) metric, a, 100);
		CHECK(same_bits(dist_f32((DistMetric) metric, a, b, 100), want), "%s",
			  metric_names[metric]);
		CHECK(same_bits(dist_query_f32(&dq, b), want), "%s", metric_names[metric]);
	}
}

void
test_dist(void)
{
	RUN_CASE(distances_match_reference);
	RUN_CASE(query_gives_the_same_bits);
	RUN_CASE(halves_count_as_floats);
	RUN_CASE(many_give_the_same_bits);
	RUN_CASE(distance_is_symmetric);
	RUN_CASE(distance_to_itself_is_zero);
	RUN_CASE(norm_matches_reference);
	RUN_CASE(rules_hold);
	RUN_CASE(default_is_the_chosen_table);
}
