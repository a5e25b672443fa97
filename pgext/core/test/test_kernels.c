/*
 * test_kernels.c
 *	  Every float and half kernel of every instruction set against long double.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "inputs.h"
#include "reference.h"

#define LONG_N		16000
#define SHORT_N		70

/*
 * The ceilings that core/README.md promises, in units in the last place of the
 * sum of the terms' sizes.
 */
#define SCALAR_ULPS	0.51
#define SHORT_ULPS	4.0
#define LONG_ULPS	8.0
#define NEON_LONG_ULPS	16.0		/* of a quarter or half as many partial sums */

/* Each component may lose half of the smallest denormal to underflow. */
#define UNDERFLOW_ULPS(n) (0.5 * (n))

/* Two vectors as floats, as halves, and the halves widened again. */
typedef struct Pair
{
	const float *a;
	const float *b;
	const DistHalf *half_a;
	const DistHalf *half_b;
	const float *wide_a;
	const float *wide_b;
	uint32_t	n;
} Pair;

typedef enum Operands
{
	OF_FLOATS,
	OF_HALVES,
	OF_BOTH						/* a float, b half */
} Operands;

typedef enum Operation
{
	OP_DOT,
	OP_L2SQ,
	OP_L1,
	OP_AA,
	OP_BB
} Operation;

typedef struct Case
{
	const char *name;
	Operands	operands;
	Operation	operation;
	float		(*run) (const DistKernels *k, const Pair *p);
} Case;

#define RUN(NAME, CALL) \
static float \
run_##NAME(const DistKernels *k, const Pair *p) \
{ \
	return k->CALL; \
}

#define RUN_SUMS(NAME, CALL, FIELD) \
static float \
run_##NAME(const DistKernels *k, const Pair *p) \
{ \
	DistSums	sums = {NAN, NAN, NAN}; \
\
	k->CALL; \
	return sums.FIELD; \
}

RUN(dot_f32, dot_f32(p->a, p->b, p->n))
RUN(l2sq_f32, l2sq_f32(p->a, p->b, p->n))
RUN(l1_f32, l1_f32(p->a, p->b, p->n))
RUN_SUMS(dotnorm_f32_dot, dotnorm_f32(p->a, p->b, p->n, &sums), dot)
RUN_SUMS(dotnorm_f32_bb, dotnorm_f32(p->a, p->b, p->n, &sums), bb)
RUN_SUMS(dotnorm_f32_aa, dotnorm_f32(p->a, p->b, p->n, &sums), aa)
RUN_SUMS(cosine_f32_dot, cosine_f32(p->a, p->b, p->n, &sums), dot)
RUN_SUMS(cosine_f32_aa, cosine_f32(p->a, p->b, p->n, &sums), aa)
RUN_SUMS(cosine_f32_bb, cosine_f32(p->a, p->b, p->n, &sums), bb)
RUN(dot_f16, dot_f16(p->half_a, p->half_b, p->n))
RUN(l2sq_f16, l2sq_f16(p->half_a, p->half_b, p->n))
RUN(l1_f16, l1_f16(p->half_a, p->half_b, p->n))
RUN_SUMS(cosine_f16_dot, cosine_f16(p->half_a, p->half_b, p->n, &sums), dot)
RUN_SUMS(cosine_f16_aa, cosine_f16(p->half_a, p->half_b, p->n, &sums), aa)
RUN_SUMS(cosine_f16_bb, cosine_f16(p->half_a, p->half_b, p->n, &sums), bb)
RUN(dot_f32f16, dot_f32f16(p->a, p->half_b, p->n))
RUN(l2sq_f32f16, l2sq_f32f16(p->a, p->half_b, p->n))
RUN(l1_f32f16, l1_f32f16(p->a, p->half_b, p->n))
RUN_SUMS(dotnorm_f32f16_dot, dotnorm_f32f16(p->a, p->half_b, p->n, &sums), dot)
RUN_SUMS(dotnorm_f32f16_bb, dotnorm_f32f16(p->a, p->half_b, p->n, &sums), bb)

static const Case cases[] = {
	{"dot_f32", OF_FLOATS, OP_DOT, run_dot_f32},
	{"l2sq_f32", OF_FLOATS, OP_L2SQ, run_l2sq_f32},
	{"l1_f32", OF_FLOATS, OP_L1, run_l1_f32},
	{"dotnorm_f32 dot", OF_FLOATS, OP_DOT, run_dotnorm_f32_dot},
	{"dotnorm_f32 bb", OF_FLOATS, OP_BB, run_dotnorm_f32_bb},
	{"cosine_f32 dot", OF_FLOATS, OP_DOT, run_cosine_f32_dot},
	{"cosine_f32 aa", OF_FLOATS, OP_AA, run_cosine_f32_aa},
	{"cosine_f32 bb", OF_FLOATS, OP_BB, run_cosine_f32_bb},
	{"dot_f16", OF_HALVES, OP_DOT, run_dot_f16},
	{"l2sq_f16", OF_HALVES, OP_L2SQ, run_l2sq_f16},
	{"l1_f16", OF_HALVES, OP_L1, run_l1_f16},
	{"cosine_f16 dot", OF_HALVES, OP_DOT, run_cosine_f16_dot},
	{"cosine_f16 aa", OF_HALVES, OP_AA, run_cosine_f16_aa},
	{"cosine_f16 bb", OF_HALVES, OP_BB, run_cosine_f16_bb},
	{"dot_f32f16", OF_BOTH, OP_DOT, run_dot_f32f16},
	{"l2sq_f32f16", OF_BOTH, OP_L2SQ, run_l2sq_f32f16},
	{"l1_f32f16", OF_BOTH, OP_L1, run_l1_f32f16},
	{"dotnorm_f32f16 dot", OF_BOTH, OP_DOT, run_dotnorm_f32f16_dot},
	{"dotnorm_f32f16 bb", OF_BOTH, OP_BB, run_dotnorm_f32f16_bb},
};

#define NCASES ((int) (sizeof(cases) / sizeof(cases[0])))

typedef struct Worst
{
	double		ulps[NCASES];
} Worst;

static Reference
case_reference(const Case *c, const Pair *p)
{
	const float *a = c->operands == OF_HALVES ? p->wide_a : p->a;
	const float *b = c->operands == OF_FLOATS ? p->b : p->wide_b;

	switch (c->operation)
	{
		case OP_L2SQ:
			return reference_l2sq(a, b, p->n);
		case OP_L1:
			return reference_l1(a, b, p->n);
		case OP_AA:
			return reference_dot(a, a, p->n);
		case OP_BB:
			return reference_dot(b, b, p->n);
		case OP_DOT:
			break;
	}
	return reference_dot(a, b, p->n);
}

static bool
same_bits(float a, float b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

/*
 * Compare one run with the reference. A sum that may pass the largest float on
 * its way need not be finite; when it is, it must be right.
 */
static void
compare_cases(const DistKernels *k, InputKind kind, const Pair *p, double ceiling,
			  Worst *worst)
{
	for (int i = 0; i < NCASES; i++)
	{
		float		got = cases[i].run(k, p);
		Reference	want = case_reference(&cases[i], p);
		double		allowed = ceiling;
		double		error;

		if (!isfinite(got) && want.size > FLT_MAX / 2)
			continue;
		if (want.size < FLT_MIN * 2 * p->n)
			allowed += UNDERFLOW_ULPS(p->n);
		error = error_in_ulps(got, want.sum, want.size);
		CHECK(error <= allowed, "%s %s %s n=%u: %.9g, want %.9Lg: %.2f ulps",
			  k->isa, cases[i].name, input_names[kind], p->n, got, want.sum, error);
		if (allowed == ceiling && error > worst->ulps[i])
			worst->ulps[i] = error;
	}
}

#define SAME(x, y) \
	do { \
		float		one = (x); \
		float		other = (y); \
\
		CHECK(same_bits(one, other) || (isnan(one) && isnan(other)), \
			  "%s %s n=%u: %.9g and %.9g", k->isa, input_names[kind], p->n, one, other); \
	} while (0)

/* One order of summation, whatever the kernel: see dist_isa.h. */
static void
compare_orders(const DistKernels *k, InputKind kind, const Pair *p)
{
	const Pair	wide = {p->wide_a, p->wide_b, p->half_a, p->half_b, p->wide_a, p->wide_b, p->n};

	CHECK(isnan(run_dotnorm_f32_aa(k, p)), "%s dotnorm_f32 wrote aa", k->isa);
	SAME(run_dotnorm_f32_dot(k, p), run_dot_f32(k, p));
	SAME(run_cosine_f32_dot(k, p), run_dot_f32(k, p));
	SAME(run_cosine_f32_bb(k, p), run_dotnorm_f32_bb(k, p));
	SAME(run_cosine_f32_aa(k, p), k->dot_f32(p->a, p->a, p->n));
	SAME(run_cosine_f32_bb(k, p), k->dot_f32(p->b, p->b, p->n));
	SAME(run_dotnorm_f32f16_dot(k, p), run_dot_f32f16(k, p));
	SAME(run_dot_f16(k, p), run_dot_f32(k, &wide));
	SAME(run_dot_f32f16(k, &wide), run_dot_f32(k, &wide));
	SAME(run_l2sq_f16(k, p), run_l2sq_f32(k, &wide));
	SAME(run_l2sq_f32f16(k, &wide), run_l2sq_f32(k, &wide));
	SAME(run_l1_f16(k, p), run_l1_f32(k, &wide));
	SAME(run_l1_f32f16(k, &wide), run_l1_f32(k, &wide));
	SAME(run_cosine_f16_dot(k, p), run_dot_f32(k, &wide));
	SAME(run_cosine_f16_aa(k, p), run_cosine_f32_aa(k, &wide));
	SAME(run_cosine_f16_bb(k, p), run_dotnorm_f32f16_bb(k, p));
}

/* Four at once: b, a, b again and a, each as by itself. */
static void
compare_fours(const DistKernels *k, InputKind kind, const Pair *p)
{
	const float *floats[DIST_FOUR] = {p->b, p->a, p->b, p->wide_a};
	const DistHalf *halves[DIST_FOUR] = {p->half_b, p->half_a, p->half_b, p->half_b};
	float		sums[DIST_FOUR];

#define COMPARE_FOUR(FOUR, ONE, VECTORS) \
	do { \
		k->FOUR(p->a, VECTORS, p->n, sums); \
		for (int i = 0; i < DIST_FOUR; i++) \
			SAME(sums[i], k->ONE(p->a, VECTORS[i], p->n)); \
	} while (0)

	COMPARE_FOUR(dot_f32_x4, dot_f32, floats);
	COMPARE_FOUR(l2sq_f32_x4, l2sq_f32, floats);
	COMPARE_FOUR(l1_f32_x4, l1_f32, floats);
	COMPARE_FOUR(dot_f32f16_x4, dot_f32f16, halves);
	COMPARE_FOUR(l2sq_f32f16_x4, l2sq_f32f16, halves);
	COMPARE_FOUR(l1_f32f16_x4, l1_f32f16, halves);
}

static double
ceiling_of(const char *isa, uint32_t n)
{
	if (strcmp(isa, "scalar") == 0)
		return SCALAR_ULPS;
	if (n <= SHORT_N)
		return SHORT_ULPS;
	return strncmp(isa, "neon", 4) == 0 ? NEON_LONG_ULPS : LONG_ULPS;
}

/* All kinds at one length, every array ending at a fence of its own. */
static void
sweep_kinds(const DistKernels *k, uint32_t n, Random *random, Worst *worst)
{
	Fenced		fences[6];
	float	   *floats[4];
	DistHalf   *halves[2];
	Pair		pair;

	for (int i = 0; i < 6; i++)
		fences[i] = fenced_new(n);
	for (int i = 0; i < 4; i++)
		floats[i] = fences[i].past_last - n;
	for (int i = 0; i < 2; i++)
		halves[i] = (DistHalf *) fences[4 + i].past_last - n;
	pair = (Pair) {floats[0], floats[1], halves[0], halves[1], floats[2], floats[3], n};

	for (int kind = 0; kind < INPUT_NKINDS; kind++)
	{
		input_fill((InputKind) kind, random, floats[0], floats[1], n);
		input_halves(floats[0], halves[0], floats[2], n);
		input_halves(floats[1], halves[1], floats[3], n);
		compare_cases(k, (InputKind) kind, &pair, ceiling_of(k->isa, n), worst);
		compare_orders(k, (InputKind) kind, &pair);
		compare_fours(k, (InputKind) kind, &pair);
	}
	for (int i = 0; i < 6; i++)
		fenced_drop(&fences[i]);
}

static void
kernels_match_reference(void)
{
	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);
		Random		random = {42};
		Worst		worst = {{0}};

		if (k == NULL)
			continue;
		for (int round = 0; round < 4; round++)
		{
			for (uint32_t n = 1; n <= SHORT_N; n++)
				sweep_kinds(k, n, &random, &worst);
		}
		/* long enough for one pass over four rows, with every remainder */
		for (uint32_t n = 352; n <= 384; n++)
			sweep_kinds(k, n, &random, &worst);
		sweep_kinds(k, LONG_N - 1, &random, &worst);
		sweep_kinds(k, LONG_N, &random, &worst);
	}
}

/* Whole numbers leave nothing to round: all tables must agree to the bit. */
static void
exact_sums_are_exact(void)
{
	Random		random = {7};
	float		a[400];
	float		b[400];
	DistHalf	half_a[400];
	DistHalf	half_b[400];
	float		wide_a[400];
	float		wide_b[400];

	for (uint32_t n = 1; n <= 400; n++)
	{
		const Pair	pair = {a, b, half_a, half_b, wide_a, wide_b, n};

		input_fill(INPUT_WHOLE, &random, a, b, n);
		input_halves(a, half_a, wide_a, n);
		input_halves(b, half_b, wide_b, n);
		for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
		{
			const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

			for (int i = 0; k != NULL && i < NCASES; i++)
				CHECK(cases[i].run(k, &pair) == case_reference(&cases[i], &pair).sum,
					  "%s %s n=%u", k->isa, cases[i].name, n);
		}
	}
}

/* Does every case give, with `p`, the bits that it gives with `want`? */
static void
compare_placement(const DistKernels *k, const Pair *p, const Pair *want, uint32_t shift)
{
	for (int i = 0; i < NCASES; i++)
		CHECK(same_bits(cases[i].run(k, p), cases[i].run(k, want)), "%s %s n=%u shift=%u",
			  k->isa, cases[i].name, p->n, shift);
}

/*
 * Every start within a vector register, at both fences: the value may depend
 * on the components only, and no byte outside may be touched.
 */
static void
placement_does_not_matter(void)
{
	Fenced		fence = fenced_new(SHORT_N + 16);
	Fenced		half_fence = fenced_new(SHORT_N + 16);
	Random		random = {11};
	float		a[SHORT_N];
	float		b[SHORT_N];
	float		wide[2][SHORT_N];
	DistHalf	halves[2][SHORT_N];

	for (uint32_t n = 1; n <= SHORT_N; n++)
	{
		const Pair	plain = {a, b, halves[0], halves[1], wide[0], wide[1], n};

		input_fill(INPUT_UNIFORM, &random, a, b, n);
		input_halves(a, halves[0], wide[0], n);
		input_halves(b, halves[1], wide[1], n);
		for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
		{
			const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

			for (uint32_t shift = 0; k != NULL && shift < 32; shift++)
			{
				float	   *moved = shift < 16 ? fence.first + shift :
					fence.past_last - n - (shift - 16);
				DistHalf   *half_moved = shift < 16 ?
					(DistHalf *) half_fence.first + shift :
					(DistHalf *) half_fence.past_last - n - (shift - 16);
				Pair		pair = plain;

				pair.b = moved;
				pair.half_b = half_moved;
				memcpy(moved, b, n * sizeof(float));
				memcpy(half_moved, halves[1], n * sizeof(DistHalf));
				compare_placement(k, &pair, &plain, shift);
				pair = plain;
				pair.a = moved;
				pair.half_a = half_moved;
				memcpy(moved, a, n * sizeof(float));
				memcpy(half_moved, halves[0], n * sizeof(DistHalf));
				compare_placement(k, &pair, &plain, shift);
			}
		}
	}
	fenced_drop(&fence);
	fenced_drop(&half_fence);
}

void
test_kernels(void)
{
	RUN_CASE(kernels_match_reference);
	RUN_CASE(exact_sums_are_exact);
	RUN_CASE(placement_does_not_matter);
}

void
print_accuracy(void)
{
	static const uint32_t lengths[] = {70, 384, 1536, LONG_N};

	printf("| kernel | set | n = 70 | 384 | 1536 | %d |\n|---|---|---|---|---|---|\n",
		   LONG_N);
	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);
		Worst		worst[4] = {{{0}}};

		/* neondot differs from neon in int8 alone, avx512vnni from avx512 */
		if (k == NULL || strcmp(k->isa, "neondot") == 0 || strcmp(k->isa, "avx512vnni") == 0)
			continue;
		for (int length = 0; length < 4; length++)
		{
			Random		random = {42};

			for (int round = 0; round < 20; round++)
				sweep_kinds(k, lengths[length], &random, &worst[length]);
		}
		for (int i = 0; i < NCASES; i++)
			printf("| %s | %s | %.2f | %.2f | %.2f | %.2f |\n", cases[i].name,
				   k->isa, worst[0].ulps[i], worst[1].ulps[i],
				   worst[2].ulps[i], worst[3].ulps[i]);
	}
}
