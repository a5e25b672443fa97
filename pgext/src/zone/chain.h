/*
 * chain.h
 *	  The longest chain of ranges that ascend.
 */
#ifndef ZONE_CHAIN_H
#define ZONE_CHAIN_H

#include "zone/image.h"

/*
 * Mark the members of a longest chain: each starts at or after the end of the
 * member before. Empty ranges are never members. Takes n log n steps and, for
 * the call, 8 bytes of memory a range.
 */
extern void chain_longest(const ZoneRange *ranges, uint32 nranges,
						  bool *members);

#endif							/* ZONE_CHAIN_H */
