/*
 * inputs.c
 *	  Generate the kinds of input; map memory between faulting pages.
 */
#define _DEFAULT_SOURCE
#include "inputs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const input_names[INPUT_NKINDS] = {
	"uniform", "positive", "whole", "mixed", "sparse", "same", "near",
	"opposite", "cancelling", "huge", "largest", "small", "denormal",
	"far scales"
};

/* One component of a kind whose components do not depend on each other. */
static float
component(InputKind kind, Random *random)
{
	double		unit = random_signed_unit(random);

	switch (kind)
	{
		case INPUT_POSITIVE:
			return (float) fabs(unit);
		case INPUT_WHOLE:
			return (float) ((int) random_below(random, 33) - 16);
		case INPUT_MIXED:
			return (float) ldexp(unit, (int) random_below(random, 41) - 20);
		case INPUT_SPARSE:
			return random_below(random, 8) == 0 ? (float) unit : 0.0f;
		case INPUT_HUGE:
			return (float) ldexp(unit, 127);
		case INPUT_LARGEST:
			return unit < 0 ? -FLT_MAX : FLT_MAX;
		case INPUT_SMALL:
			return (float) ldexp(unit, -68 - (int) random_below(random, 8));
		case INPUT_DENORMAL:
			return (float) ldexp(unit, -126);
		default:
			return (float) unit;
	}
}

void
input_fill(InputKind kind, Random *random, float *a, float *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		a[i] = component(kind == INPUT_FAR_SCALES ? INPUT_HUGE : kind, random);
		b[i] = component(kind == INPUT_FAR_SCALES ? INPUT_DENORMAL : kind, random);
		if (kind == INPUT_SAME)
			b[i] = a[i];
		else if (kind == INPUT_NEAR)
			b[i] = a[i] * (1.0f + (float) random_below(random, 4) * 0x1p-22f);
		else if (kind == INPUT_OPPOSITE)
			b[i] = -a[i];
		else if (kind == INPUT_CANCELLING && i % 2 == 1)
		{
			a[i] = a[i - 1];
			b[i] = -b[i - 1] * (1.0f + (float) random_below(random, 2) * 0x1p-22f);
		}
	}
}

void
input_halves(const float *from, DistHalf *halves, float *wide, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		float		value = from[i];

		if (value > HALF_MAX)
			value = HALF_MAX;
		else if (value < -HALF_MAX)
			value = -HALF_MAX;
		halves[i] = half_from_float(value);
		wide[i] = half_to_float(halves[i]);
	}
}

void
input_i8(Random *random, int8_t *v, uint32_t n, int extreme)
{
	for (uint32_t i = 0; i < n; i++)
	{
		if (extreme)
			v[i] = random_below(random, 2) ? 127 : -127;
		else
			v[i] = (int8_t) ((int) random_below(random, 255) - 127);
	}
}

Fenced
fenced_new(uint32_t capacity)
{
	size_t		page = (size_t) sysconf(_SC_PAGESIZE);
	size_t		inner = (capacity * sizeof(float) + page - 1) / page * page;
	Fenced		fenced;

	fenced.mapped_bytes = inner + 2 * page;
	fenced.mapping = mmap(NULL, fenced.mapped_bytes, PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fenced.mapping == MAP_FAILED ||
		mprotect(fenced.mapping, page, PROT_NONE) != 0 ||
		mprotect(fenced.mapping + page + inner, page, PROT_NONE) != 0)
	{
		perror("could not map fenced memory");
		exit(2);
	}
	fenced.first = (float *) (fenced.mapping + page);
	fenced.past_last = (float *) (fenced.mapping + page + inner);
	return fenced;
}

void
fenced_drop(Fenced *fenced)
{
	munmap(fenced->mapping, fenced->mapped_bytes);
}
