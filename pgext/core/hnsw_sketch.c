/*
 * hnsw_sketch.c
 *	  Rotation, steps and bounds.
 *
 * Let m be the middle of all vectors, turned, and y the difference of a vector from it,
 * turned as well, of D components. u are its steps. The product of the difference z of a
 * query with y is estimated by that with u, times |y|^2 / (y u). With
 * k = y u / (|y| |u|), which is near 0.99, the error has the deviation
 *		|z| |y| sqrt((1 / k^2 - 1) / (D - 1)),
 * and the product of the query with the vector is z y + m y + m q, the square of their
 * distance |z|^2 + |y|^2 - 2 z y.
 */
#include "hnsw_sketch.h"

#include <math.h>
#include <string.h>

/* Below, a record is not much longer than what is read of it anyway. */
#define LEAST_DIM 128

#define LEVELS 15
#define MIDDLE 7.5f

/* A step in units of the root of the mean square: the best for normal ones. */
#define STEP 0.335

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
typedef uint32_t FourBits __attribute__((vector_size(16), aligned(4)));

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
	const FourBits each = {1, 2, 4, 8};
	const FourBits sign = {0x80000000, 0x80000000, 0x80000000, 0x80000000};
	uint64_t	bits = 0;

	for (uint32_t i = 0; i < n; i += 4, bits >>= 4)
	{
		FourBits	drawn;
		FourBits	v;

		if (i % 64 == 0)
			bits = lot((uint64_t) pass << 32 | i);
		drawn = (FourBits) {(uint32_t) bits, (uint32_t) bits, (uint32_t) bits, (uint32_t) bits};
		memcpy(&v, x + i, sizeof(v));
		v ^= (FourBits) ((drawn & each) != 0) & sign;
		memcpy(x + i, &v, sizeof(v));
	}
}

/* Walsh-Hadamard of n components, a power of two of at least 8, of length sqrt(n)
 * times the former. */
static void
transform(float *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 4)
	{
		float		a = x[i] + x[i + 1];
		float		b = x[i] - x[i + 1];
		float		c = x[i + 2] + x[i + 3];
		float		d = x[i + 2] - x[i + 3];

		x[i] = a + c;
		x[i + 1] = b + d;
		x[i + 2] = a - c;
		x[i + 3] = b - d;
	}
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

static void
turned(const HnswForm *form, const void *record, float *x)
{
	const HnswFacts *facts = record;
	const int8_t *code = (const int8_t *) record + HNSW_FORM_FACTS_BYTES;

	for (uint32_t i = 0; i < form->dim; i++)
		x[i] = facts->factor * code[i];
	turn(x, form->dim);
}

void
hnsw_sketch_add(const HnswForm *form, const void *record, double *sums)
{
	const HnswFacts *facts = record;
	const int8_t *code = (const int8_t *) record + HNSW_FORM_FACTS_BYTES;

	/* a damaged record may give anything */
	if (!isfinite(facts->factor))
		return;
	for (uint32_t i = 0; i < form->dim; i++)
		sums[i] += (double) facts->factor * code[i];
}

void
hnsw_sketch_middle(const HnswForm *form, const double *sums, uint32_t count, float *middle)
{
	for (uint32_t i = 0; i < form->dim; i++)
		middle[i] = count > 0 ? (float) (sums[i] / count) : 0.0f;
	turn(middle, form->dim);
}

/* The steps of x as numbers of a byte each; returns the product with x, and the square
 * of the steps' length. */
static double
step_numbers(const float *x, uint32_t n, float steps, uint8_t *numbers, double *square)
{
	double		product = 0;
	double		length = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		float		place = x[i] * steps + MIDDLE + 0.5f;
		float		within = place < 0.0f ? 0.0f : place > LEVELS ? LEVELS : place;
		int			number = (int) within;
		float		step = (float) number - MIDDLE;

		numbers[i] = (uint8_t) number;
		product += step * x[i];
		length += step * step;
	}
	*square = length;
	return product;
}

/* As dist_nibbles.h has them. */
static void
pack(const uint8_t *bytes, uint32_t blocks, uint8_t *numbers)
{
	const uint32_t half = DIST_NIBBLE_BLOCK / 2;

	for (uint32_t k = 0; k < blocks; k++, bytes += DIST_NIBBLE_BLOCK, numbers += half)
	{
		for (uint32_t i = 0; i < half; i++)
			numbers[i] = (uint8_t) (bytes[i] | bytes[i + half] << 4);
	}
}

float
hnsw_sketch_make(const HnswForm *form, const float *middle, const void *record, void *room,
				 HnswSketchFacts *facts, uint8_t *numbers)
{
	float	   *x = room;
	uint8_t    *bytes = bytes_of(form, room);
	uint32_t	n = form->dim;
	double		square = 0;
	double		common = 0;
	double		product;
	double		length;
	double		lost;

	memset(numbers, 0, hnsw_sketch_bytes(form));
	memset(bytes, 0, (size_t) blocks_of(form) * DIST_NIBBLE_BLOCK);
	turned(form, record, x);
	for (uint32_t i = 0; i < n; i++)
	{
		x[i] -= middle[i];
		square += x[i] * x[i];
		common += x[i] * middle[i];
	}
	facts->factor = 0.0f;
	facts->more = (float) (form->metric == DIST_L2 ? square : -common);

	/* the middle itself, or a damaged record */
	if (!(square > 0) || !isfinite(square))
		return 0.0f;
	product = step_numbers(x, n, (float) (1.0 / (STEP * sqrt(square / n))), bytes, &length);
	pack(bytes, blocks_of(form), numbers);
	facts->factor = (float) (square / product * counts(form));
	lost = length - product * product / square;
	return (float) sqrt((lost > 0 ? lost : 0) / (n - 1));
}

void
hnsw_sketch_query_init(HnswSketchQuery *query, const HnswForm *form, const float *middle,
					   const void *record, void *room)
{
	float	   *x = room;
	int8_t	   *code = bytes_of(form, room);
	uint32_t	n = form->dim;
	double		square = 0;
	double		common = 0;
	int32_t		sum = 0;
	float		largest;

	memset(code, 0, (size_t) blocks_of(form) * DIST_NIBBLE_BLOCK);
	turned(form, record, x);
	for (uint32_t i = 0; i < n; i++)
	{
		common += x[i] * middle[i];
		x[i] -= middle[i];
		square += x[i] * x[i];
	}
	largest = form->kernels->maxabs_f32(x, n);
	if (largest > 0.0f)
		form->kernels->f32_to_i8(x, 127.0f / largest, code, n);
	for (uint32_t i = 0; i < n; i++)
		sum += code[i];
	query->kernels = form->kernels;
	query->blocks = blocks_of(form);
	query->base = (float) (form->metric == DIST_COSINE ? 1.0 - common :
						   form->metric == DIST_L2 ? square : -common);
	query->scale = largest / 127.0f;
	query->middle = MIDDLE * (float) sum;
	query->length = (float) sqrt(square);
	query->code = code;
}
