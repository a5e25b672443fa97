/*
 * chain.c
 *	  The longest chain of ranges that ascend.
 *
 * One pass keeps, for every length, the chain of that length that ends lowest.
 * A range prolongs the longest chain that ends at or before its low end.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "zone/chain.h"

#define NO_RANGE PG_UINT32_MAX

/* How many of the chains, which end ever higher, end at or before a pair. */
static uint32
chains_before(const ZoneRange *ranges, const uint32 *tails, uint32 ntails,
			  ZonePair pair)
{
	uint32		low = 0;
	uint32		high = ntails;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (zone_pair_compare(ranges[tails[middle]].high, pair) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
chain_longest(const ZoneRange *ranges, uint32 nranges, bool *members)
{
	Size		bytes = mul_size(Max(nranges, 1), sizeof(uint32));
	uint32	   *tails = palloc_extended(bytes, MCXT_ALLOC_HUGE);
	uint32	   *before = palloc_extended(bytes, MCXT_ALLOC_HUGE);
	uint32		ntails = 0;

	memset(members, 0, nranges * sizeof(bool));
	for (uint32 i = 0; i < nranges; i++)
	{
		uint32		length;

		CHECK_FOR_INTERRUPTS();
		if (zone_range_is_empty(ranges[i]))
			continue;
		length = chains_before(ranges, tails, ntails, ranges[i].low);
		before[i] = length > 0 ? tails[length - 1] : NO_RANGE;
		if (length == ntails)
			tails[ntails++] = i;
		else if (zone_pair_compare(ranges[i].high,
								   ranges[tails[length]].high) < 0)
			tails[length] = i;
	}

	for (uint32 i = ntails > 0 ? tails[ntails - 1] : NO_RANGE; i != NO_RANGE;
		 i = before[i])
		members[i] = true;
	pfree(before);
	pfree(tails);
}
