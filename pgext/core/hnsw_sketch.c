/*
 * hnsw_sketch.c
 *	  Rotation, steps and bounds.
 *
 * Let m be the middle of all vectors, turned, and y the difference of a vector from it,
 * turned as well, of D components. u are its steps. The product of the difference z of a
 * query with y is estimated by that with u, times |y|^2 / (y u). With
 * k = y u / (|y| |u|), which is near 0.99, the error has the deviation
 *		|z| |y| sqrt((1 / k^2 - 1) / (D - 1)),
 * and the product of the query with the vector is z y + m y + m q. L2 needs no more than
 * z y: the square is |z|^2 + |y|^2 - 2 z y, with nothing that cancels where m is long.
 *
 * Differences are kept in units of their largest component, so squares of them are in
 * the range of single precision whatever the vectors are.
 */
#include "hnsw_sketch.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Below, a record is not much longer than what is read of it anyway. */
#define LEAST_DIM 128

#define LEVELS 15
#define MIDDLE 7.5f

/* A step in units of the root of the mean square: the best for normal ones. */
#define STEP 0.335

/* A float of this size has no room behind the point: to add it rounds. */
#define ROUNDER 0x1.8p23f
#define ROUNDER_BITS 0x4B400000

/* Squares of lengths that are this many binary orders beyond the typical one are too
 * long for the middle: a few such vectors would draw it away from all others. */
#define LONGER_BITS 6

/* Passes of the rotation, over either end of the vector in turn. */
#define PASSES 4

bool
hnsw_sketch_serves(const HnswForm *form)
{
	return form->element == HNSW_INT8 && form->metric != DIST_L1 && form->dim >= LEAST_DIM;
}

static inline uint32_t
blocks_of(const HnswForm *form)
{
	return (form->dim + DIST_NIBBLE_BLOCK - 1) / DIST_NIBBLE_BLOCK;
}

size_t
hnsw_sketch_bytes(const HnswForm *form)
{
	return (size_t) blocks_of(form) * (DIST_NIBBLE_BLOCK / 2);
}

size_t
hnsw_sketch_room(const HnswForm *form)
{
	return (size_t) blocks_of(form) * DIST_NIBBLE_BLOCK * (sizeof(float) + 1);
}

/* How often the product counts in a distance. */
static inline double
counts(const HnswForm *form)
{
	return form->metric == DIST_L2 ? 2.0 : 1.0;
}

/* The part of a room behind the floats: a byte for each component. */
static inline void *
bytes_of(const HnswForm *form, void *room)
{
	return (float *) room + (size_t) blocks_of(form) * DIST_NIBBLE_BLOCK;
}

/* Bits that are as good as drawn by lot (the finish of splitmix64). */
static inline uint64_t
lot(uint64_t number)
{
	uint64_t	z = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

typedef float Four __attribute__((vector_size(16), aligned(4)));
typedef int32_t FourWhole __attribute__((vector_size(16), aligned(4)));
typedef int64_t Halves __attribute__((vector_size(16)));

/* Those of the eight components of a and b that have these numbers. */
#if defined(__clang__)
#define PERMUTED(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define PERMUTED(a, b, i, j, k, l) __builtin_shuffle(a, b, (FourWhole) {i, j, k, l})
#endif

static inline Four
load_four(const float *x)
{
	Four		v;

	memcpy(&v, x, sizeof(v));
	return v;
}

static inline void
store_four(float *x, Four v)
{
	memcpy(x, &v, sizeof(v));
}

/* Change signs by lot; n is a multiple of 8. */
static void
flip(float *x, uint32_t n, uint32_t pass)
{
	const FourWhole each = {1, 2, 4, 8};
	uint64_t	bits = 0;

	for (uint32_t i = 0; i < n; i += 4, bits >>= 4)
	{
		FourWhole	chosen;

		if (i % 64 == 0)
			bits = lot((uint64_t) pass << 32 | i);
		chosen = ((int32_t) bits & each) != 0;
		store_four(x + i, (Four) ((FourWhole) load_four(x + i) ^ (chosen & INT32_MIN)));
	}
}

/* The transform of each four components. */
static void
transform_fours(float *x, uint32_t n)
{
	const Four	odd_less = {1.0f, -1.0f, 1.0f, -1.0f};
	const Four	upper_less = {1.0f, 1.0f, -1.0f, -1.0f};

	for (uint32_t i = 0; i < n; i += 4)
	{
		Four		v = load_four(x + i);

		v = v * odd_less + PERMUTED(v, v, 1, 0, 3, 2);
		v = v * upper_less + PERMUTED(v, v, 2, 3, 0, 1);
		store_four(x + i, v);
	}
}

/* Walsh-Hadamard of n components, a power of two of at least 8, of length sqrt(n)
 * times the former. */
static void
transform(float *x, uint32_t n)
{
	transform_fours(x, n);
	for (uint32_t half = 4; half < n; half *= 2)
	{
		for (uint32_t i = 0; i < n; i += 2 * half)
		{
			for (uint32_t j = i; j < i + half; j += 4)
			{
				Four		a = load_four(x + j);
				Four		b = load_four(x + j + half);

				store_four(x + j, a + b);
				store_four(x + j + half, a - b);
			}
		}
	}
}

static void
multiply(float *x, uint32_t n, float factor)
{
	Four		factors = {factor, factor, factor, factor};

	for (uint32_t i = 0; i < n; i += 4)
		store_four(x + i, load_four(x + i) * factors);
}

/* Turn a vector; its length is kept. */
static void
turn(float *x, uint32_t n)
{
	uint32_t	part = 8;
	float		scale;

	while (part * 2 <= n)
		part *= 2;
	scale = (float) (1.0 / sqrt((double) part));
	for (uint32_t pass = 0; pass < PASSES; pass++)
	{
		float	   *from = pass % 2 == 0 ? x : x + (n - part);

		flip(from, part, pass);
		transform(from, part);
		multiply(from, part, scale);
	}
}

/* The vector of a record, turned, and zeros behind to the end of the last block. */
static void
turned(const HnswForm *form, const void *record, float *x)
{
	const HnswFacts *facts = record;
	const int8_t *code = (const int8_t *) record + HNSW_FORM_FACTS_BYTES;
	uint32_t	padded = blocks_of(form) * DIST_NIBBLE_BLOCK;

	for (uint32_t i = 0; i < form->dim; i++)
		x[i] = facts->factor * code[i];
	memset(x + form->dim, 0, (padded - form->dim) * sizeof(float));
	turn(x, form->dim);
}

void
hnsw_sketch_measure(const HnswForm *form, const HnswFacts *facts, HnswSketchLengths *lengths)
{
	float		square = form->metric == DIST_COSINE ? 1.0f : facts->square;
	int			exponent;
	uint32_t	bits;

	/* zero has no length that could be typical, nor has a damaged record */
	if (!(square >= FLT_MIN && square <= FLT_MAX))
		return;
	memcpy(&bits, &square, sizeof(bits));
	exponent = (int) (bits >> 23) - 127;
	lengths->exponents += exponent;
	lengths->count++;
}

/* The square of a length that is LONGER_BITS binary orders beyond the typical one. */
static double
longest(const HnswSketchLengths *lengths)
{
	int64_t		exponent = lengths->count > 0 ? lengths->exponents / lengths->count : 0;
	uint64_t	bits = (uint64_t) (exponent + LONGER_BITS + 1023) << 52;
	double		square;

	memcpy(&square, &bits, sizeof(square));
	return square;
}

bool
hnsw_sketch_add(const HnswForm *form, const void *record, const HnswSketchLengths *lengths,
				double *sums)
{
	const HnswFacts *facts = record;
	const int8_t *code = (const int8_t *) record + HNSW_FORM_FACTS_BYTES;
	double		square = form->kernels->dot_i8(code, code, form->dim);

	/* a damaged record may give anything */
	square *= (double) facts->factor * facts->factor;
	if (!(square <= longest(lengths)))
		return false;
	for (uint32_t i = 0; i < form->dim; i++)
		sums[i] += (double) facts->factor * code[i];
	return true;
}

void
hnsw_sketch_middle(const HnswForm *form, const double *sums, uint32_t count, float *middle)
{
	for (uint32_t i = 0; i < form->dim; i++)
		middle[i] = count > 0 ? (float) (sums[i] / count) : 0.0f;
	turn(middle, form->dim);
}

/* What a vector has beside the middle. */
typedef struct Difference
{
	float		unit;			/* its largest component; 0: it has nothing */
	double		square;			/* of its length, in units */
	double		common;			/* its product with the middle */
	bool		finite;
} Difference;

/* From a turned vector take the middle, and the unit off the rest. */
static Difference
take_middle(const HnswForm *form, const float *middle, float *x)
{
	const DistKernels *kernels = form->kernels;
	uint32_t	n = form->dim;
	Difference	difference = {0.0f, 0.0, 0.0, true};
	float		unit;
	float		square;

	for (uint32_t i = 0; i < n; i++)
		x[i] -= middle[i];
	unit = kernels->maxabs_f32(x, n);
	if (unit < FLT_MIN && kernels->dot_f32(x, x, n) == 0.0f)
		return difference;
	multiply(x, blocks_of(form) * DIST_NIBBLE_BLOCK, 1.0f / unit);
	square = kernels->dot_f32(x, x, n);

	/* the largest of what is no number may be anything */
	difference.finite = square >= 0.5f && isfinite(square);
	if (!difference.finite)
		return difference;
	difference.unit = unit;
	difference.square = square;
	difference.common = (double) unit * kernels->dot_f32(x, middle, n);
	return difference;
}

/* Of the steps of a vector. */
typedef struct StepSums
{
	Four		products;		/* with its components */
	FourWhole	squares;		/* of twice the steps */
} StepSums;

/* The nearest steps of four components as numbers. */
static inline FourWhole
four_numbers(const float *x, float steps, StepSums *sums)
{
	Four		v = load_four(x);
	Four		places = v * steps + MIDDLE + ROUNDER;
	FourWhole	numbers = (FourWhole) places - ROUNDER_BITS;
	FourWhole	above;
	FourWhole	twice;

	numbers &= ~(numbers < 0);
	above = numbers > LEVELS;
	numbers = (numbers & ~above) | (above & LEVELS);
	twice = 2 * numbers - LEVELS;
	sums->products += v * ((Four) (numbers + ROUNDER_BITS) - ROUNDER - MIDDLE);
	sums->squares += twice * twice;
	return numbers;
}

/*
 * The steps of whole blocks as numbers, packed as dist_nibbles.h has them. Returns
 * their product with x and the square of their length, of the first n.
 */
static double
step_numbers(const float *x, uint32_t n, uint32_t blocks, float steps, uint8_t *numbers,
			 double *square)
{
	const uint32_t half = DIST_NIBBLE_BLOCK / 2;
	StepSums	sums = {{0.0f}, {0}};
	int32_t		squares;

	for (uint32_t k = 0; k < blocks; k++, x += DIST_NIBBLE_BLOCK, numbers += half)
	{
		for (uint32_t i = 0; i < half; i += 4)
		{
			FourWhole	low = four_numbers(x + i, steps, &sums);
			FourWhole	both = low | four_numbers(x + i + half, steps, &sums) << 4;

			for (uint32_t j = 0; j < 4; j++)
				numbers[i + j] = (uint8_t) both[j];
		}
	}

	/* a zero behind the vector has half a step, and twice that squared is 1 */
	squares = sums.squares[0] + sums.squares[1] + sums.squares[2] + sums.squares[3];
	squares -= (int32_t) (blocks * DIST_NIBBLE_BLOCK - n);
	*square = squares / 4.0;
	return (double) sums.products[0] + sums.products[1] + sums.products[2] + sums.products[3];
}

float
hnsw_sketch_make(const HnswForm *form, const float *middle, const void *record, void *room,
				 HnswSketchFacts *facts, uint8_t *numbers)
{
	uint32_t	n = form->dim;
	Difference	y;
	float		steps;
	double		product;
	double		length;
	double		lost;

	turned(form, record, room);
	y = take_middle(form, middle, room);
	facts->factor = 0.0f;
	facts->more = (float) (form->metric == DIST_L2 ? y.square * y.unit * y.unit : -y.common);
	if (y.unit == 0.0f)
	{
		/* a damaged record is infinitely far, one that is the middle is there */
		if (!y.finite)
			facts->more = INFINITY;
		memset(numbers, 0, hnsw_sketch_bytes(form));
		return 0.0f;
	}
	steps = (float) (1.0 / (STEP * sqrt(y.square / n)));
	product = step_numbers(room, n, blocks_of(form), steps, numbers, &length);
	facts->factor = (float) (y.square / product * y.unit * counts(form));
	lost = length - product * product / y.square;
	return (float) sqrt((lost > 0 ? lost : 0) / (n - 1));
}

void
hnsw_sketch_query_init(HnswSketchQuery *query, const HnswForm *form, const float *middle,
					   const void *record, void *room)
{
	int8_t	   *code = bytes_of(form, room);
	uint32_t	n = form->dim;
	Difference	z;
	double		common;
	int32_t		sum = 0;

	memset(code, 0, (size_t) blocks_of(form) * DIST_NIBBLE_BLOCK);
	turned(form, record, room);
	z = take_middle(form, middle, room);
	if (z.unit > 0.0f)
		form->kernels->f32_to_i8(room, 127.0f, code, n);
	for (uint32_t i = 0; i < n; i++)
		sum += code[i];
	common = z.common + form->kernels->dot_f32(middle, middle, n);
	query->kernels = form->kernels;
	query->blocks = blocks_of(form);
	query->base = (float) (form->metric == DIST_COSINE ? 1.0 - common :
						   form->metric == DIST_L2 ? z.square * z.unit * z.unit : -common);
	query->scale = z.unit / 127.0f;
	query->middle = MIDDLE * (float) sum;
	query->length = (float) (sqrt(z.square) * z.unit);
	query->code = code;
}

/* Four of them; of what a damaged record makes of one it is no number. */
static inline Four
four_distances(const HnswSketchQuery *query, const HnswSketchFacts *facts,
			   const int32_t *products)
{
	const float *x = (const float *) facts;
	Four		a = load_four(x);
	Four		b = load_four(x + 4);
	Four		factors = PERMUTED(a, b, 0, 2, 4, 6);
	Four		more = PERMUTED(a, b, 1, 3, 5, 7);
	FourWhole	whole;

	memcpy(&whole, products, sizeof(whole));
	return query->base + more -
		query->scale * factors * (__builtin_convertvector(whole, Four) - query->middle);
}

/* The last few, fewer than four, and zeros behind. */
static inline Four
last_distances(const HnswSketchQuery *query, const HnswSketchFacts *facts,
			   const int32_t *products, uint32_t count)
{
	HnswSketchFacts last[4] = {{0.0f, 0.0f}};
	int32_t		last_products[4] = {0};

	memcpy(last, facts, count * sizeof(HnswSketchFacts));
	memcpy(last_products, products, count * sizeof(int32_t));
	return four_distances(query, last, last_products);
}

static inline Four
no_nan(Four v)
{
	const FourWhole endless = {0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000};
	FourWhole	number = v == v;

	return (Four) (((FourWhole) v & number) | (endless & ~number));
}

void
hnsw_sketch_distances(const HnswSketchQuery *query, const HnswSketchFacts *facts,
					  const int32_t *products, uint32_t count, float *out)
{
	Four		last;

	for (; count >= 4; count -= 4, facts += 4, products += 4, out += 4)
		store_four(out, no_nan(four_distances(query, facts, products)));
	last = no_nan(last_distances(query, facts, products, count));
	memcpy(out, &last, count * sizeof(float));
}

static inline bool
any_of(FourWhole mask)
{
	Halves		halves = (Halves) mask;

	return (halves[0] | halves[1]) != 0;
}

/* Most are farther, so eight are looked at together first. */
uint32_t
hnsw_sketch_near(const HnswSketchQuery *query, const HnswSketchFacts *facts,
				 const int32_t *products, uint32_t count, float limit, float *out,
				 uint8_t *near)
{
	uint32_t	found = 0;
	uint32_t	end = 0;

	for (uint32_t i = 0; i < count; i = end)
	{
		end = i + 8;
		if (end <= count)
		{
			Four		a = four_distances(query, facts + i, products + i);
			Four		b = four_distances(query, facts + i + 4, products + i + 4);

			if (!any_of((a <= limit) | (b <= limit)))
				continue;
			store_four(out + i, a);
			store_four(out + i + 4, b);
		}
		else
		{
			end = count;
			hnsw_sketch_distances(query, facts + i, products + i, end - i, out + i);
		}
		for (uint32_t k = i; k < end; k++)
		{
			near[found] = (uint8_t) k;
			found += out[k] <= limit;
		}
	}
	return found;
}
