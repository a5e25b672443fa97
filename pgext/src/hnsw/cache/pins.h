/*
 * pins.h
 *	  Versions that this process holds, given up with the resource owner that
 *	  held them.
 */
#ifndef HNSW_CACHE_PINS_H
#define HNSW_CACHE_PINS_H

#include "hnsw/cache/cache.h"

/* Room for a pin, so that taking one cannot fail between the count and its
 * record. */
extern HnswVersion *hnsw_pins_reserve(void);

/* Hold it for the current resource owner. */
extern void hnsw_pins_add(HnswVersion *version);

#endif							/* HNSW_CACHE_PINS_H */
