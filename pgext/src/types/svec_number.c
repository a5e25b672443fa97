/*
 * svec_number.c
 *	  Decimal text to float4, exactly and quickly.
 *
 * The grammar is narrower than strtof's: no hex, no "nan", no "infinity".
 *
 * Loading vectors spends its time here, so the usual number skips strtof. Up
 * to 15 digits fit a double exactly, as do powers of ten up to 10^22; one
 * multiplication or division of the two is then the double nearest to the
 * text. Rounding that to float4 rounds twice, which errs only where the first
 * rounding lands on the middle between two float4: such doubles, and whatever
 * is outside the range of normal float4, are left to strtof.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "types/svec_number.h"

#define MAX_EXACT_DIGITS	15
#define MAX_EXACT_POWER		22

/* Fraction bits that a double has beyond a float4, and the middle of them. */
#define EXTRA_BITS			UINT64CONST(0x1fffffff)
#define EXTRA_BITS_MIDDLE	UINT64CONST(0x10000000)

/*
 * Where a written exponent stops growing: beyond what the digits of the longest
 * text could bring back into range, and far from overflow of an int64.
 */
#define EXPONENT_CAP		INT64CONST(1000000000000)

/* A number as written: digits * 10^exponent. */
typedef struct Decimal
{
	bool		negative;
	uint64		digits;			/* valid up to MAX_EXACT_DIGITS */
	int			ndigits;		/* without leading zeros */
	int64		exponent;
} Decimal;

static const double powers_of_ten[MAX_EXACT_POWER + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

static const char *scan_decimal(const char *p, Decimal *decimal);
static const char *scan_digits(const char *p, Decimal *decimal);
static const char *scan_exponent(const char *p, Decimal *decimal);
static bool convert_exactly(const Decimal *decimal, float *value);

const char *
svec_read_number(const char *p, float *value)
{
	Decimal		decimal = {0};
	const char *end = scan_decimal(p, &decimal);
	char	   *strtof_end;

	if (end == NULL || convert_exactly(&decimal, value))
		return end;

	/*
	 * LC_NUMERIC is always C in the server. Reading beyond our end means a
	 * hex number ("0x1"), of which we saw the zero.
	 */
	*value = strtof(p, &strtof_end);
	return strtof_end == end ? end : NULL;
}

static const char *
scan_decimal(const char *p, Decimal *decimal)
{
	const char *start;
	ptrdiff_t	seen;

	if (*p == '+' || *p == '-')
		decimal->negative = *p++ == '-';
	start = p;
	p = scan_digits(p, decimal);
	seen = p - start;
	if (*p == '.')
	{
		start = ++p;
		p = scan_digits(p, decimal);
		seen += p - start;
		decimal->exponent = -(int64) (p - start);
	}
	if (seen == 0)
		return NULL;
	return *p == 'e' || *p == 'E' ? scan_exponent(p + 1, decimal) : p;
}

static const char *
scan_digits(const char *p, Decimal *decimal)
{
	for (; *p >= '0' && *p <= '9'; p++)
	{
		if (decimal->ndigits == 0 && *p == '0')
			continue;
		if (decimal->ndigits < MAX_EXACT_DIGITS)
			decimal->digits = decimal->digits * 10 + (*p - '0');
		if (decimal->ndigits <= MAX_EXACT_DIGITS)
			decimal->ndigits++;
	}
	return p;
}

/* The part after "e"; NULL without a digit. */
static const char *
scan_exponent(const char *p, Decimal *decimal)
{
	bool		negative = false;
	int64		exponent = 0;
	const char *start;

	if (*p == '+' || *p == '-')
		negative = *p++ == '-';
	for (start = p; *p >= '0' && *p <= '9'; p++)
		exponent = Min(exponent * 10 + (*p - '0'), EXPONENT_CAP);
	if (p == start)
		return NULL;
	decimal->exponent += negative ? -exponent : exponent;
	return p;
}

/* False where one correct rounding cannot be vouched for. */
static bool
convert_exactly(const Decimal *decimal, float *value)
{
	double		wide;
	uint64		bits;

	if (decimal->ndigits > MAX_EXACT_DIGITS ||
		decimal->exponent > MAX_EXACT_POWER ||
		decimal->exponent < -MAX_EXACT_POWER)
		return false;
	wide = (double) decimal->digits;
	if (decimal->exponent < 0)
		wide /= powers_of_ten[-decimal->exponent];
	else
		wide *= powers_of_ten[decimal->exponent];

	memcpy(&bits, &wide, sizeof(bits));
	if ((bits & EXTRA_BITS) == EXTRA_BITS_MIDDLE ||
		(wide != 0.0 && wide < FLT_MIN) || wide > FLT_MAX)
		return false;
	*value = (float) (decimal->negative ? -wide : wide);
	return true;
}
