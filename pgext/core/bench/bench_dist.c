/*
 * bench_dist.c
 *	  What one product of each kernel costs, and what memory allows.
 *
 * A query, resident in L1, meets a row of vectors one after the other; the
 * size of that row decides where they come from: L1, L2 or memory. Bytes are
 * those of the vectors, not of the query. Beside every kernel stands a plain
 * read of the same bytes, so that a kernel waiting for memory is seen as such.
 *
 * Time is this process's processor time: a neighbour on the same core does not
 * count, one on the same memory does. Samples of all kernels alternate, so that
 * a noisy moment hits all alike, and the median is shown.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../dist.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SAMPLES		7
#define SAMPLE_BYTES ((size_t) 32 << 20)	/* read per sample, at least */

/* Vectors start 8 bytes past a cache line, as after the header of an svec. */
#define SVEC_OFFSET	2

/* A query and the vectors that it meets. */
typedef struct Work
{
	const DistKernels *kernels;
	DistQuery	cosine;			/* the same query, prepared */
	const float *query;
	const float *rows;
	size_t		nrows;
	uint32_t	dim;
} Work;

typedef double (*RowFn) (const Work *w);

static double
row_dot(const Work *w)
{
	double		total = 0.0;

	for (size_t i = 0; i < w->nrows; i++)
		total += w->kernels->dot_f32(w->query, w->rows + i * w->dim, w->dim);
	return total;
}

static double
row_l2sq(const Work *w)
{
	double		total = 0.0;

	for (size_t i = 0; i < w->nrows; i++)
		total += w->kernels->l2sq_f32(w->query, w->rows + i * w->dim, w->dim);
	return total;
}

static double
row_l1(const Work *w)
{
	double		total = 0.0;

	for (size_t i = 0; i < w->nrows; i++)
		total += w->kernels->l1_f32(w->query, w->rows + i * w->dim, w->dim);
	return total;
}

static double
row_dotnorm(const Work *w)
{
	double		total = 0.0;

	for (size_t i = 0; i < w->nrows; i++)
	{
		DistSums	sums;

		w->kernels->dotnorm_f32(w->query, w->rows + i * w->dim, w->dim, &sums);
		total += sums.dot + sums.bb;
	}
	return total;
}

static double
row_cosine(const Work *w)
{
	double		total = 0.0;

	for (size_t i = 0; i < w->nrows; i++)
	{
		DistSums	sums;

		w->kernels->cosine_f32(w->query, w->rows + i * w->dim, w->dim, &sums);
		total += sums.dot + sums.bb;
	}
	return total;
}

/* The whole distance, as a scan calls it. */
static double
row_query(const Work *w)
{
	double		total = 0.0;

	for (size_t i = 0; i < w->nrows; i++)
		total += dist_query_f32(&w->cosine, w->rows + i * w->dim);
	return total;
}

/* The bound: the same bytes, one load each. */
#if defined(__x86_64__)
__attribute__((target("avx2")))
static double
read_avx2(const float *rows, size_t floats)
{
	__m256		s0 = _mm256_setzero_ps();
	__m256		s1 = s0;
	__m256		s2 = s0;
	__m256		s3 = s0;

	for (size_t i = 0; i + 32 <= floats; i += 32)
	{
		s0 = _mm256_or_ps(s0, _mm256_loadu_ps(rows + i));
		s1 = _mm256_or_ps(s1, _mm256_loadu_ps(rows + i + 8));
		s2 = _mm256_or_ps(s2, _mm256_loadu_ps(rows + i + 16));
		s3 = _mm256_or_ps(s3, _mm256_loadu_ps(rows + i + 24));
	}
	s0 = _mm256_or_ps(_mm256_or_ps(s0, s1), _mm256_or_ps(s2, s3));
	return _mm256_cvtss_f32(s0);
}
#endif

static double
row_read(const Work *w)
{
	uint64_t	bits = 0;

#if defined(__x86_64__)
	if (strcmp(w->kernels->isa, "avx2") == 0)
		return read_avx2(w->rows, w->nrows * w->dim);
#endif
	for (size_t i = 0; i + 4 <= w->nrows * w->dim; i += 4)
	{
		uint64_t	words[2];

		memcpy(words, w->rows + i, sizeof(words));
		bits |= words[0] | words[1];
	}
	return (double) bits;
}

typedef struct Column
{
	const char *name;
	RowFn		function;
} Column;

static const Column columns[] = {
	{"dot", row_dot}, {"l2sq", row_l2sq}, {"l1", row_l1},
	{"dotnorm", row_dotnorm}, {"cosine", row_cosine},
	{"query", row_query}, {"read", row_read}
};

#define NCOLUMNS ((int) (sizeof(columns) / sizeof(columns[0])))

typedef struct Place
{
	const char *name;
	size_t		bytes;
} Place;

static const Place places[] = {
	{"L1", (size_t) 12 << 10}, {"L2", (size_t) 256 << 10}, {"memory", (size_t) 128 << 20}
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
	size_t		row_bytes = w->nrows * w->dim * sizeof(float);
	size_t		passes = SAMPLE_BYTES / row_bytes + 1;
	double		total = 0.0;
	double		start;
	double		elapsed;

	if (row_bytes < SAMPLE_BYTES)
		total += function(w);	/* fill the cache */
	start = cpu_ns();
	for (size_t pass = 0; pass < passes; pass++)
		total += function(w);
	elapsed = cpu_ns() - start;
	sink = total;
	return elapsed / (double) (passes * w->nrows);
}

static void
bench_line(const DistKernels *k, const Place *place, const float *query,
		   const float *rows, uint32_t dim)
{
	double		ns[NCOLUMNS][SAMPLES];
	Work		work = {
		.kernels = k, .query = query, .rows = rows,
		.nrows = place->bytes / (dim * sizeof(float)), .dim = dim
	};

	dist_query_init_by(&work.cosine, k, DIST_COSINE, query, dim);
	for (int i = 0; i < SAMPLES; i++)
	{
		for (int c = 0; c < NCOLUMNS; c++)
			ns[c][i] = sample(columns[c].function, &work);
	}
	printf("%-7s %-7s %5u ", k->isa, place->name, dim);
	for (int c = 0; c < NCOLUMNS; c++)
	{
		double		median;

		qsort(ns[c], SAMPLES, sizeof(double), compare_doubles);
		median = ns[c][SAMPLES / 2];
		printf(" %7.1f %5.1f", median, dim * sizeof(float) / median);
	}
	printf("\n");
	fflush(stdout);
}

int
main(void)
{
	static const char *const isa_names[] = {"avx2", "scalar"};
	size_t		bytes = places[NPLACES - 1].bytes;
	float	   *rows = aligned_alloc(64, bytes + 64);
	float	   *query = aligned_alloc(64, 8192);

	if (rows == NULL || query == NULL)
	{
		fprintf(stderr, "could not get %zu bytes\n", bytes);
		return 1;
	}
	rows += SVEC_OFFSET;
	query += SVEC_OFFSET;
	for (size_t i = 0; i < bytes / sizeof(float); i++)
		rows[i] = (float) (i % 251) / 251.0f - 0.5f;
	for (uint32_t i = 0; i < dims[NDIMS - 1]; i++)
		query[i] = (float) (i % 241) / 241.0f - 0.5f;

	printf("processor ns per vector and GB/s of vectors read; median of %d samples\n\n", SAMPLES);
	printf("%-7s %-7s %5s ", "set", "from", "dim");
	for (int c = 0; c < NCOLUMNS; c++)
		printf(" %7s  GB/s", columns[c].name);
	printf("\n");
	for (size_t isa = 0; isa < sizeof(isa_names) / sizeof(isa_names[0]); isa++)
	{
		const DistKernels *k = dist_kernels_isa(isa_names[isa]);

		for (int place = 0; k != NULL && place < NPLACES; place++)
		{
			for (size_t d = 0; d < NDIMS; d++)
				bench_line(k, &places[place], query, rows, dims[d]);
		}
	}
	printf("\nquery: the whole cosine distance of dist_query_f32; read: a plain\n"
		   "read of the same bytes by the same vector width, the bound\n");
	return 0;
}
