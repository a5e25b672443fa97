/*
 * dist_isa.h
 *	  The kernel tables that dist.c chooses from. Private to the dist files.
 *
 * Two rules bind every table, because dist.c and its callers rely on them:
 *	 - all sums of a table run in the same order, whatever the operation, the
 *	   element types and the number of vectors met at once. So a known norm, a
 *	   prepared query and a kernel for four give the bits of a plain pair, and a
 *	   vector has distance exactly 0 to itself;
 *	 - conversions give the bits of the scalar table.
 */
#ifndef DIST_ISA_H
#define DIST_ISA_H

#include "dist.h"

extern const DistKernels dist_isa_scalar;

#if defined(__x86_64__)
extern const DistKernels dist_isa_avx2;
extern const DistKernels dist_isa_avx512;
extern const DistKernels dist_isa_avx512vnni;
#elif defined(__aarch64__)
extern const DistKernels dist_isa_neon;
extern const DistKernels dist_isa_neondot;
#endif

#endif							/* DIST_ISA_H */
