/*
 * test_sketch.c
 *	  Sketches: products of their numbers are exact, estimates err as far as they
 *	  say and no farther.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "inputs.h"
#include "../hnsw_sketch.h"

#define MAX_BLOCKS 40
#define NVECTORS 150
#define NQUERIES 20

static const DistMetric metrics[] = {DIST_COSINE, DIST_L2, DIST_IP};
static const uint32_t dims[] = {128, 129, 200, 384, 768, 1536};

#define NDIMS (sizeof(dims) / sizeof(dims[0]))

/* Numbers and codes by random, and at the ends of what they may be. */
typedef enum Fill
{
	FILL_RANDOM,
	FILL_LARGEST,
	FILL_LEAST,
	FILL_ENDS
} Fill;

static void
fill_product(Fill fill, Random *random, uint8_t *a, int8_t *b, uint32_t blocks)
{
	uint32_t	n = blocks * DIST_NIBBLE_BLOCK;

	for (uint32_t i = 0; i < n / 2; i++)
		a[i] = fill == FILL_RANDOM ? (uint8_t) random_below(random, 256) : 0xFF;
	input_i8(random, b, n, fill == FILL_ENDS);
	if (fill == FILL_LARGEST || fill == FILL_LEAST)
		memset(b, fill == FILL_LARGEST ? 127 : -127, n);
}

/* Number by number, as dist_nibbles.h says where they are. */
static int32_t
reference_u4i8(const uint8_t *a, const int8_t *b, uint32_t blocks)
{
	const uint32_t half = DIST_NIBBLE_BLOCK / 2;
	int32_t		sum = 0;

	for (uint32_t i = 0; i < blocks * DIST_NIBBLE_BLOCK; i++)
	{
		uint32_t	at = i % DIST_NIBBLE_BLOCK;
		uint8_t		both = a[i / DIST_NIBBLE_BLOCK * half + at % half];

		sum += (at < half ? both % 16 : both / 16) * b[i];
	}
	return sum;
}

/* Four at once: each as by itself. */
static void
compare_four(const DistKernels *k, const uint8_t *a, const int8_t *b, uint32_t blocks,
			 Random *random)
{
	uint8_t		others[3][MAX_BLOCKS * DIST_NIBBLE_BLOCK / 2];
	const uint8_t *four[DIST_FOUR] = {others[0], a, others[1], others[2]};
	int32_t		got[DIST_FOUR];

	for (int v = 0; v < 3; v++)
	{
		for (uint32_t i = 0; i < blocks * DIST_NIBBLE_BLOCK / 2; i++)
			others[v][i] = (uint8_t) random_below(random, 256);
	}
	k->dot_u4i8_x4(four, b, blocks, got);
	for (int i = 0; i < DIST_FOUR; i++)
		CHECK(got[i] == reference_u4i8(four[i], b, blocks), "%s %u blocks, %d of four: %d",
			  k->isa, blocks, i, got[i]);
}

/* Both begin anywhere, and end at fences. */
static void
products_of_nibbles_are_exact(void)
{
	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);
		Random		random = {53};

		for (uint32_t blocks = 1; k != NULL && blocks <= MAX_BLOCKS; blocks++)
		{
			uint32_t	n = blocks * DIST_NIBBLE_BLOCK;
			Fenced		fa = fenced_new(n / 2 / sizeof(float) + 8);
			Fenced		fb = fenced_new(n / sizeof(float) + 8);

			for (uint32_t shift = 0; shift < 32; shift += 1 + blocks % 5)
			{
				uint8_t    *a = (uint8_t *) fa.past_last - n / 2 - shift;
				int8_t	   *b = (int8_t *) fb.past_last - n - (shift * 7) % 32;
				int32_t		want;

				fill_product((Fill) (shift % 4), &random, a, b, blocks);
				want = reference_u4i8(a, b, blocks);
				CHECK(k->dot_u4i8(a, b, blocks) == want, "%s %u blocks, shift %u: %d, want %d",
					  k->isa, blocks, shift, k->dot_u4i8(a, b, blocks), want);
				compare_four(k, a, b, blocks, &random);
			}
			fenced_drop(&fa);
			fenced_drop(&fb);
		}
	}
}

typedef enum SetKind
{
	SET_RANDOM,
	SET_COMMON,					/* most of each is in all of them */
	SET_SPARSE,					/* three components are not zero */
	SET_EQUAL,					/* all are one vector */
	SET_MIDDLE					/* pairs around a vector, and that vector */
} SetKind;

#define SET_NKINDS (SET_MIDDLE + 1)

static const char *const set_names[SET_NKINDS] = {
	"random", "common", "sparse", "equal", "middle"
};

/* Vectors with their sketches, as an image holds them. */
typedef struct Set
{
	SetKind		kind;
	HnswForm	form;
	char	   *records;
	double	   *sums;
	uint32_t	added;			/* to sums */
	float	   *middle;
	void	   *room;
	uint8_t    *sketches;
	HnswSketchFacts facts[NVECTORS];
	float		deviations[NVECTORS];
} Set;

/* Lengths of random and sparse vectors differ, up to three times. */
static void
fill_vector(SetKind kind, uint32_t number, uint32_t dim, float *vector)
{
	Random		own = {number * 7919 + 1};
	Random		pair = {number / 2 * 7919 + 1};
	Random		shared = {3};
	double		size = 1.0 + number % 3;

	memset(vector, 0, dim * sizeof(float));
	if (kind == SET_SPARSE)
	{
		for (int i = 0; i < 3; i++)
			vector[random_below(&own, dim)] = (float) (size * random_signed_unit(&own));
		vector[number % dim] += 1.0f;
		return;
	}
	for (uint32_t i = 0; i < dim; i++)
	{
		double		x = random_signed_unit(&own);
		double		y = random_signed_unit(&pair);
		double		in_all = random_signed_unit(&shared);

		switch (kind)
		{
			case SET_COMMON:
				x = 8.0 * in_all + x;
				size = 1.0;
				break;
			case SET_EQUAL:
				x = in_all;
				size = 1.0;
				break;
			case SET_MIDDLE:
				x = number == NVECTORS - 1 || number == NVECTORS - 2 ? in_all :
					in_all + (number % 2 == 0 ? 0.3 * y : -0.3 * y);
				size = 1.0;
				break;
			default:
				break;
		}
		vector[i] = (float) (size * x);
	}
}

static void *
set_record(const Set *set, uint32_t number)
{
	return set->records + number * hnsw_form_bytes(&set->form);
}

static void
set_encode(const Set *set, uint32_t number, void *record)
{
	float	   *vector = malloc(set->form.dim * sizeof(float));

	fill_vector(set->kind, number, set->form.dim, vector);
	CHECK(hnsw_form_encode(&set->form, vector, record), "vector %u", number);
	free(vector);
}

/* The vectors alone. */
static Set *
set_new(SetKind kind, DistMetric metric, uint32_t dim)
{
	Set		   *set = calloc(1, sizeof(Set));

	set->kind = kind;
	set->form = hnsw_form(metric, HNSW_INT8, dim);
	CHECK(hnsw_sketch_serves(&set->form), "metric %d dim %u", metric, dim);
	set->records = malloc(NVECTORS * hnsw_form_bytes(&set->form));
	set->sums = calloc(dim, sizeof(double));
	set->middle = malloc(dim * sizeof(float));
	set->room = malloc(hnsw_sketch_room(&set->form));
	set->sketches = malloc(NVECTORS * hnsw_sketch_bytes(&set->form));
	for (uint32_t i = 0; i < NVECTORS; i++)
		set_encode(set, i, set_record(set, i));
	return set;
}

static void
set_drop(Set *set)
{
	free(set->records);
	free(set->sums);
	free(set->middle);
	free(set->room);
	free(set->sketches);
	free(set);
}

static uint8_t *
set_sketch(const Set *set, uint32_t number)
{
	return set->sketches + number * hnsw_sketch_bytes(&set->form);
}

static void
set_sketch_all(Set *set)
{
	HnswSketchLengths lengths = {0, 0};

	memset(set->sums, 0, set->form.dim * sizeof(double));
	for (uint32_t i = 0; i < NVECTORS; i++)
		hnsw_sketch_measure(&set->form, set_record(set, i), &lengths);
	set->added = 0;
	for (uint32_t i = 0; i < NVECTORS; i++)
		set->added += hnsw_sketch_add(&set->form, set_record(set, i), &lengths, set->sums);
	hnsw_sketch_middle(&set->form, set->sums, set->added, set->middle);
	for (uint32_t i = 0; i < NVECTORS; i++)
		set->deviations[i] = hnsw_sketch_make(&set->form, set->middle, set_record(set, i),
											  set->room, &set->facts[i], set_sketch(set, i));
}

/* The deviation of an estimate: of the numbers' rounding, and of the query's to
 * codes, each of whose errors meets a step of a vector. */
static double
deviation_of(const Set *set, const HnswSketchQuery *query, uint32_t number)
{
	double		factor = set->facts[number].factor;
	double		of_numbers = set->deviations[number] * factor * query->length;
	double		of_codes = query->scale * factor * 3.0 * sqrt(set->form.dim / 12.0);

	return sqrt(of_numbers * of_numbers + of_codes * of_codes);
}

/* By the definition, and as the core has it. */
static float
estimate_of(const HnswSketchQuery *query, const HnswSketchFacts *facts, const uint8_t *numbers)
{
	int32_t		product = reference_u4i8(numbers, query->code, query->blocks);
	double		taken = (double) query->scale * facts->factor * (product - query->middle);
	double		size = fabs(query->base) + fabs(facts->more) + fabs(taken);
	double		want = (double) query->base + facts->more - taken;
	float		got;

	hnsw_sketch_distances(query, facts, &product, 1, &got);
	CHECK(isfinite(want) ? fabs(got - want) <= 1e-6 * size : got == INFINITY, "%g, not %g",
		  got, want);
	return got;
}

/* All that are no farther than the limit, in order, at every length of a run; what is no
 * number never is. */
static void
the_near_are_found(void)
{
	HnswSketchQuery query = {.base = 1.0f,.scale = 0.25f,.middle = 3.0f};
	Random		random = {29};
	HnswSketchFacts facts[HNSW_SKETCH_RUN];
	int32_t		products[HNSW_SKETCH_RUN];
	float		distances[HNSW_SKETCH_RUN];
	float		out[HNSW_SKETCH_RUN];
	uint8_t		near[HNSW_SKETCH_RUN];

	for (uint32_t count = 0; count <= HNSW_SKETCH_RUN; count++)
	{
		for (uint32_t i = 0; i < count; i++)
		{
			facts[i].factor = i % 50 == 7 ? NAN : 1.0f;
			facts[i].more = (float) random_below(&random, 400);
			products[i] = (int32_t) random_below(&random, 100);
		}
		hnsw_sketch_distances(&query, facts, products, count, distances);
		for (uint32_t share = 0; share <= 120; share += 24)
		{
			float		limit = share == 120 ? FLT_MAX : (float) share;
			uint32_t	found = hnsw_sketch_near(&query, facts, products, count, limit, out, near);
			uint32_t	want = 0;

			for (uint32_t i = 0; i < count; i++)
			{
				if (!(distances[i] <= limit))
					continue;
				CHECK(want < found && near[want] == i && out[i] == distances[i], "%u of %u", i,
					  count);
				want++;
			}
			CHECK(found == want, "%u of %u, not %u", found, count, want);
		}
	}
}

/* What single precision may do to a distance, and to an estimate. */
static double
single_of(const Set *set, const HnswFacts *a, const HnswFacts *b)
{
	switch (set->form.metric)
	{
		case DIST_COSINE:
			return 2e-6;
		case DIST_L2:
			return 2e-6 * ((double) a->square + b->square);
		default:
			return 2e-6 * sqrt((double) a->square * b->square);
	}
}

/* Returns the square of the error in all, beside that of what the deviations say. */
static double
square_error(Set *set, bool hold)
{
	void	   *record = malloc(hnsw_form_bytes(&set->form));
	void	   *room = malloc(hnsw_sketch_room(&set->form));
	double		square = 0;
	double		expected = 0;

	for (uint32_t q = 0; q < NQUERIES; q++)
	{
		HnswSketchQuery query;

		set_encode(set, NVECTORS + q, record);
		hnsw_sketch_query_init(&query, &set->form, set->middle, record, room);
		for (uint32_t i = 0; i < NVECTORS; i++)
		{
			const void *other = set_record(set, i);
			float		dist;
			double		estimate = estimate_of(&query, &set->facts[i], set_sketch(set, i));
			double		deviation = deviation_of(set, &query, i);

			hnsw_form_distances(&set->form, record, &other, 1, &dist);
			CHECK(!hold || fabs(estimate - dist) <= 6 * deviation + single_of(set, record, other),
				  "%s metric %d dim %u: %g, not %g, deviation %g", set_names[set->kind],
				  set->form.metric, set->form.dim, estimate, dist, deviation);
			CHECK(isfinite(estimate), "%s metric %d dim %u: %g", set_names[set->kind],
				  set->form.metric, set->form.dim, estimate);
			square += (estimate - dist) * (estimate - dist);
			expected += deviation * deviation;
		}
	}
	free(record);
	free(room);
	return square / expected;
}

static void
estimates_err_as_they_say(void)
{
	for (size_t d = 0; d < NDIMS; d++)
	{
		for (int m = 0; m < 3; m++)
		{
			for (int kind = 0; kind < SET_NKINDS; kind++)
			{
				Set		   *set = set_new((SetKind) kind, metrics[m], dims[d]);
				double		share;

				set_sketch_all(set);
				share = square_error(set, true);
				CHECK((kind != SET_RANDOM && kind != SET_COMMON) ||
					  (share > 2.0 / 3 && share < 4.0 / 3),
					  "%s metric %d dim %u: %g of the square", set_names[kind], metrics[m],
					  dims[d], share);
				set_drop(set);
			}
		}
	}
}

/* The best sixteen steps for normal components leave 0.0115 of their square, that is
 * 0.107 of a length. L2 has the product twice, and codes of the query lose as well. */
static void
estimates_are_of_use(void)
{
	for (size_t d = 0; d < NDIMS; d++)
	{
		Set		   *set = set_new(SET_COMMON, DIST_L2, dims[d]);

		set_sketch_all(set);
		for (uint32_t i = 0; i < NVECTORS; i++)
		{
			HnswSketchQuery query;
			double		deviation;

			hnsw_sketch_query_init(&query, &set->form, set->middle, set_record(set, i),
								   set->room);
			deviation = deviation_of(set, &query, i) / query.length / query.length;
			CHECK(deviation < 0.4 / sqrt(dims[d]), "dim %u: %g", dims[d], deviation);
		}
		set_drop(set);
	}
}

/* Sketches follow from records alone. */
static void
same_sketches_twice(void)
{
	for (size_t d = 0; d < NDIMS; d++)
	{
		Set		   *a = set_new(SET_RANDOM, DIST_IP, dims[d]);
		Set		   *b = set_new(SET_RANDOM, DIST_IP, dims[d]);
		size_t		bytes = hnsw_sketch_bytes(&a->form);

		memset(a->room, 0x5A, hnsw_sketch_room(&a->form));
		memset(b->room, 0xFF, hnsw_sketch_room(&b->form));
		set_sketch_all(a);
		set_sketch_all(b);
		CHECK(memcmp(a->middle, b->middle, dims[d] * sizeof(float)) == 0, "dim %u", dims[d]);
		CHECK(memcmp(a->sketches, b->sketches, NVECTORS * bytes) == 0, "dim %u", dims[d]);
		CHECK(memcmp(a->facts, b->facts, sizeof(a->facts)) == 0, "dim %u", dims[d]);
		set_drop(a);
		set_drop(b);
	}
}

/* The middle of one vector is that vector, turned. */
static void
turned(const HnswForm *form, const double *vector, float *out)
{
	hnsw_sketch_middle(form, vector, 1, out);
}

static double
product_of(const double *a, const double *b, uint32_t n)
{
	double		sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void
rotation_keeps_products(void)
{
	static const uint32_t odd_dims[] = {128, 129, 130, 131, 200, 255, 256, 384, 1000, 16000};

	for (size_t d = 0; d < sizeof(odd_dims) / sizeof(odd_dims[0]); d++)
	{
		uint32_t	n = odd_dims[d];
		HnswForm	form = hnsw_form(DIST_L2, HNSW_INT8, n);
		double	   *vectors = malloc(4 * n * sizeof(double));
		float	   *out = malloc(n * sizeof(float));
		Random		random = {n};

		for (uint32_t i = 0; i < 2 * n; i++)
			vectors[i] = random_signed_unit(&random);
		for (int v = 0; v < 2; v++)
		{
			turned(&form, vectors + v * n, out);
			for (uint32_t i = 0; i < n; i++)
				vectors[(2 + v) * n + i] = out[i];
		}
		for (int v = 0; v < 3; v++)
		{
			double		before = product_of(vectors + v / 2 * n, vectors + (v + 1) / 2 * n, n);
			double		after = product_of(vectors + (2 + v / 2) * n,
										   vectors + (2 + (v + 1) / 2) * n, n);

			CHECK(fabs(after - before) < 1e-5 * n, "dim %u: %g, was %g", n, after, before);
		}
		free(vectors);
		free(out);
	}
}

/* What was one component is about as much of all. */
static void
rotation_spreads(void)
{
	for (size_t d = 0; d < NDIMS; d++)
	{
		uint32_t	n = dims[d];
		HnswForm	form = hnsw_form(DIST_L2, HNSW_INT8, n);
		double	   *vector = calloc(n, sizeof(double));
		float	   *out = malloc(n * sizeof(float));

		for (uint32_t i = 0; i < n; i += 1 + n / 200)
		{
			vector[i] = sqrt(n);
			turned(&form, vector, out);
			CHECK(form.kernels->maxabs_f32(out, n) < 6.5f, "dim %u: component %u: %g", n, i,
				  form.kernels->maxabs_f32(out, n));
			vector[i] = 0.0;
		}
		free(vector);
		free(out);
	}
}

/* Records that say nothing are infinitely far, and do the others no harm. */
static void
damage_does_not_spread(void)
{
	for (int m = 0; m < 3; m++)
	{
		Set		   *set = set_new(SET_COMMON, metrics[m], 384);
		HnswSketchQuery query;

		((HnswFacts *) set_record(set, 7))->factor = NAN;
		((HnswFacts *) set_record(set, 8))->factor = INFINITY;
		((HnswFacts *) set_record(set, 9))->factor = -INFINITY;
		set_sketch_all(set);
		hnsw_sketch_query_init(&query, &set->form, set->middle, set_record(set, 0), set->room);
		for (uint32_t i = 0; i < NVECTORS; i++)
		{
			const void *other = set_record(set, i);
			float		estimate = estimate_of(&query, &set->facts[i], set_sketch(set, i));
			float		dist;

			if (i >= 7 && i <= 9)
			{
				CHECK(estimate == INFINITY, "metric %d record %u: %g", metrics[m], i, estimate);
				CHECK(set->deviations[i] == 0.0f, "%g", set->deviations[i]);
				continue;
			}
			hnsw_form_distances(&set->form, set_record(set, 0), &other, 1, &dist);
			CHECK(fabs(estimate - dist) <= 6 * deviation_of(set, &query, i) +
				  single_of(set, set_record(set, 0), other),
				  "metric %d record %u: %g, not %g", metrics[m], i, estimate, dist);
		}
		set_drop(set);
	}
}

/* A few that are far longer than all others, of which some are zero, do not draw the
 * middle away. */
static void
long_ones_do_not_matter(void)
{
	for (int m = 1; m < 3; m++)
	{
		Set		   *plain = set_new(SET_COMMON, metrics[m], 200);
		Set		   *set = set_new(SET_COMMON, metrics[m], 200);
		double		distance = 0;

		for (uint32_t i = 0; i < 9; i++)
		{
			HnswFacts  *facts = set_record(set, i);
			float		scale = i < 6 ? 0x1p20f : 0.0f;

			facts->factor *= scale;
			facts->square *= scale * scale;
		}
		set_sketch_all(plain);
		set_sketch_all(set);
		CHECK(plain->added == NVECTORS && set->added == NVECTORS - 6, "%u and %u", plain->added,
			  set->added);
		for (uint32_t i = 0; i < 200; i++)
			distance += fabs(set->middle[i] - plain->middle[i]);
		CHECK(distance < 0.1 * 200, "%g", distance / 200);
		CHECK(set->deviations[20] * set->facts[20].factor <
			  2 * plain->deviations[20] * plain->facts[20].factor, "%g, was %g",
			  set->facts[20].factor, plain->facts[20].factor);
		set_drop(plain);
		set_drop(set);
	}
}

/* The same vectors in other units have the same sketches; of zeros nothing is said. */
static void
sizes_do_not_matter(void)
{
	static const float scales[] = {0x1p-55f, 0x1p-30f, 0x1p30f, 0x1p55f};

	for (size_t s = 0; s < sizeof(scales) / sizeof(scales[0]); s++)
	{
		Set		   *plain = set_new(SET_RANDOM, DIST_IP, 200);
		Set		   *set = set_new(SET_RANDOM, DIST_IP, 200);

		for (uint32_t i = 0; i < NVECTORS; i++)
		{
			((HnswFacts *) set_record(set, i))->factor *= scales[s];
			((HnswFacts *) set_record(set, i))->square *= scales[s] * scales[s];
		}
		set_sketch_all(plain);
		set_sketch_all(set);
		CHECK(memcmp(plain->sketches, set->sketches,
					 NVECTORS * hnsw_sketch_bytes(&set->form)) == 0, "scale %g", scales[s]);
		for (uint32_t i = 0; i < NVECTORS; i++)
			CHECK(set->facts[i].factor == plain->facts[i].factor * scales[s], "scale %g: %g",
				  scales[s], set->facts[i].factor);
		set_drop(plain);
		set_drop(set);
	}
	for (int m = 1; m < 3; m++)
	{
		Set		   *set = set_new(SET_RANDOM, metrics[m], 129);

		for (uint32_t i = 0; i < NVECTORS; i++)
			memset(set_record(set, i), 0, hnsw_form_bytes(&set->form));
		set_sketch_all(set);
		for (uint32_t i = 0; i < NVECTORS; i++)
			CHECK(set->facts[i].factor == 0.0f && set->facts[i].more == 0.0f, "zero %u", i);
		set_drop(set);
	}
}

void
test_sketch(void)
{
	RUN_CASE(products_of_nibbles_are_exact);
	RUN_CASE(the_near_are_found);
	RUN_CASE(estimates_err_as_they_say);
	RUN_CASE(estimates_are_of_use);
	RUN_CASE(same_sketches_twice);
	RUN_CASE(rotation_keeps_products);
	RUN_CASE(rotation_spreads);
	RUN_CASE(damage_does_not_spread);
	RUN_CASE(long_ones_do_not_matter);
	RUN_CASE(sizes_do_not_matter);
}
