/*
 * dist_x86.h
 *	  What the x86-64 kernels share: primitives of dist_loops.h that differ in
 *	  their intrinsics' prefix alone, and the last steps of every sum, in 256
 *	  bits. Included once by each dist_<isa>.c, behind TARGET, VEC, IVEC and
 *	  MM(name), which makes an intrinsic's name.
 */

TARGET static inline VEC
zero(void)
{
	return MM(setzero_ps) ();
}

TARGET static inline VEC
add(VEC a, VEC b)
{
	return MM(add_ps) (a, b);
}

TARGET static inline VEC
step_dot(VEC sum, VEC a, VEC b)
{
	return MM(fmadd_ps) (a, b, sum);
}

TARGET static inline VEC
step_l2sq(VEC sum, VEC a, VEC b)
{
	VEC			diff = MM(sub_ps) (a, b);

	return MM(fmadd_ps) (diff, diff, sum);
}

TARGET static inline VEC
load_f32(const float *p)
{
	return MM(loadu_ps) (p);
}

/* Whole numbers nearest to products. */
TARGET static inline IVEC
rounded(VEC v, VEC factor)
{
	return MM(cvtps_epi32) (MM(mul_ps) (v, factor));
}

/*
 * Integers times the scale. The barrier keeps the compiler from fusing this
 * product with the difference that follows, which would round one side only.
 */
TARGET static inline VEC
scaled(IVEC components, float scale)
{
	VEC			product = MM(mul_ps) (MM(cvtepi32_ps) (components), MM(set1_ps) (scale));

__asm__("":"+v"(product));
	return product;
}

TARGET static inline float
sum_eight(__m256 v)
{
	__m128		half = _mm_add_ps(_mm256_castps256_ps128(v),
								  _mm256_extractf128_ps(v, 1));

	half = _mm_add_ps(half, _mm_movehl_ps(half, half));
	half = _mm_add_ss(half, _mm_movehdup_ps(half));
	return _mm_cvtss_f32(half);
}

TARGET static inline float
largest_of_eight(__m256 v)
{
	__m128		half = _mm_max_ps(_mm256_castps256_ps128(v),
								  _mm256_extractf128_ps(v, 1));

	half = _mm_max_ps(half, _mm_movehl_ps(half, half));
	half = _mm_max_ss(half, _mm_movehdup_ps(half));
	return _mm_cvtss_f32(half);
}

TARGET static inline int32_t
sum_eight_i32(__m256i v)
{
	__m128i		half = _mm_add_epi32(_mm256_castsi256_si128(v),
									 _mm256_extracti128_si256(v, 1));

	half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(1, 0, 3, 2)));
	half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(2, 3, 0, 1)));
	return _mm_cvtsi128_si32(half);
}

/* Four sums of eight integers each, by transposing while adding. */
TARGET static inline void
store_four_i32(__m256i s0, __m256i s1, __m256i s2, __m256i s3, int32_t *to)
{
	__m256i		s01 = _mm256_add_epi32(_mm256_unpacklo_epi32(s0, s1),
									   _mm256_unpackhi_epi32(s0, s1));
	__m256i		s23 = _mm256_add_epi32(_mm256_unpacklo_epi32(s2, s3),
									   _mm256_unpackhi_epi32(s2, s3));
	__m256i		all = _mm256_add_epi32(_mm256_unpacklo_epi64(s01, s23),
									   _mm256_unpackhi_epi64(s01, s23));

	_mm_storeu_si128((__m128i *) to,
					 _mm_add_epi32(_mm256_castsi256_si128(all),
								   _mm256_extracti128_si256(all, 1)));
}

/*
 * Four sums of eight floats each, by transposing while adding: the order of
 * each is that of sum_eight.
 */
TARGET static inline void
store_four(__m256 v0, __m256 v1, __m256 v2, __m256 v3, float *to)
{
	__m256		half01 = _mm256_add_ps(_mm256_permute2f128_ps(v0, v1, 0x20),
									   _mm256_permute2f128_ps(v0, v1, 0x31));
	__m256		half23 = _mm256_add_ps(_mm256_permute2f128_ps(v2, v3, 0x20),
									   _mm256_permute2f128_ps(v2, v3, 0x31));
	__m256		pairs = _mm256_add_ps(_mm256_shuffle_ps(half01, half23, _MM_SHUFFLE(1, 0, 1, 0)),
									  _mm256_shuffle_ps(half01, half23, _MM_SHUFFLE(3, 2, 3, 2)));
	__m256		all = _mm256_add_ps(pairs, _mm256_movehdup_ps(pairs));
	__m128		odd = _mm_moveldup_ps(_mm256_extractf128_ps(all, 1));

	_mm_storeu_ps(to, _mm_blend_ps(_mm256_castps256_ps128(all), odd, 0xA));
}
