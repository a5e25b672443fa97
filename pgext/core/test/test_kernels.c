/*
 * test_kernels.c
 *	  Every kernel of every instruction set against long double.
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
#define SHORT_ULPS	3.0
#define LONG_ULPS	6.0

/* Each component may lose half of the smallest denormal to underflow. */
#define UNDERFLOW_ULPS(n) (0.5 * (n))

static const char *const isa_names[] = {"scalar", "avx2"};

#define NISAS ((int) (sizeof(isa_names) / sizeof(isa_names[0])))

typedef enum Kernel
{
	KERNEL_DOT,
	KERNEL_L2SQ,
	KERNEL_L1,
	KERNEL_DOTNORM_DOT,
	KERNEL_DOTNORM_BB,
	KERNEL_COSINE_DOT,
	KERNEL_COSINE_AA,
	KERNEL_COSINE_BB
} Kernel;

#define NKERNELS (KERNEL_COSINE_BB + 1)

static const char *const kernel_names[NKERNELS] = {
	"dot_f32", "l2sq_f32", "l1_f32", "dotnorm_f32 dot", "dotnorm_f32 bb",
	"cosine_f32 dot", "cosine_f32 aa", "cosine_f32 bb"
};

typedef struct Worst
{
	double		ulps[NKERNELS];
} Worst;

static Reference
kernel_reference(Kernel kernel, const float *a, const float *b, uint32_t n)
{
	switch (kernel)
	{
		case KERNEL_L2SQ:
			return reference_l2sq(a, b, n);
		case KERNEL_L1:
			return reference_l1(a, b, n);
		case KERNEL_COSINE_AA:
			return reference_dot(a, a, n);
		case KERNEL_DOTNORM_BB:
		case KERNEL_COSINE_BB:
			return reference_dot(b, b, n);
		default:
			return reference_dot(a, b, n);
	}
}

static void
run_kernels(const DistKernels *k, const float *a, const float *b, uint32_t n,
			float *got)
{
	DistSums	sums = {NAN, NAN, NAN};

	got[KERNEL_DOT] = k->dot_f32(a, b, n);
	got[KERNEL_L2SQ] = k->l2sq_f32(a, b, n);
	got[KERNEL_L1] = k->l1_f32(a, b, n);
	k->dotnorm_f32(a, b, n, &sums);
	got[KERNEL_DOTNORM_DOT] = sums.dot;
	got[KERNEL_DOTNORM_BB] = sums.bb;
	CHECK(isnan(sums.aa), "%s dotnorm_f32 wrote aa", k->isa);
	k->cosine_f32(a, b, n, &sums);
	got[KERNEL_COSINE_DOT] = sums.dot;
	got[KERNEL_COSINE_AA] = sums.aa;
	got[KERNEL_COSINE_BB] = sums.bb;
}

/*
 * Compare one run with the reference. A sum that may pass the largest float on
 * its way need not be finite; when it is, it must be right.
 */
static void
compare_kernels(const DistKernels *k, InputKind kind, const float *a,
				const float *b, uint32_t n, double ceiling, Worst *worst)
{
	float		got[NKERNELS];

	run_kernels(k, a, b, n, got);
	for (int i = 0; i < NKERNELS; i++)
	{
		Reference	want = kernel_reference((Kernel) i, a, b, n);
		double		allowed = ceiling;
		double		error;

		if (!isfinite(got[i]) && want.size > FLT_MAX / 2)
			continue;
		if (want.size < FLT_MIN * 2 * n)
			allowed += UNDERFLOW_ULPS(n);
		error = error_in_ulps(got[i], want.sum, want.size);
		CHECK(error <= allowed, "%s %s %s n=%u: %.9g, want %.9Lg: %.2f ulps",
			  k->isa, kernel_names[i], input_names[kind], n, got[i], want.sum,
			  error);
		if (allowed == ceiling && error > worst->ulps[i])
			worst->ulps[i] = error;
	}
	CHECK(memcmp(&got[KERNEL_DOTNORM_DOT], &got[KERNEL_COSINE_DOT], sizeof(float)) == 0 ||
		  isnan(got[KERNEL_COSINE_DOT]), "%s %s n=%u: dot", k->isa,
		  input_names[kind], n);
	CHECK(memcmp(&got[KERNEL_DOTNORM_BB], &got[KERNEL_COSINE_BB], sizeof(float)) == 0,
		  "%s %s n=%u: bb", k->isa, input_names[kind], n);
}

static double
ceiling_of(const char *isa, uint32_t n)
{
	if (strcmp(isa, "scalar") == 0)
		return SCALAR_ULPS;
	return n <= SHORT_N ? SHORT_ULPS : LONG_ULPS;
}

/* All kinds at one length, arrays ending at the upper fence. */
static void
sweep_kinds(const DistKernels *k, uint32_t n, Random *random, Worst *worst)
{
	Fenced		fa = fenced_new(n);
	Fenced		fb = fenced_new(n);
	float	   *a = fa.past_last - n;
	float	   *b = fb.past_last - n;

	for (int kind = 0; kind < INPUT_NKINDS; kind++)
	{
		input_fill((InputKind) kind, random, a, b, n);
		compare_kernels(k, (InputKind) kind, a, b, n, ceiling_of(k->isa, n), worst);
	}
	fenced_drop(&fa);
	fenced_drop(&fb);
}

static void
kernels_match_reference(void)
{
	for (int isa = 0; isa < NISAS; isa++)
	{
		const DistKernels *k = dist_kernels_isa(isa_names[isa]);
		Random		random = {42};
		Worst		worst = {{0}};

		if (k == NULL)
			continue;
		for (int round = 0; round < 8; round++)
		{
			for (uint32_t n = 1; n <= SHORT_N; n++)
				sweep_kinds(k, n, &random, &worst);
		}
		sweep_kinds(k, 384, &random, &worst);
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

	for (uint32_t n = 1; n <= 400; n++)
	{
		input_fill(INPUT_WHOLE, &random, a, b, n);
		for (int isa = 0; isa < NISAS; isa++)
		{
			const DistKernels *k = dist_kernels_isa(isa_names[isa]);
			float		got[NKERNELS];

			if (k == NULL)
				continue;
			run_kernels(k, a, b, n, got);
			for (int i = 0; i < NKERNELS; i++)
				CHECK(got[i] == kernel_reference((Kernel) i, a, b, n).sum,
					  "%s %s n=%u: %.9g", k->isa, kernel_names[i], n, got[i]);
		}
	}
}

/*
 * Every start within a vector register, at both fences: the value may depend
 * on the components only, and no byte outside may be touched.
 */
static void
placement_does_not_matter(void)
{
	Fenced		fence = fenced_new(SHORT_N + 16);
	Random		random = {11};
	float		a[SHORT_N];
	float		b[SHORT_N];

	for (uint32_t n = 1; n <= SHORT_N; n++)
	{
		input_fill(INPUT_UNIFORM, &random, a, b, n);
		for (int isa = 0; isa < NISAS; isa++)
		{
			const DistKernels *k = dist_kernels_isa(isa_names[isa]);
			float		want[NKERNELS];
			float		got[NKERNELS];

			if (k == NULL)
				continue;
			run_kernels(k, a, b, n, want);
			for (uint32_t shift = 0; shift < 32; shift++)
			{
				float	   *moved = shift < 16 ? fence.first + shift :
					fence.past_last - n - (shift - 16);

				memcpy(moved, b, n * sizeof(float));
				run_kernels(k, a, moved, n, got);
				CHECK(memcmp(got, want, sizeof(got)) == 0, "%s n=%u shift=%u",
					  k->isa, n, shift);
				memcpy(moved, a, n * sizeof(float));
				run_kernels(k, moved, b, n, got);
				CHECK(memcmp(got, want, sizeof(got)) == 0, "%s n=%u shift=%u",
					  k->isa, n, shift);
			}
		}
	}
	fenced_drop(&fence);
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
	for (int isa = 0; isa < NISAS; isa++)
	{
		const DistKernels *k = dist_kernels_isa(isa_names[isa]);
		Worst		worst[4] = {{{0}}};

		if (k == NULL)
			continue;
		for (int length = 0; length < 4; length++)
		{
			Random		random = {42};

			for (int round = 0; round < 20; round++)
				sweep_kinds(k, lengths[length], &random, &worst[length]);
		}
		for (int i = 0; i < NKERNELS; i++)
			printf("| %s | %s | %.2f | %.2f | %.2f | %.2f |\n", kernel_names[i],
				   k->isa, worst[0].ulps[i], worst[1].ulps[i],
				   worst[2].ulps[i], worst[3].ulps[i]);
	}
}
