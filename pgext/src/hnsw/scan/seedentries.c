/*
 * seedentries.c
 *	  What the index alone knows of the rows that a scan has found.
 *
 * The page lock of walks is not held, so a slot may have been freed and filled
 * again since it was found. Then VACUUM has counted on (`repairs` before it frees
 * the first slot), and the entries are thrown away, here or by the caller, who asks
 * for the counts once more after the visibility map. What is read may be of another
 * row until then, but is a value of the column's type: slots of nodes hold nothing
 * else there.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/rel.h"

#include "hnsw/columns.h"
#include "hnsw/scan/nodefilter.h"
#include "hnsw/scan/seedentries.h"
#include "types/keyimage.h"

/* So many rows are looked at together. */
#define STEP 16

AttrNumber
seedentries_column(Relation index, const HnswShape *shape, AttrNumber column)
{
	if (shape->refine != HNSW_REFINE_F16)
		return 0;
	for (int i = 1; i < index->rd_index->indnatts; i++)
	{
		if (index->rd_index->indkey.values[i] == column &&
			key_kind_is_exact((KeyKind) shape->columns[i - 1].kind))
			return i + 1;
	}
	return 0;
}

/* The value of the column, if the slot still has the row. */
static bool
read_value(const Candidates *candidates, int column, const Candidate *item, SeedEntry *entry)
{
	HnswNode   *node = hnsw_store_lock(candidates->store, item->node);

	return node != NULL && nodefilter_row(candidates->shape, NULL, node) &&
		ItemPointerEquals(&node->tid, unconstify(ItemPointerData *, &item->tid)) &&
		hnsw_columns_get(candidates->shape, column,
						 hnsw_node_columns(candidates->shape, node), node->nulls,
						 &entry->value, &entry->isnull);
}

/* A candidate with all that the index knows. */
static void
fill_entry(const Candidates *candidates, int column, const Candidate *item, SeedEntry *entry)
{
	const DistHalf *halves;

	entry->tid = item->tid;
	entry->least = item->least;
	entry->most = INFINITY;
	if (!read_value(candidates, column, item, entry))
		return;
	hnsw_store_unlock(candidates->store);
	halves = hnsw_store_halves(candidates->store, item->node);
	if (halves == NULL)
		return;
	entry->least = candidates_bounds(candidates, halves, &entry->most);
}

/* Candidates need not look at halves again; false when these may have been of
 * other rows. */
static bool
keep_bounds(Candidates *candidates, const SeedEntry *entries, uint32 n)
{
	if (!hnsw_store_is_current(candidates->store))
		return false;
	for (uint32 i = 0; i < n; i++)
	{
		if (isinf(entries[i].most))
			continue;
		candidates->items[i].least = entries[i].least;
		candidates->items[i].level = CANDIDATE_HALVES;
	}
	candidates_sort(candidates);
	return true;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		left = *(const double *) a;
	double		right = *(const double *) b;

	return left < right ? -1 : left > right;
}

/* The count-th least of the lower bounds. */
static double
count_th(const SeedEntry *entries, uint32 n, uint32 count, double *room)
{
	for (uint32 i = 0; i < n; i++)
		room[i] = entries[i].least;
	qsort(room, n, sizeof(double), compare_doubles);
	return room[count - 1];
}

/*
 * Candidates are taken by what their records tell until the next one is no nearer
 * than the boundary. Where there is no such, rows not found yet may be nearer; a
 * long chain of twins before it has rows that nobody has counted.
 */
uint32
seedentries_make(Candidates *candidates, int column, uint32 count, SeedEntry **entries,
				 double *boundary)
{
	uint32		total = candidates->count;
	uint32		n = 0;
	bool		stopped = false;
	bool		complete;
	double	   *room;

	*boundary = -INFINITY;
	if (candidates->query == NULL || total <= count)
		return 0;
	candidates_sort(candidates);
	*entries = palloc(total * sizeof(SeedEntry));
	room = palloc(total * sizeof(double));
	while (n < total && !stopped && (n < count || candidates->items[n].least < *boundary))
	{
		uint32		end = Min(Max(n, count) + STEP, total);

		for (uint32 i = n; i < end; i++)
			hnsw_store_prefetch_halves(candidates->store, candidates->items[i].node);
		for (; n < end; n++)
		{
			CHECK_FOR_INTERRUPTS();
			if (candidates->items[n].level != CANDIDATE_RECORD)
				break;
			fill_entry(candidates, column, &candidates->items[n], &(*entries)[n]);
		}
		if (n >= count)
			*boundary = count_th(*entries, n, count, room);
		stopped = n < end;
	}
	complete = n >= count && n < total && candidates->items[n].least >= *boundary;
	hnsw_store_forget(candidates->store);
	pfree(room);
	return keep_bounds(candidates, *entries, n) && complete ? n : 0;
}
