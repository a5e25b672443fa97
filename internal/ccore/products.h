/*
 * products.h
 *	  Products of one vector with many, as often as it takes to time them.
 */
#ifndef CCORE_PRODUCTS_H
#define CCORE_PRODUCTS_H

#include <stddef.h>
#include <stdint.h>

/* The sums of a round of products of `query` with each of the rows, so that none
 * can be left out: in single precision with the rows' norms, as cosine needs them,
 * and of int8 codes, four rows at a time. nrows is a multiple of four. */
extern double ccore_products_f32(const float *query, const float *rows, uint32_t dim,
								 uint32_t nrows);
extern double ccore_products_i8(const int8_t *query, const int8_t *rows, uint32_t dim,
								uint32_t nrows);

/* The same of rows of four bits a component, as sketches have them, with a query of
 * int8: a query takes so many bytes for dim components, and a row half as many. */
extern size_t ccore_room_u4(uint32_t dim);
extern double ccore_products_u4(const int8_t *query, const uint8_t *rows, uint32_t dim,
								uint32_t nrows);

#endif							/* CCORE_PRODUCTS_H */
