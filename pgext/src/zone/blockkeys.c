/*
 * blockkeys.c
 *	  The range of keys on one heap block, read from its tuples.
 *
 * Under the share lock of the page, so nothing here may fetch from elsewhere:
 * a key that is not plain inline bytes makes the block unreadable. Line
 * pointers that are redirected lead to tuples of the same page, which are read
 * themselves; dead ones lead nowhere.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/tableam.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "zone/blockkeys.h"

bool
block_keys_supported(Relation heap)
{
	/* Access methods made from heap's routine share its scan. */
	return heap->rd_tableam != NULL &&
		heap->rd_tableam->scan_begin == GetHeapamTableAmRoutine()->scan_begin;
}

static void
tuple_keys(Relation heap, HeapTuple tuple, const ZoneKey *key,
		   Datum *values, bool *isnull)
{
	TupleDesc	desc = RelationGetDescr(heap);

	for (int i = 0; i < key->ncolumns; i++)
		values[i] = heap_getattr(tuple, key->attnums[i], desc, &isnull[i]);
}

bool
block_tuple_range_inline(Relation heap, HeapTuple tuple, const ZoneKey *key,
						 ZoneRange *range)
{
	Datum		values[ZONE_MAX_COLUMNS];
	bool		isnull[ZONE_MAX_COLUMNS];

	tuple_keys(heap, tuple, key, values, isnull);
	return zone_row_range_inline(key, values, isnull, range);
}

void
block_tuple_range(Relation heap, HeapTuple tuple, const ZoneKey *key,
				  ZoneRange *range)
{
	Datum		values[ZONE_MAX_COLUMNS];
	bool		isnull[ZONE_MAX_COLUMNS];

	tuple_keys(heap, tuple, key, values, isnull);
	zone_row_range(key, values, isnull, range);
}

BlockKeys
block_keys_read(Relation heap, BlockNumber block, const ZoneKey *key,
				BufferAccessStrategy strategy, BlockTupleFn each, void *arg)
{
	BlockKeys	keys = {zone_range_nothing, true};
	Buffer		buffer = ReadBufferExtended(heap, MAIN_FORKNUM, block,
											RBM_NORMAL, strategy);
	Page		page;
	OffsetNumber last;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	last = PageIsNew(page) ? InvalidOffsetNumber : PageGetMaxOffsetNumber(page);

	for (OffsetNumber offset = FirstOffsetNumber; offset <= last; offset++)
	{
		ItemId		item = PageGetItemId(page, offset);
		HeapTupleData tuple;
		ZoneRange	range;

		if (!ItemIdIsNormal(item))
			continue;
		if (ItemIdGetLength(item) < SizeofHeapTupleHeader ||
			ItemIdGetOffset(item) + ItemIdGetLength(item) > BLCKSZ)
		{
			/* A damaged line pointer: promise nothing of this block. */
			keys.readable = false;
			continue;
		}

		tuple.t_data = (HeapTupleHeader) PageGetItem(page, item);
		tuple.t_len = ItemIdGetLength(item);
		tuple.t_tableOid = RelationGetRelid(heap);
		ItemPointerSet(&tuple.t_self, block, offset);

		if (block_tuple_range_inline(heap, &tuple, key, &range))
			keys.range = zone_range_union(keys.range, range);
		else
			keys.readable = false;
		if (each != NULL)
			each(&tuple, buffer, arg);
	}

	UnlockReleaseBuffer(buffer);
	return keys;
}
