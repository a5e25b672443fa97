/*
 * random.h
 *	  splitmix64: the same numbers on every machine for the same seed.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

typedef struct Random
{
	uint64_t	state;
} Random;

static inline uint64_t
random_u64(Random *random)
{
	uint64_t	z = (random->state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/* 0 to bound - 1; bound is small, so the bias does not matter here. */
static inline uint32_t
random_below(Random *random, uint32_t bound)
{
	return (uint32_t) ((random_u64(random) >> 32) % bound);
}

/* Uniform in [-1, 1). */
static inline double
random_signed_unit(Random *random)
{
	return (double) (random_u64(random) >> 11) * 0x1p-52 - 1.0;
}

#endif							/* RANDOM_H */
