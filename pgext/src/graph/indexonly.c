/*
 * indexonly.c
 *	  Seeds that the vector index alone can tell.
 *
 * What a graph takes from a seed row is its entity, or its target. Where the
 * index keeps that column, and halves that bound distances from both sides, a
 * row need be read only if it is not certain to be among the nearest. That it is
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

/* Entries that are certain and seen, to the front; returns how many. */
static uint32
keep_certain(Relation rel, SeedEntry *entries, uint32 n, double boundary)
{
	Buffer		vmbuffer = InvalidBuffer;
	uint32		kept = 0;

	for (uint32 i = 0; i < n; i++)
	{
		if (entries[i].most < boundary &&
			VM_ALL_VISIBLE(rel, ItemPointerGetBlockNumber(&entries[i].tid), &vmbuffer))
			entries[kept++] = entries[i];
	}
	if (BufferIsValid(vmbuffer))
		ReleaseBuffer(vmbuffer);
	return kept;
}

uint32
indexonly_seeds(NearestScan *nearest, Relation rel, const FactColumns *columns,
				Snapshot snapshot, const FactNearest *want)
{
	AttrNumber	column = seedscan_entry_column(nearest->scan, columns->attno[want->id]);
	SeedEntry  *entries;
	double		boundary;
	uint32		n;

	if (column == 0)
		return 0;
	n = seedscan_entries(nearest->scan, column, want->count, &entries, &boundary);
	if (n == 0)
		return 0;
	n = keep_certain(rel, entries, n, boundary);
	if (!seedscan_is_current(nearest->scan))
		n = 0;
	for (uint32 i = 0; i < n; i++)
	{
		/* No tuple is read that could carry the predicate lock. */
		PredicateLockPage(rel, ItemPointerGetBlockNumber(&entries[i].tid), snapshot);
		seedscan_settle(nearest->scan, &entries[i].tid);
		want->sure(want->state, entries[i].isnull, DatumGetInt32(entries[i].value));
	}
	pfree(entries);
	return n;
}
