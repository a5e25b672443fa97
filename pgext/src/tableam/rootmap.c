/*
 * rootmap.c
 *	  From heap-only tuples to the roots of their chains.
 *
 * Where a chain starts does not change while the page stays pinned, whatever
 * happens to the transactions in it; only new heap-only tuples may join, when
 * the caller's table lock allows writers.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "tableam/rootmap.h"

static void read_roots(RootMap *map, Buffer buffer);

bool
rootmap_visit(RootMap *map, Buffer buffer)
{
	BlockNumber block = BufferGetBlockNumber(buffer);

	if (map->block == block)
		return false;
	read_roots(map, buffer);
	map->block = block;
	return true;
}

ItemPointerData
rootmap_index_tid(RootMap *map, HeapTuple tuple, Buffer buffer, Relation rel)
{
	ItemPointerData tid = tuple->t_self;
	OffsetNumber offset = ItemPointerGetOffsetNumber(&tid);

	Assert(map->block == ItemPointerGetBlockNumber(&tid));
	if (!HeapTupleIsHeapOnly(tuple))
		return tid;

	if (!OffsetNumberIsValid(map->roots[offset - 1]))
		read_roots(map, buffer);
	if (!OffsetNumberIsValid(map->roots[offset - 1]))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg_internal("heap-only tuple (%u,%u) of table \"%s\" belongs to no chain",
								 map->block, offset,
								 RelationGetRelationName(rel))));

	ItemPointerSetOffsetNumber(&tid, map->roots[offset - 1]);
	return tid;
}

static void
read_roots(RootMap *map, Buffer buffer)
{
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	heap_get_root_tuples(BufferGetPage(buffer), map->roots);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
}
