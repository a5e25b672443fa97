/*
 * inputs.h
 *	  Pairs of vectors that hurt: kinds of input, and memory that faults.
 */
#ifndef INPUTS_H
#define INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "random.h"
#include "../half.h"

typedef enum InputKind
{
	INPUT_UNIFORM,				/* both in [-1, 1) */
	INPUT_POSITIVE,				/* both in [0, 1): roundings add up */
	INPUT_WHOLE,				/* small whole numbers: every sum is exact */
	INPUT_MIXED,				/* magnitudes 2^-20 to 2^20 */
	INPUT_SPARSE,				/* one component in eight, mostly orthogonal */
	INPUT_SAME,					/* b = a */
	INPUT_NEAR,					/* b differs from a in the last bits */
	INPUT_OPPOSITE,				/* b = -a */
	INPUT_CANCELLING,			/* products come in pairs of opposite sign */
	INPUT_HUGE,					/* squares beyond single precision */
	INPUT_LARGEST,				/* plus or minus the largest float */
	INPUT_SMALL,				/* about 2^-70: products are denormal or zero */
	INPUT_DENORMAL,				/* components below the smallest normal float */
	INPUT_FAR_SCALES			/* a huge, b denormal */
} InputKind;

#define INPUT_NKINDS (INPUT_FAR_SCALES + 1)

extern const char *const input_names[INPUT_NKINDS];

extern void input_fill(InputKind kind, Random *random, float *a, float *b, uint32_t n);

/* The halves nearest to n floats, largest for what is beyond them; and what they
 * stand for, in `wide`. */
extern void input_halves(const float *from, DistHalf *halves, float *wide, uint32_t n);

/* n int8 components, -127 to 127; `extreme` leaves only those two. */
extern void input_i8(Random *random, int8_t *v, uint32_t n, int extreme);

/*
 * Room for `capacity` floats between two pages that fault when touched. An
 * array placed at either edge shows any access outside of it, also by masked
 * vector loads, which sanitizers do not see.
 */
typedef struct Fenced
{
	char	   *mapping;
	size_t		mapped_bytes;
	float	   *first;			/* right after the lower fence */
	float	   *past_last;		/* where the upper fence starts */
} Fenced;

extern Fenced fenced_new(uint32_t capacity);
extern void fenced_drop(Fenced *fenced);

#endif							/* INPUTS_H */
