/*
 * compat.h
 *	  The only place that looks at PG_VERSION_NUM: each difference between
 *	  PostgreSQL 15, 16, 17 and 18 is bent into one spelling here.
 */
#ifndef COMPAT_H
#define COMPAT_H

#if PG_VERSION_NUM < 150000
#error "sorted_heap needs PostgreSQL 15 or later"
#endif

/* Varlena macros left postgres.h in 16; input functions learned to report
 * errors softly then, which 15 does by throwing. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#else
#define ereturn(context, dummy_value, ...) ereport(ERROR, __VA_ARGS__)
#endif

#endif							/* COMPAT_H */
