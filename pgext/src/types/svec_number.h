/*
 * svec_number.h
 *	  Decimal text to float4, exactly and quickly.
 */
#ifndef SVEC_NUMBER_H
#define SVEC_NUMBER_H

/*
 * Read the decimal number at p; returns its end, or NULL where none starts.
 * The value is the float4 nearest to the text, as strtof gives it: infinity
 * when the text overflows, zero when it underflows.
 */
extern const char *svec_read_number(const char *p, float *value);

#endif							/* SVEC_NUMBER_H */
