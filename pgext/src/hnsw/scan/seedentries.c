/*
 * seedentries.c
 *	  What the index alone knows of the rows that a scan has found.
 *
 * The page lock of walks is not held, so a slot may have been freed and filled
 * again since it was found. Then VACUUM has counted on (`repairs` before it frees
 * the first slot), and the entries are thrown away by the caller, who asks
 * for the counts once more after the visibility map. What is read may be of another
 * row until then, but is a value of the column's type: slots of nodes hold nothing
 * else there.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "hnsw/columns.h"
#include "hnsw/scan/nodefilter.h"
#include "hnsw/scan/seedentries.h"
#include "types/keyimage.h"

AttrNumber
seedentries_column(Relation index, const HnswShape *shape, AttrNumber column)
{
	for (int i = 1; i < index->rd_index->indnatts; i++)
	{
		if (index->rd_index->indkey.values[i] == column &&
			key_kind_is_exact((KeyKind) shape->columns[i - 1].kind))
			return i + 1;
	}
	return 0;
}

/* Slots may be freed at any time: does this one still have the row? */
void
seedentries_read(const Candidates *candidates, AttrNumber column, const Candidate *item,
				 SeedEntry *entry)
{
	HnswNode   *node;

	entry->tid = item->tid;
	entry->known = false;
	if (column == 0)
		return;
	node = hnsw_store_lock(candidates->store, item->node);
	entry->known = node != NULL && nodefilter_row(candidates->shape, NULL, node) &&
		ItemPointerEquals(&node->tid, &entry->tid) &&
		hnsw_columns_get(candidates->shape, column - 2,
						 hnsw_node_columns(candidates->shape, node), node->nulls,
						 &entry->value, &entry->isnull);
	hnsw_store_unlock(candidates->store);
}
