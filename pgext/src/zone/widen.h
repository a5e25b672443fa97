/*
 * widen.h
 *	  A writer's part of the rule: the entry of a row's block covers the row.
 */
#ifndef ZONE_WIDEN_H
#define ZONE_WIDEN_H

#include "storage/buf.h"
#include "utils/relcache.h"

#include "zone/image.h"

/*
 * Make the entry of heap_block cover row. leaf is the block's zone page,
 * pinned; no zone map page and no heap page is locked. The row must be on its
 * heap page already. When this returns, the cover is in shared buffers and in
 * the WAL.
 */
extern void zone_cover(Relation index, Buffer leaf, BlockNumber heap_block,
					   ZoneRange row);

#endif							/* ZONE_WIDEN_H */
