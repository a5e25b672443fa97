/*
 * indexonly.c
 *	  Seeds that the vector index alone can tell.
 *
 * What a graph takes from a seed row is its entity, or its target. Where the
 * index keeps that column, a row that is certain to be among the nearest need not be
 * read. That it is
 * seen by the snapshot the visibility map tells, by this rule:
 *
 *	 - the count of vacuums was read when the scan began;
 *	 - then TIDs were read from the index, then the map is asked for their pages;
 *	 - then the count is read again.
 *
 * VACUUM makes a page all-visible that had dead rows only after ambulkdelete of
 * every index has returned, and that counts on before. So while the count stands,
 * no TID that the scan has read has been made free, and one on an all-visible
 * page belongs to a row that all see. Where it has moved, all rows are read.
 *
 * The answer is the same as if all were read. The count-th nearest row is no
 * nearer than the count-th least lower bound of all, whichever of them exist; a
 * row whose upper bound is less than that is nearer.
 */
#include "postgres.h"

#include "access/visibilitymap.h"
#include "storage/predicate.h"
#include "utils/rel.h"

#include "graph/indexonly.h"

/* Entries that the index answers, to the front; returns how many. */
static int
answered(Relation rel, SeedEntry *entries, int count)
{
	Buffer		vmbuffer = InvalidBuffer;
	int			found = 0;

	for (int i = 0; i < count; i++)
	{
		SeedEntry	entry = entries[i];

		if (!entry.known ||
			!VM_ALL_VISIBLE(rel, ItemPointerGetBlockNumber(&entry.tid), &vmbuffer))
			continue;
		entries[i] = entries[found];
		entries[found++] = entry;
	}
	if (BufferIsValid(vmbuffer))
		ReleaseBuffer(vmbuffer);
	return found;
}

uint32
indexonly_tell(NearestScan *nearest, Relation rel, Snapshot snapshot,
			   const FactNearest *want, SeedEntry *entries, int *count)
{
	int			found = answered(rel, entries, *count);

	if (found == 0 || !seedscan_is_current(nearest->scan))
		return 0;
	for (int i = 0; i < found; i++)
	{
		/* No tuple is read that could carry the predicate lock. */
		PredicateLockPage(rel, ItemPointerGetBlockNumber(&entries[i].tid), snapshot);
		want->sure(want->state, entries[i].isnull, DatumGetInt32(entries[i].value));
	}
	*count -= found;
	memmove(entries, entries + found, *count * sizeof(SeedEntry));
	return found;
}
