/*
 * report.h
 *	  What the parts of sorted_hnsw_check() share: what is checked, the rows of the
 *	  result, and slots read with care.
 */
#ifndef HNSW_CHECK_REPORT_H
#define HNSW_CHECK_REPORT_H

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/snapshot.h"

#include "hnsw/bits.h"
#include "hnsw/pageio.h"

typedef struct HnswIndexCheck
{
	Relation	heap;
	Relation	index;
	Snapshot	snapshot;		/* taken before the index was looked at */
	BufferAccessStrategy strategy;
	ReturnSetInfo *result;
	HnswMap		map;
	bool		alone;			/* nobody removes rows or frees slots */
	uint64		nfaults;		/* of this index */
	uint64		nwarnings;
	bool		silent;			/* count them only */

	/* What the pages say, of every slot below nnodes */
	uint32		nnodes;
	int8	   *levels;			/* NO_LEVEL where it is not in the graph */
	HnswBits	twins;
	HnswBits	heads;			/* with a chain */
	HnswBits	dying;
} HnswIndexCheck;

#define HNSW_NO_LEVEL (-1)

/* A row of the result. The block is InvalidBlockNumber when the fault is of none. */
extern void hnsw_check_fault(HnswIndexCheck *check, BlockNumber block,
							 const char *format,...) pg_attribute_printf(3, 4);
extern void hnsw_check_warning(HnswIndexCheck *check, BlockNumber block,
							   const char *format,...) pg_attribute_printf(3, 4);

/* The page of a slot, locked in share mode; InvalidBuffer when there is none, or
 * when it has a fault, which is reported elsewhere. */
extern Buffer hnsw_check_slot(HnswIndexCheck *check, HnswSpace space, uint32 number,
							  uint32 *slot);

#endif							/* HNSW_CHECK_REPORT_H */
