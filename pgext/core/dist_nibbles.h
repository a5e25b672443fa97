/*
 * dist_nibbles.h
 *	  Products of numbers of four bits with int8, the plain way and for AVX2; NEON has
 *	  its own way.
 *
 * Numbers come in blocks of 64 in 32 bytes: byte j has number j in its lower and
 * number j + 32 in its upper half.
 */
#ifndef DIST_NIBBLES_H
#define DIST_NIBBLES_H

#include "dist_isa.h"

#define NIBBLE_BYTES (DIST_NIBBLE_BLOCK / 2)

static inline int32_t
dot_u4i8_plain(const uint8_t *a, const int8_t *b, uint32_t blocks)
{
	int32_t		sum = 0;

	for (uint32_t k = 0; k < blocks; k++, a += NIBBLE_BYTES, b += DIST_NIBBLE_BLOCK)
	{
		for (uint32_t i = 0; i < NIBBLE_BYTES; i++)
			sum += (a[i] & 15) * b[i] + (a[i] >> 4) * b[i + NIBBLE_BYTES];
	}
	return sum;
}

/* The same with four. */
#define DEFINE_DOT_U4I8_FOUR_TIMES(ATTRIBUTE, NAME, ONE) \
ATTRIBUTE static void \
NAME(const uint8_t *const *a, const int8_t *b, uint32_t blocks, int32_t *sums) \
{ \
	for (uint32_t i = 0; i < DIST_FOUR; i++) \
		sums[i] = ONE(a[i], b, blocks); \
}

#if defined(__x86_64__)

/* Four blocks' sums of pairs, 15 * 127 * 2 each, fit 16 bits eight times. */
#define DEFINE_DOT_U4I8(ATTRIBUTE, NAME) \
ATTRIBUTE static int32_t \
NAME(const uint8_t *a, const int8_t *b, uint32_t blocks) \
{ \
	const __m256i low = _mm256_set1_epi8(15); \
	const __m256i ones = _mm256_set1_epi16(1); \
	__m256i		sums = _mm256_setzero_si256(); \
\
	while (blocks > 0) \
	{ \
		uint32_t	count = blocks < 4 ? blocks : 4; \
		__m256i		pairs = _mm256_setzero_si256(); \
\
		blocks -= count; \
		for (; count > 0; count--, a += NIBBLE_BYTES, b += DIST_NIBBLE_BLOCK) \
		{ \
			__m256i		both = _mm256_loadu_si256((const __m256i *) a); \
			__m256i		q0 = _mm256_loadu_si256((const __m256i *) b); \
			__m256i		q1 = _mm256_loadu_si256((const __m256i *) (b + NIBBLE_BYTES)); \
			__m256i		u0 = _mm256_and_si256(both, low); \
			__m256i		u1 = _mm256_and_si256(_mm256_srli_epi16(both, 4), low); \
\
			pairs = _mm256_add_epi16(pairs, \
									 _mm256_add_epi16(_mm256_maddubs_epi16(u0, q0), \
													  _mm256_maddubs_epi16(u1, q1))); \
		} \
		sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, ones)); \
	} \
	return sum_eight_i32(sums); \
}

/* Products of a block's numbers with q0 and q1, added to eight pairs of sums. */
#define ADD_BLOCK(pairs, p) \
	do { \
		__m256i		both = _mm256_loadu_si256((const __m256i *) (p)); \
		__m256i		u0 = _mm256_and_si256(both, low); \
		__m256i		u1 = _mm256_and_si256(_mm256_srli_epi16(both, 4), low); \
\
		pairs = _mm256_add_epi16(pairs, \
								 _mm256_add_epi16(_mm256_maddubs_epi16(u0, q0), \
												  _mm256_maddubs_epi16(u1, q1))); \
	} while (0)

#define ADD_PAIRS(sums, pairs) \
	sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, ones))

#define DEFINE_DOT_U4I8_X4(ATTRIBUTE, NAME) \
ATTRIBUTE static void \
NAME(const uint8_t *const *a, const int8_t *b, uint32_t blocks, int32_t *sums) \
{ \
	const __m256i low = _mm256_set1_epi8(15); \
	const __m256i ones = _mm256_set1_epi16(1); \
	const uint8_t *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3]; \
	__m256i		s0 = _mm256_setzero_si256(); \
	__m256i		s1 = s0, s2 = s0, s3 = s0; \
	size_t		end = (size_t) blocks * NIBBLE_BYTES; \
\
	for (size_t at = 0; at < end;) \
	{ \
		size_t		stop = end - at < 4 * NIBBLE_BYTES ? end : at + 4 * NIBBLE_BYTES; \
		__m256i		p0 = _mm256_setzero_si256(); \
		__m256i		p1 = p0, p2 = p0, p3 = p0; \
\
		for (; at < stop; at += NIBBLE_BYTES) \
		{ \
			__m256i		q0 = _mm256_loadu_si256((const __m256i *) (b + 2 * at)); \
			__m256i		q1 = _mm256_loadu_si256((const __m256i *) (b + 2 * at + NIBBLE_BYTES)); \
\
			ADD_BLOCK(p0, a0 + at); \
			ADD_BLOCK(p1, a1 + at); \
			ADD_BLOCK(p2, a2 + at); \
			ADD_BLOCK(p3, a3 + at); \
		} \
		ADD_PAIRS(s0, p0); \
		ADD_PAIRS(s1, p1); \
		ADD_PAIRS(s2, p2); \
		ADD_PAIRS(s3, p3); \
	} \
	store_four_i32(s0, s1, s2, s3, sums); \
}

#endif							/* __x86_64__ */

#endif							/* DIST_NIBBLES_H */
