/*
 * dist_isa.h
 *	  The kernel tables that dist.c chooses from. Private to the dist files.
 *
 * Two rules bind every table, because dist.c and its callers rely on them:
 *	 - cosine_f32 and dotnorm_f32 sum dot and bb in the same order, so that a
 *	   query with a known norm gives the same bits as a pair of vectors;
 *	 - within cosine_f32 the three sums run in the same order, so that a vector
 *	   has distance exactly 0 to itself.
 */
#ifndef DIST_ISA_H
#define DIST_ISA_H

#include "dist.h"

extern const DistKernels dist_isa_scalar;

#if defined(__x86_64__)
extern const DistKernels dist_isa_avx2;
#endif

#endif							/* DIST_ISA_H */
