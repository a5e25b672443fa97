/*
 * dist_loops.h
 *	  The float and half kernels of a vector instruction set, over primitives
 *	  that the including file defines. Included once by each dist_<isa>.c.
 *
 * Parameters:
 *	 ISA				the name's last part, such as avx2
 *	 TARGET				function attribute that asks for the instructions
 *	 VEC, WIDTH			a vector of floats, and how many it holds
 *	 zero()				a VEC of zeros
 *	 add(a, b)			a + b
 *	 step_dot(s, a, b)	s + a * b, fused
 *	 step_l2sq(s, a, b) s + (a - b)^2, fused
 *	 step_l1(s, a, b)	s + |a - b|
 *	 sum_lanes(v)		the sum of a VEC's floats
 *	 store_lanes(v0, v1, v2, v3, to)	the sums of four, each in that order
 *	 load_f32(p), load_f16(p)	WIDTH components as floats
 *	 tail_f32(p, rest), tail_f16(p, rest)
 *						1 to WIDTH - 1 components, zeros behind; touches no
 *						byte past them
 *	 ONCE_FROM, ONCE_FROM_L1	the number of floats from which four rows are met
 *						in one pass
 *
 * Order of every sum: blocks of four vectors go to accumulators 0 to 3; of the
 * remainder, two vectors to 0 and 1, one to 2, the tail to 3; at the end
 * (0 + 1) + (2 + 3). Four accumulators because a product of one pair needs two
 * loads, and CPUs start two loads a cycle: one fused multiply-add per cycle, of
 * four cycles each.
 *
 * A kernel for four vectors needs sixteen accumulators in that order, as many
 * as AVX2 has registers. In one pass two of them wait in memory; in two passes,
 * first for accumulators 0 and 1, then for 2 and 3, the first pass waits for all
 * bytes and the second finds them in L1. Long rows of floats are faster in one
 * pass, as their bytes arrive while they are worked on. Short ones are not: they
 * would wait for the accumulators' way to memory and back. Halves are not
 * either: half the bytes arrive, and widening them takes another register.
 */

#define LANES 4

#define PASTE3(a, b, c) a##b##c
#define NAME3(a, b, c) PASTE3(a, b, c)
#define KERNEL(op) NAME3(op, _, ISA)

#define LOAD(p) _Generic(*(p), float: load_f32, DistHalf: load_f16)(p)
#define TAIL(p, rest) _Generic(*(p), float: tail_f32, DistHalf: tail_f16)(p, rest)
#define AT(p, k) LOAD((p) + (k) * WIDTH)

TARGET static inline VEC
sum4(VEC s0, VEC s1, VEC s2, VEC s3)
{
	return add(add(s0, s1), add(s2, s3));
}

/* One sum over pairs of components. */
#define DEFINE_ONE_SUM(NAME, A, B, STEP) \
TARGET static float \
NAME(const A *a, const B *b, uint32_t n) \
{ \
	VEC			s0 = zero(); \
	VEC			s1 = s0, s2 = s0, s3 = s0; \
\
	for (; n >= LANES * WIDTH; n -= LANES * WIDTH) \
	{ \
		s0 = STEP(s0, AT(a, 0), AT(b, 0)); \
		s1 = STEP(s1, AT(a, 1), AT(b, 1)); \
		s2 = STEP(s2, AT(a, 2), AT(b, 2)); \
		s3 = STEP(s3, AT(a, 3), AT(b, 3)); \
		a += LANES * WIDTH; \
		b += LANES * WIDTH; \
	} \
	if (n & (2 * WIDTH)) \
	{ \
		s0 = STEP(s0, AT(a, 0), AT(b, 0)); \
		s1 = STEP(s1, AT(a, 1), AT(b, 1)); \
		a += 2 * WIDTH; \
		b += 2 * WIDTH; \
	} \
	if (n & WIDTH) \
	{ \
		s2 = STEP(s2, AT(a, 0), AT(b, 0)); \
		a += WIDTH; \
		b += WIDTH; \
	} \
	if (n & (WIDTH - 1)) \
		s3 = STEP(s3, TAIL(a, n & (WIDTH - 1)), TAIL(b, n & (WIDTH - 1))); \
	return sum_lanes(sum4(s0, s1, s2, s3)); \
}

DEFINE_ONE_SUM(KERNEL(dot_f32), float, float, step_dot)
DEFINE_ONE_SUM(KERNEL(l2sq_f32), float, float, step_l2sq)
DEFINE_ONE_SUM(KERNEL(l1_f32), float, float, step_l1)
DEFINE_ONE_SUM(KERNEL(dot_f16), DistHalf, DistHalf, step_dot)
DEFINE_ONE_SUM(KERNEL(l2sq_f16), DistHalf, DistHalf, step_l2sq)
DEFINE_ONE_SUM(KERNEL(l1_f16), DistHalf, DistHalf, step_l1)
DEFINE_ONE_SUM(KERNEL(dot_f32f16), float, DistHalf, step_dot)
DEFINE_ONE_SUM(KERNEL(l2sq_f32f16), float, DistHalf, step_l2sq)
DEFINE_ONE_SUM(KERNEL(l1_f32f16), float, DistHalf, step_l1)

/* Running sums of the cosine kernels; the compiler drops aa where nothing
 * reads it. */
typedef struct CosineState
{
	VEC			dot[LANES];
	VEC			aa[LANES];
	VEC			bb[LANES];
} CosineState;

TARGET static CORE_ALWAYS_INLINE void
cosine_step(CosineState *s, int lane, VEC a, VEC b, bool with_aa)
{
	s->dot[lane] = step_dot(s->dot[lane], a, b);
	s->bb[lane] = step_dot(s->bb[lane], b, b);
	if (with_aa)
		s->aa[lane] = step_dot(s->aa[lane], a, a);
}

TARGET static CORE_ALWAYS_INLINE void
cosine_end(const CosineState *s, bool with_aa, DistSums *sums)
{
	sums->dot = sum_lanes(sum4(s->dot[0], s->dot[1], s->dot[2], s->dot[3]));
	sums->bb = sum_lanes(sum4(s->bb[0], s->bb[1], s->bb[2], s->bb[3]));
	if (with_aa)
		sums->aa = sum_lanes(sum4(s->aa[0], s->aa[1], s->aa[2], s->aa[3]));
}

#define DEFINE_COSINE(NAME, A, B, WITH_AA) \
TARGET static void \
NAME(const A *a, const B *b, uint32_t n, DistSums *sums) \
{ \
	CosineState s; \
\
	for (int lane = 0; lane < LANES; lane++) \
		s.dot[lane] = s.aa[lane] = s.bb[lane] = zero(); \
	for (; n >= LANES * WIDTH; n -= LANES * WIDTH) \
	{ \
		cosine_step(&s, 0, AT(a, 0), AT(b, 0), WITH_AA); \
		cosine_step(&s, 1, AT(a, 1), AT(b, 1), WITH_AA); \
		cosine_step(&s, 2, AT(a, 2), AT(b, 2), WITH_AA); \
		cosine_step(&s, 3, AT(a, 3), AT(b, 3), WITH_AA); \
		a += LANES * WIDTH; \
		b += LANES * WIDTH; \
	} \
	if (n & (2 * WIDTH)) \
	{ \
		cosine_step(&s, 0, AT(a, 0), AT(b, 0), WITH_AA); \
		cosine_step(&s, 1, AT(a, 1), AT(b, 1), WITH_AA); \
		a += 2 * WIDTH; \
		b += 2 * WIDTH; \
	} \
	if (n & WIDTH) \
	{ \
		cosine_step(&s, 2, AT(a, 0), AT(b, 0), WITH_AA); \
		a += WIDTH; \
		b += WIDTH; \
	} \
	if (n & (WIDTH - 1)) \
		cosine_step(&s, 3, TAIL(a, n & (WIDTH - 1)), TAIL(b, n & (WIDTH - 1)), WITH_AA); \
	cosine_end(&s, WITH_AA, sums); \
}

DEFINE_COSINE(KERNEL(dotnorm_f32), float, float, false)
DEFINE_COSINE(KERNEL(cosine_f32), float, float, true)
DEFINE_COSINE(KERNEL(cosine_f16), DistHalf, DistHalf, true)
DEFINE_COSINE(KERNEL(dotnorm_f32f16), float, DistHalf, false)

/* In one pass. */

/* One of the query's vectors against what GET gives of each row. */
#define FOUR_STEP(LANE, STEP, QUERY, GET) \
	do { \
		VEC			q = QUERY; \
\
		r0##LANE = STEP(r0##LANE, q, GET(b0)); \
		r1##LANE = STEP(r1##LANE, q, GET(b1)); \
		r2##LANE = STEP(r2##LANE, q, GET(b2)); \
		r3##LANE = STEP(r3##LANE, q, GET(b3)); \
	} while (0)

#define FOUR_0(p) LOAD(p + at)
#define FOUR_1(p) LOAD(p + at + WIDTH)
#define FOUR_2(p) LOAD(p + at + 2 * WIDTH)
#define FOUR_3(p) LOAD(p + at + 3 * WIDTH)
#define FOUR_TAIL(p) TAIL(p + at, rest)

#define DEFINE_FOUR_SUMS(NAME, B, STEP) \
TARGET static void \
NAME(const float *a, const B *const *b, uint32_t n, float *sums) \
{ \
	const B    *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3]; \
	size_t		blocks_end = n - n % (LANES * WIDTH); \
	uint32_t	rest = n & (WIDTH - 1); \
	size_t		at; \
	VEC			r00 = zero(), r01 = r00, r02 = r00, r03 = r00; \
	VEC			r10 = r00, r11 = r00, r12 = r00, r13 = r00; \
	VEC			r20 = r00, r21 = r00, r22 = r00, r23 = r00; \
	VEC			r30 = r00, r31 = r00, r32 = r00, r33 = r00; \
\
	for (at = 0; at < blocks_end; at += LANES * WIDTH) \
	{ \
		FOUR_STEP(0, STEP, FOUR_0(a), FOUR_0); \
		FOUR_STEP(1, STEP, FOUR_1(a), FOUR_1); \
		FOUR_STEP(2, STEP, FOUR_2(a), FOUR_2); \
		FOUR_STEP(3, STEP, FOUR_3(a), FOUR_3); \
	} \
	if (n & (2 * WIDTH)) \
	{ \
		FOUR_STEP(0, STEP, FOUR_0(a), FOUR_0); \
		FOUR_STEP(1, STEP, FOUR_1(a), FOUR_1); \
		at += 2 * WIDTH; \
	} \
	if (n & WIDTH) \
	{ \
		FOUR_STEP(2, STEP, FOUR_0(a), FOUR_0); \
		at += WIDTH; \
	} \
	if (rest) \
		FOUR_STEP(3, STEP, FOUR_TAIL(a), FOUR_TAIL); \
	store_lanes(sum4(r00, r01, r02, r03), sum4(r10, r11, r12, r13), \
				sum4(r20, r21, r22, r23), sum4(r30, r31, r32, r33), sums); \
}

/* In two passes. */

/* Two accumulators for each of four vectors. */
typedef struct FourState
{
	VEC			even[DIST_FOUR];
	VEC			odd[DIST_FOUR];
} FourState;

/* The vector loaded at each of four places, against one of the query. */
#define TWO_STEP(SUMS, STEP, QUERY, GET) \
	do { \
		SUMS[0] = STEP(SUMS[0], QUERY, GET(0)); \
		SUMS[1] = STEP(SUMS[1], QUERY, GET(1)); \
		SUMS[2] = STEP(SUMS[2], QUERY, GET(2)); \
		SUMS[3] = STEP(SUMS[3], QUERY, GET(3)); \
	} while (0)

#define TWO_AT(c) LOAD(b##c + at)
#define TWO_NEXT(c) LOAD(b##c + at + WIDTH)
#define TWO_TAIL(c) TAIL(b##c + at, rest)

#define TWO_PAIR(STEP) \
	do { \
		VEC			q0 = LOAD(a + at); \
		VEC			q1 = LOAD(a + at + WIDTH); \
\
		TWO_STEP(s.even, STEP, q0, TWO_AT); \
		TWO_STEP(s.odd, STEP, q1, TWO_NEXT); \
	} while (0)

#define DEFINE_FOUR_SUMS_TWICE(NAME, B, STEP) \
TARGET static void \
NAME(const float *a, const B *const *b, uint32_t n, float *sums) \
{ \
	const B    *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3]; \
	uint32_t	blocks_end = n - n % (LANES * WIDTH); \
	uint32_t	rest = n & (WIDTH - 1); \
	uint32_t	at; \
	VEC			first[DIST_FOUR]; \
	FourState	s; \
\
	s.even[0] = s.even[1] = s.even[2] = s.even[3] = zero(); \
	s.odd[0] = s.odd[1] = s.odd[2] = s.odd[3] = zero(); \
	for (at = 0; at < blocks_end; at += LANES * WIDTH) \
		TWO_PAIR(STEP); \
	if (n & (2 * WIDTH)) \
		TWO_PAIR(STEP); \
	first[0] = add(s.even[0], s.odd[0]); \
	first[1] = add(s.even[1], s.odd[1]); \
	first[2] = add(s.even[2], s.odd[2]); \
	first[3] = add(s.even[3], s.odd[3]); \
\
	s.even[0] = s.even[1] = s.even[2] = s.even[3] = zero(); \
	s.odd[0] = s.odd[1] = s.odd[2] = s.odd[3] = zero(); \
	for (at = 2 * WIDTH; at < blocks_end; at += LANES * WIDTH) \
		TWO_PAIR(STEP); \
	at = blocks_end + (n & (2 * WIDTH)); \
	if (n & WIDTH) \
	{ \
		VEC			q = LOAD(a + at); \
\
		TWO_STEP(s.even, STEP, q, TWO_AT); \
		at += WIDTH; \
	} \
	if (rest) \
	{ \
		VEC			q = TAIL(a + at, rest); \
\
		TWO_STEP(s.odd, STEP, q, TWO_TAIL); \
	} \
	store_lanes(add(first[0], add(s.even[0], s.odd[0])), \
				add(first[1], add(s.even[1], s.odd[1])), \
				add(first[2], add(s.even[2], s.odd[2])), \
				add(first[3], add(s.even[3], s.odd[3])), sums); \
}

/* Which of both by the length of a row; the same bits. */
#define DEFINE_FOUR_SUMS_F32(OP, STEP, FROM) \
DEFINE_FOUR_SUMS(KERNEL(OP##_once), float, STEP) \
DEFINE_FOUR_SUMS_TWICE(KERNEL(OP##_twice), float, STEP) \
\
static void \
KERNEL(OP)(const float *a, const float *const *b, uint32_t n, float *sums) \
{ \
	if (n < FROM) \
		KERNEL(OP##_twice)(a, b, n, sums); \
	else \
		KERNEL(OP##_once)(a, b, n, sums); \
}

DEFINE_FOUR_SUMS_F32(dot_f32_x4, step_dot, ONCE_FROM)
DEFINE_FOUR_SUMS_F32(l2sq_f32_x4, step_l2sq, ONCE_FROM)
DEFINE_FOUR_SUMS_F32(l1_f32_x4, step_l1, ONCE_FROM_L1)
DEFINE_FOUR_SUMS_TWICE(KERNEL(dot_f32f16_x4), DistHalf, step_dot)
DEFINE_FOUR_SUMS_TWICE(KERNEL(l2sq_f32f16_x4), DistHalf, step_l2sq)
DEFINE_FOUR_SUMS_TWICE(KERNEL(l1_f32f16_x4), DistHalf, step_l1)

/* The members of DistKernels that are defined here. */
#define FLOAT_KERNELS \
	.dot_f32 = KERNEL(dot_f32), \
	.l2sq_f32 = KERNEL(l2sq_f32), \
	.l1_f32 = KERNEL(l1_f32), \
	.dotnorm_f32 = KERNEL(dotnorm_f32), \
	.cosine_f32 = KERNEL(cosine_f32), \
	.dot_f16 = KERNEL(dot_f16), \
	.l2sq_f16 = KERNEL(l2sq_f16), \
	.l1_f16 = KERNEL(l1_f16), \
	.cosine_f16 = KERNEL(cosine_f16), \
	.dot_f32f16 = KERNEL(dot_f32f16), \
	.l2sq_f32f16 = KERNEL(l2sq_f32f16), \
	.l1_f32f16 = KERNEL(l1_f32f16), \
	.dotnorm_f32f16 = KERNEL(dotnorm_f32f16), \
	.dot_f32_x4 = KERNEL(dot_f32_x4), \
	.l2sq_f32_x4 = KERNEL(l2sq_f32_x4), \
	.l1_f32_x4 = KERNEL(l1_f32_x4), \
	.dot_f32f16_x4 = KERNEL(dot_f32f16_x4), \
	.l2sq_f32f16_x4 = KERNEL(l2sq_f32f16_x4), \
	.l1_f32f16_x4 = KERNEL(l1_f32f16_x4)
