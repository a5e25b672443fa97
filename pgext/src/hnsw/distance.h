/*
 * distance.h
 *	  Which of our distances a function computes.
 */
#ifndef HNSW_DISTANCE_H
#define HNSW_DISTANCE_H

#include "fmgr.h"

#include "hnsw/shape.h"

/* The metric of a distance function in C; false when it is not one of ours. */
extern bool hnsw_distance_metric(PGFunction function, HnswType *type, DistMetric *metric);

#endif							/* HNSW_DISTANCE_H */
