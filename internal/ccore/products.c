/*
 * products.c
 *	  Products of one vector with many, as often as it takes to time them.
 */
#include "products.h"

#include "../../pgext/core/dist.h"

#define NIBBLE_BLOCKS(dim) (((dim) + DIST_NIBBLE_BLOCK - 1) / DIST_NIBBLE_BLOCK)

double
ccore_products_f32(const float *query, const float *rows, uint32_t dim, uint32_t nrows)
{
	const DistKernels *kernels = dist_kernels();
	double		sum = 0;

	for (uint32_t i = 0; i < nrows; i++)
	{
		DistSums	sums;

		kernels->dotnorm_f32(query, rows + (size_t) i * dim, dim, &sums);
		sum += sums.dot + sums.bb;
	}
	return sum;
}

double
ccore_products_i8(const int8_t *query, const int8_t *rows, uint32_t dim, uint32_t nrows)
{
	const DistKernels *kernels = dist_kernels();
	double		sum = 0;

	for (uint32_t i = 0; i + DIST_FOUR <= nrows; i += DIST_FOUR)
	{
		const int8_t *first = rows + (size_t) i * dim;
		const int8_t *const four[DIST_FOUR] = {
			first, first + dim, first + 2 * (size_t) dim, first + 3 * (size_t) dim
		};
		int32_t		sums[DIST_FOUR];

		kernels->dot_i8_x4(query, four, dim, sums);
		for (int k = 0; k < DIST_FOUR; k++)
			sum += sums[k];
	}
	return sum;
}

size_t
ccore_room_u4(uint32_t dim)
{
	return (size_t) NIBBLE_BLOCKS(dim) * DIST_NIBBLE_BLOCK;
}

double
ccore_products_u4(const int8_t *query, const uint8_t *rows, uint32_t dim, uint32_t nrows)
{
	const DistKernels *kernels = dist_kernels();
	const size_t stride = ccore_room_u4(dim) / 2;
	double		sum = 0;

	for (uint32_t i = 0; i + DIST_FOUR <= nrows; i += DIST_FOUR)
	{
		const uint8_t *first = rows + i * stride;
		const uint8_t *const four[DIST_FOUR] = {
			first, first + stride, first + 2 * stride, first + 3 * stride
		};
		int32_t		sums[DIST_FOUR];

		kernels->dot_u4i8_x4(four, query, NIBBLE_BLOCKS(dim), sums);
		for (int k = 0; k < DIST_FOUR; k++)
			sum += sums[k];
	}
	return sum;
}
