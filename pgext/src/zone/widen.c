/*
 * widen.c
 *	  A writer's part of the rule: the entry of a row's block covers the row.
 *
 * A row outside the bounds of its block either lies in the gap between the
 * neighbours of the block in its chain, or leaves their order. In the gap, the
 * entry takes all of the gap on that side: the neighbours keep their keys to
 * themselves, and the next rows there cost nothing. Out of order, the entry
 * becomes LOOSE, and no later row of the block costs anything.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "zone/pageio.h"
#include "zone/widen.h"

/* What the neighbours of an entry leave to it. */
typedef struct Gap
{
	bool		has_left;
	bool		has_right;
	ZonePair	left;			/* largest pair of the neighbour before */
	ZonePair	right;			/* smallest pair of the one after */
} Gap;

static bool entry_covers(const ZoneLeaf *leaf, int entry, ZoneRange row);
static void change_entry(ZoneLeaf *leaf, int entry, ZoneRange row,
						 const Gap *gap);
static void find_gap(const ZoneChange *change, int entry, Gap *gap);
static ZoneRange widened(ZoneRange bounds, ZoneRange row, const Gap *gap);

void
zone_cover(Relation index, Buffer leaf, BlockNumber heap_block, ZoneRange row)
{
	int			entry = zone_entry_of_block(heap_block);
	ZoneChange	change;
	bool		covered;

	if (zone_range_is_empty(row))
		return;

	LockBuffer(leaf, BUFFER_LOCK_SHARE);
	covered = !zone_page_check(index, BufferGetBlockNumber(leaf),
							   BufferGetPage(leaf)) ||
		entry_covers(zone_leaf(BufferGetPage(leaf)), entry, row);
	LockBuffer(leaf, BUFFER_LOCK_UNLOCK);
	if (covered)
		return;

	zone_change_begin(&change, index, zone_of_block(heap_block), leaf,
					  ZONE_CHANGE_LOGGED);
	if (entry_covers(change.leaf, entry, row))
	{
		zone_change_abandon(&change);
		return;
	}
	if (zone_state_is_bounded(change.leaf->states[entry]))
	{
		Gap			gap;

		find_gap(&change, entry, &gap);
		change_entry(change.leaf, entry, row, &gap);
	}
	else
		change.leaf->states[entry] = ZONE_OPEN;
	change.leaf->widens++;
	zone_change_finish(&change);
}

/* Is there nothing to do for this row? */
static bool
entry_covers(const ZoneLeaf *leaf, int entry, ZoneRange row)
{
	uint8		state = leaf->states[entry];

	if (zone_state_is_bounded(state))
		return zone_range_contains(leaf->bounds[entry], row);
	return zone_state_is_free(state);
}

/* The row is outside the bounds of the entry. */
static void
change_entry(ZoneLeaf *leaf, int entry, ZoneRange row, const Gap *gap)
{
	bool		in_order =
		(!gap->has_left || zone_pair_compare(gap->left, row.low) <= 0) &&
		(!gap->has_right || zone_pair_compare(row.high, gap->right) <= 0);

	if (in_order)
	{
		leaf->bounds[entry] = widened(leaf->bounds[entry], row, gap);
		leaf->states[entry] = ZONE_WIDE;
	}
	else
		leaf->states[entry] = ZONE_LOOSE;
}

static ZonePair
pair_after(ZonePair pair)
{
	if (++pair.second == 0)
		pair.first++;
	return pair;
}

static ZonePair
pair_before(ZonePair pair)
{
	if (pair.second-- == 0)
		pair.first--;
	return pair;
}

/* The bounds with the gap on the sides where the row sticks out. A neighbour's
 * own edge is taken only if the row needs it. */
static ZoneRange
widened(ZoneRange bounds, ZoneRange row, const Gap *gap)
{
	ZoneRange	result = bounds;

	if (zone_pair_compare(row.low, bounds.low) < 0)
	{
		ZonePair	edge = zone_range_everything.low;

		/* left <= row.low < bounds.low, so left has a successor */
		if (gap->has_left)
			edge = pair_after(gap->left);
		result.low = zone_pair_min(row.low, edge);
	}
	if (zone_pair_compare(row.high, bounds.high) > 0)
	{
		ZonePair	edge = zone_range_everything.high;

		if (gap->has_right)
			edge = pair_before(gap->right);
		result.high = zone_pair_max(row.high, edge);
	}
	return result;
}

/*
 * Neighbours in the chain on the same zone page, else the fences of zone pages
 * of the same directory. Fences only keep neighbouring pages from overlapping;
 * nothing depends on them.
 */
static void
find_gap(const ZoneChange *change, int entry, Gap *gap)
{
	const ZoneLeaf *leaf = change->leaf;
	Page		parent = BufferGetPage(change->directory_buffer);
	const ZoneDirectory *directory = NULL;
	int			child = change->zone % ZONE_FANOUT;

	memset(gap, 0, sizeof(*gap));
	if (zone_page_check(change->index,
						BufferGetBlockNumber(change->directory_buffer), parent))
		directory = zone_directory(parent);

	for (int i = entry - 1; i >= 0 && !gap->has_left; i--)
	{
		gap->has_left = zone_state_is_bounded(leaf->states[i]);
		gap->left = leaf->bounds[i].high;
	}
	for (int i = child - 1; i >= 0 && directory && !gap->has_left; i--)
	{
		gap->has_left = !zone_range_is_empty(directory->fences[i]);
		gap->left = directory->fences[i].high;
	}

	for (int i = entry + 1; i < ZONE_ENTRIES && !gap->has_right; i++)
	{
		gap->has_right = zone_state_is_bounded(leaf->states[i]);
		gap->right = leaf->bounds[i].low;
	}
	for (int i = child + 1; i < ZONE_FANOUT && directory && !gap->has_right; i++)
	{
		gap->has_right = !zone_range_is_empty(directory->fences[i]);
		gap->right = directory->fences[i].low;
	}
}
