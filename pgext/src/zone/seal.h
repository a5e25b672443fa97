/*
 * seal.h
 *	  Sealing: giving blocks bounds again.
 */
#ifndef ZONE_SEAL_H
#define ZONE_SEAL_H

#include "storage/buf.h"
#include "utils/relcache.h"

#include "zone/blockkeys.h"
#include "zone/page.h"

typedef enum SealScope
{
	SEAL_NEW,					/* what changed since the last sealing, on
								 * zone pages with searched blocks */
	SEAL_PENDING,				/* what changed since the last sealing */
	SEAL_ALL					/* every block, as if nothing were known */
} SealScope;

/*
 * Seal all zone pages of an index, and reset entries past the end of the heap
 * (SEAL_NEW leaves those).
 * Writers may go on. The caller holds a lock on the heap that keeps it from
 * being truncated. Whoever inserts into the heap must call the index's
 * aminsert: an index that is not ready must not be sealed.
 */
extern void zone_seal(Relation heap, Relation index, SealScope scope,
					  BufferAccessStrategy strategy);

/*
 * Seal what changed since the last sealing, from a block on; entries below are
 * not touched, even if nothing is known of them. Conditions as above.
 */
extern void zone_seal_run(Relation heap, Relation index,
						  BlockNumber first_block);

/*
 * Decide what becomes of the entries of a zone page, given the keys read of
 * those that are GATHERING: the longest chain of bounds that ascend is sealed.
 */
extern void zone_form_chain(ZoneLeaf *leaf, const BlockKeys *keys);

#endif							/* ZONE_SEAL_H */
