/*
 * hnsw_form.c
 *	  Records: encoding and distances.
 *
 * The facts of a record:
 *	 - cosine: `factor` is 1 / norm of the code; floats are stored with norm 1.
 *	 - others: `factor` is the code's scale, `square` the squared norm of what
 *	   the code stands for.
 * Formulas are in double, so that scales near the limits of single precision
 * give an infinite distance at worst and never NaN.
 */
#include "hnsw_form.h"

#include <math.h>
#include <string.h>

#include "dist_code.h"

#define RECORD_COMPONENTS(record) ((const void *) ((const char *) (record) + sizeof(HnswFacts)))

_Static_assert(sizeof(HnswFacts) == HNSW_FORM_FACTS_BYTES,
			   "records have no padding before their components");

HnswForm
hnsw_form(DistMetric metric, HnswElement element, uint32_t dim)
{
	HnswForm	form = {dist_kernels(), metric, element, dim};

	return form;
}

static size_t
component_bytes(const HnswForm *form)
{
	return form->element == HNSW_INT8 ? ((size_t) form->dim + 3) & ~(size_t) 3
		: (size_t) form->dim * sizeof(float);
}

size_t
hnsw_form_bytes(const HnswForm *form)
{
	return sizeof(HnswFacts) + component_bytes(form);
}

static bool
encode_int8(const HnswForm *form, const float *vector, HnswFacts *facts, int8_t *room)
{
	DistCode	code = dist_code_f32(vector, form->dim, room);

	if (form->metric == DIST_COSINE)
	{
		if (code.square == 0)
			return false;
		facts->factor = (float) (1.0 / sqrt((double) code.square));
	}
	else
	{
		facts->factor = code.scale;
		facts->square = (float) ((double) code.scale * code.scale * code.square);
	}
	return true;
}

static bool
encode_float32(const HnswForm *form, const float *vector, float *room)
{
	double		norm = 1.0;

	if (form->metric == DIST_COSINE)
	{
		norm = dist_norm_f32(vector, form->dim);
		if (norm == 0.0)
			return false;
	}
	for (uint32_t i = 0; i < form->dim; i++)
		room[i] = (float) (vector[i] / norm);
	return true;
}

bool
hnsw_form_encode(const HnswForm *form, const float *vector, void *record)
{
	HnswFacts  *facts = record;
	void	   *room = facts + 1;

	memset(record, 0, hnsw_form_bytes(form));
	if (form->element == HNSW_INT8)
		return encode_int8(form, vector, facts, room);
	return encode_float32(form, vector, room);
}

static inline float
int8_result(DistMetric metric, const HnswFacts *a, const HnswFacts *b, int32_t dot)
{
	double		product = (double) a->factor * b->factor * dot;
	double		square;

	switch (metric)
	{
		case DIST_COSINE:
			return (float) (1.0 - product);
		case DIST_IP:
			return (float) (0.0 - product);
		default:
			square = (double) a->square + b->square - 2.0 * product;
			return square > 0.0 ? (float) square : 0.0f;
	}
}

static inline const HnswFacts *
facts_of(const void *const *records, const HnswFacts *const *facts, uint32_t which)
{
	return facts != NULL ? facts[which] : records[which];
}

static CORE_ALWAYS_INLINE void
int8_four(const HnswForm *form, const void *from, const void *const *records,
		  const HnswFacts *const *facts, float *out)
{
	const int8_t *x = RECORD_COMPONENTS(from);
	const int8_t *const y[DIST_FOUR] = {
		RECORD_COMPONENTS(records[0]), RECORD_COMPONENTS(records[1]),
		RECORD_COMPONENTS(records[2]), RECORD_COMPONENTS(records[3])
	};
	int32_t		dots[DIST_FOUR];

	form->kernels->dot_i8_x4(x, y, form->dim, dots);
	for (uint32_t i = 0; i < DIST_FOUR; i++)
		out[i] = int8_result(form->metric, from, facts_of(records, facts, i), dots[i]);
}

static float
int8_one(const HnswForm *form, const void *from, const void *record, const HnswFacts *b)
{
	const HnswFacts *a = from;
	const int8_t *x = RECORD_COMPONENTS(from);
	const int8_t *y = RECORD_COMPONENTS(record);

	if (form->metric == DIST_L1)
		return form->kernels->l1_i8(x, a->factor, y, b->factor, form->dim);
	return int8_result(form->metric, a, b, form->kernels->dot_i8(x, y, form->dim));
}

static void
float32_four(const HnswForm *form, const void *from, const void *const *records, float *out)
{
	const float *x = RECORD_COMPONENTS(from);
	const float *const y[DIST_FOUR] = {
		RECORD_COMPONENTS(records[0]), RECORD_COMPONENTS(records[1]),
		RECORD_COMPONENTS(records[2]), RECORD_COMPONENTS(records[3])
	};

	switch (form->metric)
	{
		case DIST_L2:
			form->kernels->l2sq_f32_x4(x, y, form->dim, out);
			break;
		case DIST_L1:
			form->kernels->l1_f32_x4(x, y, form->dim, out);
			break;
		default:
			form->kernels->dot_f32_x4(x, y, form->dim, out);
			for (int i = 0; i < DIST_FOUR; i++)
				out[i] = (form->metric == DIST_COSINE ? 1.0f : 0.0f) - out[i];
	}
}

static float
float32_one(const HnswForm *form, const void *from, const void *record)
{
	const float *x = RECORD_COMPONENTS(from);
	const float *y = RECORD_COMPONENTS(record);

	switch (form->metric)
	{
		case DIST_L2:
			return form->kernels->l2sq_f32(x, y, form->dim);
		case DIST_L1:
			return form->kernels->l1_f32(x, y, form->dim);
		case DIST_IP:
			return 0.0f - form->kernels->dot_f32(x, y, form->dim);
		default:
			return 1.0f - form->kernels->dot_f32(x, y, form->dim);
	}
}

/* Compiled twice, with and without facts apart. */
static CORE_ALWAYS_INLINE void
distances(const HnswForm *form, const void *from, const void *const *records,
		  const HnswFacts *const *facts, uint32_t count, float *out)
{
	bool int8 = form->element == HNSW_INT8;
	size_t		skip = facts != NULL ? sizeof(HnswFacts) : 0;
	size_t		bytes = hnsw_form_bytes(form) - skip;
	uint32_t	i = 0;

	/* int8 has no kernel of four for L1 */
	while (count - i >= DIST_FOUR && !(int8 &&form->metric == DIST_L1))
	{
		for (uint32_t next = i + DIST_FOUR; next < count && next < i + 2 * DIST_FOUR; next++)
			dist_prefetch((const char *) records[next] + skip, bytes);
		if (int8)
			int8_four(form, from, records + i, facts != NULL ? facts + i : NULL, out + i);
		else
			float32_four(form, from, records + i, out + i);
		i += DIST_FOUR;
	}
	for (; i < count; i++)
		out[i] = int8 ? int8_one(form, from, records[i], facts_of(records, facts, i))
		:			float32_one(form, from, records[i]);
}

void
hnsw_form_distances(const HnswForm *form, const void *from,
					const void *const *records, uint32_t count, float *out)
{
	distances(form, from, records, NULL, count, out);
}

void
hnsw_form_distances_apart(const HnswForm *form, const void *from,
						  const void *const *records, const HnswFacts *const *facts,
						  uint32_t count, float *out)
{
	distances(form, from, records, facts, count, out);
}

/* Components are rounded to whole steps: the error of one has a variance of a
 * twelfth of the square of its step. */
#define ROUNDING_VARIANCE (1.0 / 12)
#define DEVIATIONS 5.0

/* What single precision may do to facts and results. */
#define SINGLE 1e-6

static inline double
not_negative(double x)
{
	return x > 0.0 ? x : 0.0;
}

bool
hnsw_form_has_rest(const HnswForm *form)
{
	return form->element == HNSW_INT8 && form->metric != DIST_L1;
}

void
hnsw_form_rest(const HnswForm *form, const float *vector, const void *record, float *room,
			   int8_t *code, HnswRest *rest)
{
	const HnswFacts *facts = record;
	const int8_t *rounded = RECORD_COMPONENTS(record);
	double		norm = dist_norm_f32(vector, form->dim);
	double		unit = form->metric == DIST_COSINE ? 1.0 / norm : 1.0;
	float		largest;

	for (uint32_t i = 0; i < form->dim; i++)
		room[i] = (float) (vector[i] * unit - (double) facts->factor * rounded[i]);
	largest = form->kernels->maxabs_f32(room, form->dim);
	rest->factor = largest / 127.0f;
	rest->square = norm * norm;
	rest->code = code;
	memset(code, 0, form->dim);
	/* not where steps are so small that their inverse is no number */
	if (largest > 1e-30f)
		form->kernels->f32_to_i8(room, 127.0f / largest, code, form->dim);
	else
		rest->factor = 0.0f;
}

/* The distance with the rest, which is the query's and no longer the record's. */
static double
with_rest(const HnswForm *form, const HnswFacts *a, const HnswRest *rest, const HnswFacts *b,
		  double dist)
{
	double		product = (double) rest->factor * b->factor *
		form->kernels->dot_i8(rest->code, RECORD_COMPONENTS(b), form->dim);

	if (form->metric == DIST_L2)
		return not_negative(dist + (rest->square - a->square) - 2.0 * product);
	return dist - product;
}

static inline HnswBounds
around(double dist, double error)
{
	HnswBounds	bounds = {dist - error, dist + error};

	return bounds;
}

/*
 * Errors of components are independent, so that of a product of vectors is
 * normal; the squared length of the errors itself, which makes vectors seem
 * farther apart, is nearly constant.
 */
static HnswBounds
int8_bounds(const HnswForm *form, const HnswFacts *a, const HnswRest *rest,
			const HnswFacts *b, double dist)
{
	double		n = form->dim;
	double		step = rest != NULL ? rest->factor : a->factor;
	double		aa = step * step;
	double		bb = (double) b->factor * b->factor;
	double		variance = (aa + bb) * ROUNDING_VARIANCE;
	double		length = variance * (n + DEVIATIONS * sqrt(2 * n));
	double		single = SINGLE * ((double) a->square + b->square);
	HnswBounds	bounds;
	double		sine;

	if (rest != NULL)
		dist = with_rest(form, a, rest, b, dist);
	switch (form->metric)
	{
		case DIST_COSINE:
			/* only what is across the vectors turns them */
			sine = 2.0 * (not_negative(dist) + length);
			sine = sine < 1.0 ? sqrt(sine) : 1.0;
			bounds = around(dist, DEVIATIONS * sqrt(variance) * sine + SINGLE);
			bounds.least -= length / 2;
			return bounds;
		case DIST_IP:
			variance = (a->square * bb + b->square * aa) * ROUNDING_VARIANCE +
				n * aa * bb * ROUNDING_VARIANCE * ROUNDING_VARIANCE;
			return around(dist, DEVIATIONS * sqrt(variance) +
						  SINGLE * sqrt((double) a->square * b->square));
		case DIST_L1:
			/* of equal components, all of the error is distance */
			return around(dist, dist * n * SINGLE + n * sqrt(variance) +
						  DEVIATIONS * sqrt(variance * n));
		default:
			bounds = around(sqrt(dist), DEVIATIONS * sqrt(variance));
			bounds.least = not_negative(bounds.least);
			bounds.least = sqrt(not_negative(bounds.least * bounds.least - length - single));
			bounds.most = sqrt(bounds.most * bounds.most + single);
			return bounds;
	}
}

static HnswBounds
float32_bounds(const HnswForm *form, const float *x, const float *y, double dist)
{
	const DistKernels *kernels = form->kernels;
	double		lost = SINGLE + form->dim * 1.2e-7;

	switch (form->metric)
	{
		case DIST_COSINE:
			return around(dist, 2 * lost);
		case DIST_IP:
			return around(dist, lost * sqrt((double) kernels->dot_f32(x, x, form->dim) *
											kernels->dot_f32(y, y, form->dim)));
		case DIST_L1:
			return around(dist, lost * dist);
		default:
			return around(sqrt(dist), lost * sqrt(dist));
	}
}

HnswBounds
hnsw_form_bounds(const HnswForm *form, const void *from, const HnswRest *rest,
				 const void *record, float dist)
{
	HnswBounds	bounds = {-INFINITY, INFINITY};

	if (!isfinite(dist))
		return bounds;
	bounds = form->element == HNSW_INT8 ? int8_bounds(form, from, rest, record, dist) :
		float32_bounds(form, RECORD_COMPONENTS(from), RECORD_COMPONENTS(record), dist);
	if (isnan(bounds.least))
		bounds.least = -INFINITY;
	if (isnan(bounds.most))
		bounds.most = INFINITY;
	return bounds;
}
