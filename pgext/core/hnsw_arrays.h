/*
 * hnsw_arrays.h
 *	  A graph in flat arrays: how an index is built, and the twin that the
 *	  algorithms are tested on.
 */
#ifndef HNSW_ARRAYS_H
#define HNSW_ARRAYS_H

#include "dist.h"
#include "hnsw.h"
#include "hnsw_place.h"

typedef struct HnswArrays
{
	HnswParams	params;
	uint64_t	seed;
	DistMetric	metric;
	uint32_t	dim;
	uint32_t	capacity;
	uint32_t	slack;
	const DistKernels *kernels;

	const float *vectors;
	uint8_t    *levels;
	uint32_t   *base;
	uint32_t   *upper;
	uint64_t   *upper_start;
	uint32_t	count;
	HnswEntry	entry;
} HnswArrays;

extern CoreStatus hnsw_arrays_init(HnswArrays *arrays, CoreAlloc alloc);
extern HnswStore hnsw_arrays_store(HnswArrays *arrays);
extern CoreStatus hnsw_arrays_insert(HnswArrays *arrays, HnswPlacer *placer, uint32_t node);
extern CoreStatus hnsw_arrays_finish(HnswArrays *arrays, HnswPlacer *placer);

#endif
