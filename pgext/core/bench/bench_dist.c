/*
 * bench_dist.c
 *	  What one product of each kernel costs, and what memory allows.
 *
 * A query, resident in L1, meets the vectors of an array, one after the other
 * or in a random order, as the walk of a graph does; the size of the array
 * decides where they come from: L1, L2 or memory. Bytes are those of the
 * vectors, not of the query. Beside every kernel stands a plain read of the
 * same bytes in the same order, so that a kernel waiting for memory is seen as
 * such.
 *
 * Time is this process's processor time: a neighbour on the same core does not
 * count, one on the same memory does. Samples of all kernels alternate, so that
 * a noisy moment hits all alike, and the median is shown.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../dist_code.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SAMPLES		7
#define SAMPLE_BYTES ((size_t) 32 << 20)	/* read per sample, at least */

/* Vectors start 8 bytes past a cache line, as after the header of an svec. */
#define SVEC_OFFSET	8

/* The elements of the rows: how many bytes each. */
typedef enum Element
{
	ELEMENT_F32,
	ELEMENT_F16,
	ELEMENT_I8,
	ELEMENT_U4
} Element;

/* Of dims, which fill blocks. */
static size_t
row_bytes(Element element, uint32_t dim)
{
	static const size_t half_bytes[] = {2 * sizeof(float), 2 * sizeof(DistHalf), 2, 1};

	return dim * half_bytes[element] / 2;
}

/* A query and the vectors that it meets. */
typedef struct Work
{
	const DistKernels *kernels;
	DistQuery	cosine;			/* the same query, prepared */
	DistQuery	ip;				/* for many */
	DistCodeQuery code;			/* and as a code */
	const float *query;
	const int8_t *query_code;
	const char *rows;
	const uint32_t *order;		/* of the vectors, the i-th to meet at i */
	size_t		nrows;
	uint32_t	dim;
	Element		element;
} Work;

typedef double (*RowFn) (const Work *w);

#define ROW(i) ((size_t) w->order[i] * w->dim)
#define F32(i) ((const float *) w->rows + ROW(i))
#define F16(i) ((const DistHalf *) w->rows + ROW(i))
#define I8(i) ((const int8_t *) w->rows + ROW(i))
#define U4(i) ((const uint8_t *) w->rows + ROW(i) / 2)

#define DEFINE_ROW(NAME, TERM) \
static double \
NAME(const Work *w) \
{ \
	double		total = 0.0; \
\
	for (size_t i = 0; i < w->nrows; i++) \
	{ \
		DistSums	sums; \
\
		(void) sums; \
		total += TERM; \
	} \
	return total; \
}

DEFINE_ROW(row_dot_f32, w->kernels->dot_f32(w->query, F32(i), w->dim))
DEFINE_ROW(row_l2sq_f32, w->kernels->l2sq_f32(w->query, F32(i), w->dim))
DEFINE_ROW(row_l1_f32, w->kernels->l1_f32(w->query, F32(i), w->dim))
DEFINE_ROW(row_dotnorm_f32, (w->kernels->dotnorm_f32(w->query, F32(i), w->dim, &sums), sums.dot + sums.bb))
DEFINE_ROW(row_query_f32, dist_query_f32(&w->cosine, F32(i)))
DEFINE_ROW(row_dot_f16, w->kernels->dot_f32f16(w->query, F16(i), w->dim))
DEFINE_ROW(row_l2sq_f16, w->kernels->l2sq_f32f16(w->query, F16(i), w->dim))
DEFINE_ROW(row_l1_f16, w->kernels->l1_f32f16(w->query, F16(i), w->dim))
DEFINE_ROW(row_dotnorm_f16, (w->kernels->dotnorm_f32f16(w->query, F16(i), w->dim, &sums), sums.dot + sums.bb))
DEFINE_ROW(row_query_f16, dist_query_f16(&w->cosine, F16(i)))
DEFINE_ROW(row_dot_i8, w->kernels->dot_i8(w->query_code, I8(i), w->dim))
DEFINE_ROW(row_l1_i8, w->kernels->l1_i8(w->query_code, 0.01f, I8(i), 0.02f, w->dim))
DEFINE_ROW(row_dot_u4, w->kernels->dot_u4i8(U4(i), w->query_code, w->dim / DIST_NIBBLE_BLOCK))
DEFINE_ROW(row_query_i8, dist_code(&w->code, ((DistCode) {I8(i), 0.01f, 1})))

/* Four at a time; a remainder is left out of the count by bench_line. */
#define DEFINE_FOUR(NAME, TYPE, AT, SUM, CALL) \
static double \
NAME(const Work *w) \
{ \
	double		total = 0.0; \
\
	for (size_t i = 0; i + DIST_FOUR <= w->nrows; i += DIST_FOUR) \
	{ \
		const TYPE *const v[DIST_FOUR] = {AT(i), AT(i + 1), AT(i + 2), AT(i + 3)}; \
		SUM			sums[DIST_FOUR]; \
\
		w->kernels->CALL(v, w->dim, sums); \
		total += (double) sums[0] + sums[1] + sums[2] + sums[3]; \
	} \
	return total; \
}

#define FOUR_F32(v, n, sums) dot_f32_x4(w->query, v, n, sums)
#define FOUR_F16(v, n, sums) dot_f32f16_x4(w->query, v, n, sums)
#define FOUR_I8(v, n, sums) dot_i8_x4(w->query_code, v, n, sums)

DEFINE_FOUR(row_four_f32, float, F32, float, FOUR_F32)
DEFINE_FOUR(row_four_f16, DistHalf, F16, float, FOUR_F16)
DEFINE_FOUR(row_four_i8, int8_t, I8, int32_t, FOUR_I8)

/* Lists as long as a node's in a graph, the next four rows fetched ahead. */
#define LIST 32

#define DEFINE_MANY(NAME, TYPE, AT, CALL) \
static double \
NAME(const Work *w) \
{ \
	double		total = 0.0; \
\
	for (size_t i = 0; i < w->nrows; i += LIST) \
	{ \
		uint32_t	count = (uint32_t) (w->nrows - i < LIST ? w->nrows - i : LIST); \
		TYPE		list[LIST]; \
		double		distances[LIST]; \
\
		for (uint32_t j = 0; j < count; j++) \
			list[j] = AT(i + j); \
		CALL; \
		total += distances[0]; \
	} \
	return total; \
}

#define CODE(i) ((DistCode) {I8(i), 0.01f, 1})

DEFINE_MANY(row_many_f32, const float *, F32, dist_query_f32_many(&w->ip, list, NULL, count, distances))
DEFINE_MANY(row_many_f16, const DistHalf *, F16, dist_query_f16_many(&w->ip, list, NULL, count, distances))
DEFINE_MANY(row_many_i8, DistCode, CODE, dist_code_many(&w->code, list, count, distances))

/* The bound: the same bytes, one load each. */
#if defined(__x86_64__)
__attribute__((target("avx2")))
static double
read_avx2(const Work *w, size_t row_floats)
{
	__m256		s0 = _mm256_setzero_ps();
	__m256		s1 = s0;
	__m256		s2 = s0;
	__m256		s3 = s0;

	for (size_t i = 0; i < w->nrows; i++)
	{
		const float *row = (const float *) w->rows + w->order[i] * row_floats;

		size_t		at = 0;

		for (; at + 32 <= row_floats; at += 32)
		{
			s0 = _mm256_or_ps(s0, _mm256_loadu_ps(row + at));
			s1 = _mm256_or_ps(s1, _mm256_loadu_ps(row + at + 8));
			s2 = _mm256_or_ps(s2, _mm256_loadu_ps(row + at + 16));
			s3 = _mm256_or_ps(s3, _mm256_loadu_ps(row + at + 24));
		}
		if (at + 16 <= row_floats)
		{
			s0 = _mm256_or_ps(s0, _mm256_loadu_ps(row + at));
			s1 = _mm256_or_ps(s1, _mm256_loadu_ps(row + at + 8));
		}
	}
	s0 = _mm256_or_ps(_mm256_or_ps(s0, s1), _mm256_or_ps(s2, s3));
	return _mm256_cvtss_f32(s0);
}
#endif

static double
row_read(const Work *w)
{
	size_t		bytes = row_bytes(w->element, w->dim);
	uint64_t	bits = 0;

#if defined(__x86_64__)
	if (strncmp(w->kernels->isa, "avx", 3) == 0)
		return read_avx2(w, bytes / sizeof(float));
#endif
	for (size_t i = 0; i < w->nrows; i++)
	{
		for (size_t at = 0; at + sizeof(uint64_t[2]) <= bytes; at += sizeof(uint64_t[2]))
		{
			uint64_t	words[2];

			memcpy(words, w->rows + w->order[i] * bytes + at, sizeof(words));
			bits |= words[0] | words[1];
		}
	}
	return (double) bits;
}

static const char *const column_names[] = {
	"dot", "x4", "many", "l2sq", "l1", "dotnorm", "query", "read"
};

#define NCOLUMNS ((int) (sizeof(column_names) / sizeof(column_names[0])))

/* By element; NULL where there is no such kernel. */
static const RowFn columns[][NCOLUMNS] = {
	{row_dot_f32, row_four_f32, row_many_f32, row_l2sq_f32, row_l1_f32, row_dotnorm_f32, row_query_f32, row_read},
	{row_dot_f16, row_four_f16, row_many_f16, row_l2sq_f16, row_l1_f16, row_dotnorm_f16, row_query_f16, row_read},
	{row_dot_i8, row_four_i8, row_many_i8, NULL, row_l1_i8, NULL, row_query_i8, row_read},
	{row_dot_u4, NULL, NULL, NULL, NULL, NULL, NULL, row_read}
};

static const char *const element_names[] = {"f32", "f16", "int8", "u4"};

typedef struct Place
{
	const char *name;
	size_t		bytes;
	bool		random;			/* in which order its vectors are met */
} Place;

static const Place places[] = {
	{"L1", (size_t) 24 << 10, false},
	{"L2", (size_t) 256 << 10, false},
	{"L2 random", (size_t) 256 << 10, true},
	{"memory", (size_t) 128 << 20, false},
	{"mem. random", (size_t) 128 << 20, true}
};

#define NPLACES ((int) (sizeof(places) / sizeof(places[0])))

static const uint32_t dims[] = {128, 384, 768, 1536};

#define NDIMS (sizeof(dims) / sizeof(dims[0]))

static volatile double sink;

static double
cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static int
compare_doubles(const void *left, const void *right)
{
	double		a = *(const double *) left;
	double		b = *(const double *) right;

	return (a > b) - (a < b);
}

/* Nanoseconds per product of one sample. */
static double
sample(RowFn function, const Work *w)
{
	size_t		read = w->nrows * row_bytes(w->element, w->dim);
	size_t		passes = SAMPLE_BYTES / read + 1;
	double		total = 0.0;
	double		start;
	double		elapsed;

	if (read < SAMPLE_BYTES)
		total += function(w);	/* fill the cache */
	start = cpu_ns();
	for (size_t pass = 0; pass < passes; pass++)
		total += function(w);
	elapsed = cpu_ns() - start;
	sink = total;
	return elapsed / (double) (passes * w->nrows);
}

/* 0 to n - 1, shuffled with a fixed seed if so asked. */
static uint32_t *
new_order(size_t n, bool random)
{
	uint32_t   *order = malloc(n * sizeof(*order));
	uint64_t	state = 42;

	if (order == NULL)
	{
		fprintf(stderr, "could not get room for the order of %zu vectors\n", n);
		exit(1);
	}
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t) i;
	for (size_t i = n; random && i > 1; i--)
	{
		uint32_t	last = order[i - 1];
		size_t		other;

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		other = (state >> 33) % i;
		order[i - 1] = order[other];
		order[other] = last;
	}
	return order;
}

static void
bench_line(Work *work, const Place *place)
{
	double		ns[NCOLUMNS][SAMPLES];
	size_t		bytes = row_bytes(work->element, work->dim);
	uint32_t   *order;

	work->nrows = place->bytes / bytes / DIST_FOUR * DIST_FOUR;
	work->order = order = new_order(work->nrows, place->random);
	for (int i = 0; i < SAMPLES; i++)
	{
		for (int c = 0; c < NCOLUMNS; c++)
		{
			if (columns[work->element][c] != NULL)
				ns[c][i] = sample(columns[work->element][c], work);
		}
	}
	printf("%-10s %-4s %-11s %5u ", work->kernels->isa, element_names[work->element],
		   place->name, work->dim);
	for (int c = 0; c < NCOLUMNS; c++)
	{
		double		median;

		if (columns[work->element][c] == NULL)
		{
			printf(" %7s %5s", "-", "-");
			continue;
		}
		qsort(ns[c], SAMPLES, sizeof(double), compare_doubles);
		median = ns[c][SAMPLES / 2];
		printf(" %7.1f %5.1f", median, (double) bytes / median);
	}
	printf("\n");
	fflush(stdout);
	free(order);
}

/* All elements, places and dimensions by one instruction set. */
static void
bench_isa(const DistKernels *k, const float *query, const char *const *rows)
{
	static int8_t room[1536];

	for (int element = ELEMENT_F32; element <= ELEMENT_U4; element++)
	{
		for (int place = 0; place < NPLACES; place++)
		{
			for (size_t d = 0; d < NDIMS; d++)
			{
				Work		work = {
					.kernels = k, .query = query, .query_code = room,
					.rows = rows[element], .dim = dims[d], .element = (Element) element
				};

				dist_query_init_by(&work.cosine, k, DIST_COSINE, query, dims[d]);
				dist_query_init_by(&work.ip, k, DIST_IP, query, dims[d]);
				dist_code_query_init_by(&work.code, k, DIST_COSINE,
										dist_code_f32(query, dims[d], room), dims[d]);
				bench_line(&work, &places[place]);
			}
		}
	}
}

/* Room for the bytes of the largest place, SVEC_OFFSET past a cache line. */
static char *
new_rows(size_t bytes)
{
	char	   *rows = aligned_alloc(64, bytes + 64);

	if (rows == NULL)
	{
		fprintf(stderr, "could not get %zu bytes\n", bytes);
		exit(1);
	}
	return rows + SVEC_OFFSET;
}

int
main(int argc, char **argv)
{
	size_t		bytes = places[NPLACES - 1].bytes;
	float	   *f32 = (float *) new_rows(bytes);
	DistHalf   *f16 = (DistHalf *) new_rows(bytes);
	int8_t	   *i8 = (int8_t *) new_rows(bytes);
	float	   *query = (float *) new_rows(8192);
	const char *const rows[] = {
		(const char *) f32, (const char *) f16, (const char *) i8, (const char *) i8
	};

	for (size_t i = 0; i < bytes / sizeof(float); i++)
		f32[i] = (float) (i % 251) / 251.0f - 0.5f;
	for (size_t i = 0; i < bytes / sizeof(DistHalf); i++)
		f16[i] = half_from_float((float) (i % 251) / 251.0f - 0.5f);
	for (size_t i = 0; i < bytes; i++)
		i8[i] = (int8_t) ((int) (i % 251) - 125);
	for (uint32_t i = 0; i < dims[NDIMS - 1]; i++)
		query[i] = (float) (i % 241) / 241.0f - 0.5f;

	printf("processor ns per vector and GB/s of vectors read; median of %d samples\n\n", SAMPLES);
	printf("%-10s %-4s %-11s %5s ", "set", "type", "from", "dim");
	for (int c = 0; c < NCOLUMNS; c++)
		printf(" %7s  GB/s", column_names[c]);
	printf("\n");
	for (int isa = 0; dist_isa_names[isa] != NULL; isa++)
	{
		const DistKernels *k = dist_kernels_isa(dist_isa_names[isa]);

		if (k != NULL && (argc < 2 || strcmp(argv[1], k->isa) == 0))
			bench_isa(k, query, rows);
	}
	printf("\nx4: dot of one query with four vectors at a time, per vector; many: distances\n"
		   "of lists of 32 by the same, with prefetch; query: the\n"
		   "whole cosine distance, of codes for int8; u4: numbers of four bits with int8;\n"
		   "read: a plain read of the same\n"
		   "bytes in the same order by the same vector width, the bound\n");
	return 0;
}
