/*
 * dist_loops_i8.h
 *	  The int8 kernels of a vector instruction set, over primitives that the
 *	  including file defines: dist_<isa>.c includes it behind dist_loops.h and
 *	  says which it wants.
 *
 * Parameters, beside those of dist_loops.h:
 *	 IVEC				a vector of 32-bit integers
 *	 BVEC, BYTES		a vector of int8, and how many it holds
 *	 izero()			an IVEC of zeros
 *	 iadd(a, b)			a + b
 *	 load_i8(p)			BYTES components
 *	 tail_i8(p, rest)	1 to BYTES - 1 components, zeros behind; touches no byte
 *						past them
 *	 sum_i32(v)			the sum of an IVEC's integers
 *	 store_sums(s0, s1, s2, s3, to)	the sums of four
 *	 STEP(s, a, b)		s + products of a's components and b's, in
 *						any places
 *	 scaled_i8(p, scale), scaled_tail(p, rest, scale)
 *						WIDTH components, and 1 to WIDTH - 1, times the scale
 *
 * Sums of products are exact, so their order is free. Those of L1 are floats:
 * vectors go to accumulators 0 and 1 in turn, the tail to 1.
 */

#define DEFINE_DOT_I8(ATTRIBUTE, NAME, STEP) \
ATTRIBUTE static int32_t \
NAME(const int8_t *a, const int8_t *b, uint32_t n) \
{ \
	IVEC		s0 = izero(); \
	IVEC		s1 = s0; \
\
	for (; n >= 2 * BYTES; n -= 2 * BYTES, a += 2 * BYTES, b += 2 * BYTES) \
	{ \
		s0 = STEP(s0, load_i8(a), load_i8(b)); \
		s1 = STEP(s1, load_i8(a + BYTES), load_i8(b + BYTES)); \
	} \
	if (n & BYTES) \
	{ \
		s0 = STEP(s0, load_i8(a), load_i8(b)); \
		a += BYTES; \
		b += BYTES; \
	} \
	if (n & (BYTES - 1)) \
		s1 = STEP(s1, tail_i8(a, n & (BYTES - 1)), tail_i8(b, n & (BYTES - 1))); \
	return sum_i32(iadd(s0, s1)); \
}

#define DEFINE_DOT_I8_X4(ATTRIBUTE, NAME, STEP) \
ATTRIBUTE static void \
NAME(const int8_t *a, const int8_t *const *b, uint32_t n, int32_t *sums) \
{ \
	const int8_t *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3]; \
	IVEC		s0 = izero(); \
	IVEC		s1 = s0, s2 = s0, s3 = s0; \
	size_t		blocks_end = n - n % BYTES; \
	uint32_t	rest = n % BYTES; \
	size_t		at; \
\
	for (at = 0; at < blocks_end; at += BYTES) \
	{ \
		BVEC		q = load_i8(a + at); \
\
		s0 = STEP(s0, q, load_i8(b0 + at)); \
		s1 = STEP(s1, q, load_i8(b1 + at)); \
		s2 = STEP(s2, q, load_i8(b2 + at)); \
		s3 = STEP(s3, q, load_i8(b3 + at)); \
	} \
	if (rest) \
	{ \
		BVEC		q = tail_i8(a + at, rest); \
\
		s0 = STEP(s0, q, tail_i8(b0 + at, rest)); \
		s1 = STEP(s1, q, tail_i8(b1 + at, rest)); \
		s2 = STEP(s2, q, tail_i8(b2 + at, rest)); \
		s3 = STEP(s3, q, tail_i8(b3 + at, rest)); \
	} \
	store_sums(s0, s1, s2, s3, sums); \
}

#define DEFINE_L1_I8(NAME) \
TARGET static float \
NAME(const int8_t *a, float a_scale, const int8_t *b, float b_scale, uint32_t n) \
{ \
	VEC			s0 = zero(); \
	VEC			s1 = s0; \
\
	for (; n >= 2 * WIDTH; n -= 2 * WIDTH, a += 2 * WIDTH, b += 2 * WIDTH) \
	{ \
		s0 = step_l1(s0, scaled_i8(a, a_scale), scaled_i8(b, b_scale)); \
		s1 = step_l1(s1, scaled_i8(a + WIDTH, a_scale), scaled_i8(b + WIDTH, b_scale)); \
	} \
	if (n & WIDTH) \
	{ \
		s0 = step_l1(s0, scaled_i8(a, a_scale), scaled_i8(b, b_scale)); \
		a += WIDTH; \
		b += WIDTH; \
	} \
	if (n & (WIDTH - 1)) \
		s1 = step_l1(s1, scaled_tail(a, n & (WIDTH - 1), a_scale), \
					 scaled_tail(b, n & (WIDTH - 1), b_scale)); \
	return sum_lanes(add(s0, s1)); \
}

/* The query's vector, scaled once, against one of each row. */
#define L1_STEP(LANE, QUERY, GET) \
	do { \
		VEC			q = QUERY; \
\
		r0##LANE = step_l1(r0##LANE, q, GET(b0, scales[0])); \
		r1##LANE = step_l1(r1##LANE, q, GET(b1, scales[1])); \
		r2##LANE = step_l1(r2##LANE, q, GET(b2, scales[2])); \
		r3##LANE = step_l1(r3##LANE, q, GET(b3, scales[3])); \
	} while (0)

#define L1_AT(p, scale) scaled_i8(p + at, scale)
#define L1_NEXT(p, scale) scaled_i8(p + at + WIDTH, scale)
#define L1_TAIL(p, scale) scaled_tail(p + at, rest, scale)

#define DEFINE_L1_I8_X4(NAME) \
TARGET static void \
NAME(const int8_t *a, float a_scale, const int8_t *const *b, const float *scales, \
	 uint32_t n, float *sums) \
{ \
	const int8_t *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3]; \
	size_t		blocks_end = n - n % (2 * WIDTH); \
	uint32_t	rest = n & (WIDTH - 1); \
	size_t		at; \
	VEC			r00 = zero(), r10 = r00, r20 = r00, r30 = r00; \
	VEC			r01 = r00, r11 = r00, r21 = r00, r31 = r00; \
\
	for (at = 0; at < blocks_end; at += 2 * WIDTH) \
	{ \
		L1_STEP(0, L1_AT(a, a_scale), L1_AT); \
		L1_STEP(1, L1_NEXT(a, a_scale), L1_NEXT); \
	} \
	if (n & WIDTH) \
	{ \
		L1_STEP(0, L1_AT(a, a_scale), L1_AT); \
		at += WIDTH; \
	} \
	if (rest) \
		L1_STEP(1, L1_TAIL(a, a_scale), L1_TAIL); \
	store_lanes(add(r00, r01), add(r10, r11), add(r20, r21), add(r30, r31), sums); \
}
