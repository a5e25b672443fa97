/*
 * test_code.c
 *	  int8 kernels are exact; codes keep the bounds that dist_code.h promises.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "inputs.h"
#include "reference.h"
#include "../dist_code.h"

#define LONG_N		16000
#define SHORT_N		140			/* two AVX-512 registers and a tail */

static int64_t
reference_i8(const int8_t *a, const int8_t *b, uint32_t n)
{
	int64_t		sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (int64_t) a[i] * b[i];
	return sum;
}

/* a and the four of b end at fences. */
static void
compare_products(const DistKernels *k, uint32_t n, Random *random, int extreme)
{
	Fenced		fences[1 + DIST_FOUR];
	int8_t	   *v[1 + DIST_FOUR];
	const int8_t *four[DIST_FOUR];
	int32_t		got[DIST_FOUR];
	const float scales[DIST_FOUR] = {0.017f, 1.0f / 3, 0.013f, 0.5f};
	float		l1[DIST_FOUR];

	for (int i = 0; i <= DIST_FOUR; i++)
	{
		fences[i] = fenced_new(n / 4 + 1);
		v[i] = (int8_t *) fences[i].past_last - n;
		input_i8(random, v[i], n, extreme);
	}
	if (extreme)
		memcpy(v[1], v[0], n);	/* the largest sum */
	for (int i = 0; i < DIST_FOUR; i++)
		four[i] = v[1 + i];
	k->dot_i8_x4(v[0], four, n, got);
	k->l1_i8_x4(v[0], 0.013f, four, scales, n, l1);
	for (int i = 0; i < DIST_FOUR; i++)
	{
		int64_t		want = reference_i8(v[0], four[i], n);

		CHECK(k->dot_i8(v[0], four[i], n) == want, "%s n=%u: %d, want %lld", k->isa, n,
			  k->dot_i8(v[0], four[i], n), (long long) want);
		CHECK(got[i] == want, "%s n=%u, %d of four: %d, want %lld", k->isa, n, i, got[i],
			  (long long) want);
		CHECK(l1[i] == k->l1_i8(v[0], 0.013f, four[i], scales[i], n), "%s n=%u, %d of four: L1 %.9g",
			  k->isa, n, i, l1[i]);
	}
	for (int i = 0; i <= DIST_FOUR; i++)
		fenced_drop(&fences[i]);
}

static void
products_are_exact(void)
{
	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);
		Random		random = {43};

		if (k == NULL)
			continue;
		for (int extreme = 0; extreme < 2; extreme++)
		{
			for (uint32_t n = 1; n <= SHORT_N; n++)
				compare_products(k, n, &random, extreme);
			compare_products(k, 384, &random, extreme);
			compare_products(k, LONG_N, &random, extreme);
			compare_products(k, DIST_MAX_I8, &random, extreme);
		}
	}
}

static void
scaled_differences_match(void)
{
	Random		random = {47};
	Fenced		fa = fenced_new(LONG_N / 4 + 1);
	Fenced		fb = fenced_new(LONG_N / 4 + 1);

	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

		for (uint32_t length = 1; k != NULL && length <= SHORT_N + 1; length++)
		{
			uint32_t	n = length <= SHORT_N ? length : LONG_N;
			int8_t	   *a = (int8_t *) fa.past_last - n;
			int8_t	   *b = (int8_t *) fb.past_last - n;
			long double want = 0.0L;
			long double size = 0.0L;
			float		got;

			input_i8(&random, a, n, 0);
			input_i8(&random, b, n, 0);
			for (uint32_t i = 0; i < n; i++)
			{
				want += fabsl((long double) a[i] * 0.013f - (long double) b[i] * 0.017f);
				size += fabsl((long double) a[i] * 0.013f) + fabsl((long double) b[i] * 0.017f);
			}
			got = k->l1_i8(a, 0.013f, b, 0.017f, n);
			CHECK(error_in_ulps(got, want, size) <= 8.0, "%s n=%u: %.9g, want %.9Lg", k->isa,
				  n, got, want);
			CHECK(got == k->l1_i8(b, 0.017f, a, 0.013f, n), "%s n=%u: swapped", k->isa, n);
			CHECK(k->l1_i8(a, 0.013f, a, 0.013f, n) == 0.0f, "%s n=%u: itself", k->isa, n);
		}
	}
	fenced_drop(&fa);
	fenced_drop(&fb);
}

/* Codes are stored: every machine must make the same. */
static void
all_sets_quantise_alike(void)
{
	Random		random = {53};
	Fenced		fenced = fenced_new(SHORT_N);
	float		spare[SHORT_N];
	int8_t		want[SHORT_N];
	int8_t		got[SHORT_N + 1];

	for (uint32_t n = 1; n <= SHORT_N; n++)
	{
		float	   *v = fenced.past_last - n;
		float		factor;

		input_fill(n % 2 ? INPUT_UNIFORM : INPUT_MIXED, &random, v, spare, n);
		factor = 127.0f / dist_kernels_isa("scalar")->maxabs_f32(v, n);
		dist_kernels_isa("scalar")->f32_to_i8(v, factor, want, n);
		for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
		{
			const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

			if (k == NULL)
				continue;
			got[n] = 99;
			k->f32_to_i8(v, factor, got, n);
			CHECK(memcmp(got, want, n) == 0, "%s n=%u", k->isa, n);
			CHECK(got[n] == 99, "%s n=%u wrote behind", k->isa, n);
		}
	}
	fenced_drop(&fenced);
}

/* A vector, its code, and what dist_code.h says about the two. */
typedef struct Coded
{
	const float *x;
	int8_t		room[SHORT_N];
	float		decoded[SHORT_N];	/* rounded, for kinds of no extreme scale */
	DistCode	code;
	double		error;			/* bound of a component's */
} Coded;

static void
make_code(Coded *c, const float *x, uint32_t n, const char *kind)
{
	c->x = x;
	c->code = dist_code_f32(x, n, c->room);
	c->error = 0.5001 * c->code.scale + 0x1p-142;
	CHECK(c->code.square == reference_i8(c->room, c->room, n), "%s n=%u", kind, n);
	for (uint32_t i = 0; i < n; i++)
	{
		double		decoded = (double) c->room[i] * c->code.scale;

		CHECK(fabs(x[i] - decoded) <= c->error, "%s n=%u: %.9g became %.9g, scale %.9g", kind,
			  n, x[i], decoded, c->code.scale);
		CHECK(c->room[i] != -128, "%s n=%u", kind, n);
		c->decoded[i] = (float) decoded;
	}
}

/* The four bounds of dist_code.h; `slack` is the rounding of the reference. */
static void
check_bounds(const Coded *a, const Coded *b, uint32_t n, const char *kind)
{
	const double root = sqrt(n);
	const double slack = 1.0 + 0x1p-18;
	double		norm_a = dist_norm_f32(a->x, n);
	double		norm_b = dist_norm_f32(b->x, n);

	for (int metric = 0; metric < DIST_NMETRICS; metric++)
	{
		DistCodeQuery dq;
		long double want = reference_distance((DistMetric) metric, a->x, b->x, n);
		double		bound = 0.0;
		double		got;

		dist_code_query_init(&dq, (DistMetric) metric, a->code, n);
		got = dist_code(&dq, b->code);
		if (metric == DIST_L2)
			bound = (a->error + b->error) * root + 0x1p-25 * (norm_a + norm_b);
		else if (metric == DIST_L1)
			bound = (a->error + b->error) * n + 0x1p-20 * (norm_a + norm_b) * root;
		else if (metric == DIST_IP)
			bound = norm_a * b->error * root + (norm_b + b->error * root) * a->error * root;
		else
		{
			double		sine_a = a->error * root / norm_a;
			double		sine_b = b->error * root / norm_b;

			if (isnan(want) || !(sine_a < 1.0) || !(sine_b < 1.0))
				continue;
			bound = asin(sine_a) + asin(sine_b) + 0x1p-40;
		}
		CHECK(fabsl(got - want) <= bound * slack, "metric %d %s n=%u: %.9g, want %.9Lg, bound %.3g",
			  metric, kind, n, got, want, bound);
	}
}

static void
codes_keep_their_bounds(void)
{
	Random		random = {59};
	float		a[SHORT_N];
	float		b[SHORT_N];

	for (int round = 0; round < 5; round++)
	{
		for (uint32_t n = 1; n <= SHORT_N; n++)
		{
			for (int kind = 0; kind < INPUT_NKINDS; kind++)
			{
				Coded		ca;
				Coded		cb;

				input_fill((InputKind) kind, &random, a, b, n);
				make_code(&ca, a, n, input_names[kind]);
				make_code(&cb, b, n, input_names[kind]);
				check_bounds(&ca, &cb, n, input_names[kind]);
			}
		}
	}
}

/* The bound is not so wide that it says nothing: some component comes near. */
static void
bound_is_tight(void)
{
	Random		random = {61};
	float		a[SHORT_N];
	float		b[SHORT_N];
	int8_t		room[SHORT_N];
	double		worst = 0.0;
	DistCode	code;

	input_fill(INPUT_UNIFORM, &random, a, b, SHORT_N);
	code = dist_code_f32(a, SHORT_N, room);
	for (int i = 0; i < SHORT_N; i++)
		worst = fmax(worst, fabs(a[i] - (double) room[i] * code.scale) / code.scale);
	CHECK(worst > 0.45 && worst < 0.5001, "largest error is %g of the scale", worst);
}

static void
code_rules_hold(void)
{
	static const float zero[3] = {0.0f, -0.0f, 0.0f};
	static const float x[3] = {1.0f, 0.0f, 0.0f};
	static const float y[3] = {0.0f, -2.0f, 0.0f};
	static const float denormal[3] = {0x1p-149f, 0.0f, -0x1p-149f};
	static const float largest[3] = {FLT_MAX, -FLT_MAX, FLT_MAX};
	const float *const vectors[5] = {zero, x, y, denormal, largest};
	int8_t		room[5][3];
	DistCode	c[5];
	double		d[DIST_NMETRICS][5][5];

	for (int i = 0; i < 5; i++)
		c[i] = dist_code_f32(vectors[i], 3, room[i]);
	for (int metric = 0; metric < DIST_NMETRICS; metric++)
	{
		for (int i = 0; i < 5; i++)
		{
			DistCodeQuery dq;

			dist_code_query_init(&dq, (DistMetric) metric, c[i], 3);
			dist_code_many(&dq, c, 5, d[metric][i]);
			for (int j = 0; j < 5; j++)
			{
				double		one = dist_code(&dq, c[j]);

				CHECK(memcmp(&one, &d[metric][i][j], sizeof(one)) == 0,
					  "metric %d, %d and %d", metric, i, j);
			}
			if (metric != DIST_IP)
				CHECK(d[metric][i][i] == 0.0 || (metric == DIST_COSINE && i == 0),
					  "metric %d, %d and itself: %g", metric, i, d[metric][i][i]);
		}
	}
	CHECK(c[0].scale == 0.0f && c[0].square == 0, "zero vector");
	CHECK(isnan(d[DIST_COSINE][0][1]) && isnan(d[DIST_COSINE][1][0]) &&
		  isnan(d[DIST_COSINE][0][0]), "zero vector");
	CHECK(d[DIST_COSINE][1][2] == 1.0, "orthogonal");
	CHECK(fabs(d[DIST_COSINE][1][3] - (1.0 - sqrt(0.5))) < 1e-12, "a denormal has a direction");
	CHECK(d[DIST_IP][1][2] == 0.0 && !signbit(d[DIST_IP][1][2]), "-0");
	CHECK(fabs(d[DIST_L2][1][2] - sqrt(5.0)) < 1e-6, "L2");
	CHECK(isfinite(d[DIST_L1][4][1]) && isfinite(d[DIST_L2][4][1]) && isfinite(d[DIST_IP][4][4]),
		  "huge");
}

/* Halves are the floats that they stand for, past the chunk they come in. */
static void
halves_have_the_same_code(void)
{
	Random		random = {67};
	float		from[700];
	float		spare[700];
	DistHalf	halves[700];
	float		wide[700];
	int8_t		room[2][700];

	for (uint32_t n = 1; n <= 700; n += 1 + n / 8)
	{
		DistCode	a;
		DistCode	b;

		input_fill(INPUT_UNIFORM, &random, from, spare, n);
		input_halves(from, halves, wide, n);
		a = dist_code_f32(wide, n, room[0]);
		b = dist_code_f16(halves, n, room[1]);
		CHECK(a.scale == b.scale && a.square == b.square && memcmp(a.x, b.x, n) == 0, "n=%u", n);
	}
}

void
test_code(void)
{
	RUN_CASE(products_are_exact);
	RUN_CASE(scaled_differences_match);
	RUN_CASE(all_sets_quantise_alike);
	RUN_CASE(codes_keep_their_bounds);
	RUN_CASE(bound_is_tight);
	RUN_CASE(code_rules_hold);
	RUN_CASE(halves_have_the_same_code);
}
