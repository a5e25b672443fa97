/*
 * seal.c
 *	  Sealing: giving blocks bounds again.
 *
 * Three steps for one zone page (README): mark the blocks, gather their keys
 * without a zone lock, publish. A row that comes in between finds the mark and
 * takes its block out of the sealer's hands.
 *
 * A crash or an error between the steps leaves marks, which lookups treat as
 * OPEN and the next sealer takes over.
 */
#include "postgres.h"

#include "commands/vacuum.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "zone/pageio.h"
#include "zone/seal.h"

typedef struct Sealer
{
	Relation	heap;
	Relation	index;
	ZoneKey		key;
	SealScope	scope;
	BufferAccessStrategy strategy;
	BlockNumber from;			/* blocks below are left alone */
	BlockKeys	keys[ZONE_ENTRIES]; /* of GATHERING entries */
	uint8		states[ZONE_ENTRIES];	/* as marked */
	bool		has_summaries;	/* these hold, of one directory page: */
	uint8		searched[ZONE_FANOUT];
	uint8		tracked[ZONE_FANOUT];
} Sealer;

static bool is_bounded(Sealer *sealer, uint32 zone, BlockNumber heap_blocks);
static void seal_zone(Sealer *sealer, uint32 zone, Buffer leaf_buffer);
static bool is_pending(const Sealer *sealer, uint32 zone, const ZoneLeaf *leaf,
					   int nentries);
static void seal_from(Sealer *sealer, Relation heap, Relation index);
static bool mark(const Sealer *sealer, uint32 zone, ZoneLeaf *leaf,
				 int nentries);
static void gather(Sealer *sealer, uint32 zone);
static void publish(const Sealer *sealer, uint32 zone, Buffer leaf_buffer,
					uint32 serial);

void
zone_seal(Relation heap, Relation index, SealScope scope,
		  BufferAccessStrategy strategy)
{
	Sealer	   *sealer = palloc(sizeof(Sealer));

	sealer->scope = scope;
	sealer->strategy = strategy;
	sealer->from = 0;
	seal_from(sealer, heap, index);
	pfree(sealer);
}

void
zone_seal_run(Relation heap, Relation index, BlockNumber first_block)
{
	Sealer	   *sealer = palloc(sizeof(Sealer));

	sealer->scope = SEAL_PENDING;
	sealer->strategy = NULL;
	sealer->from = first_block;
	seal_from(sealer, heap, index);
	pfree(sealer);
}

static void
seal_from(Sealer *sealer, Relation heap, Relation index)
{
	sealer->heap = heap;
	sealer->index = index;
	sealer->key = zone_cache(index)->key;
	sealer->has_summaries = false;

	for (uint32 zone = zone_of_block(sealer->from);; zone++)
	{
		BlockNumber address = zone_leaf_address(zone);
		Buffer		leaf_buffer;

		CHECK_FOR_INTERRUPTS();

		if (sealer->scope == SEAL_NEW)
		{
			BlockNumber heap_blocks = RelationGetNumberOfBlocks(heap);

			if (zone >= zone_count(heap_blocks))
				break;
			if (is_bounded(sealer, zone, heap_blocks))
				continue;
		}

		/* Past the end of the heap, pages are visited but not created. */
		if (zone < zone_count(RelationGetNumberOfBlocks(heap)))
			leaf_buffer = zone_pin_or_create(index, address);
		else
			leaf_buffer = zone_pin(index, address);
		if (!BufferIsValid(leaf_buffer))
			break;
		seal_zone(sealer, zone, leaf_buffer);
		ReleaseBuffer(leaf_buffer);
	}
}

/*
 * By the directory page, read once: is no block of the zone page searched? Then
 * a small COPY into a big table need not look at the page.
 */
static bool
is_bounded(Sealer *sealer, uint32 zone, BlockNumber heap_blocks)
{
	int			child = zone % ZONE_FANOUT;

	if (child == 0)
	{
		BlockNumber address = zone_directory_address(zone / ZONE_FANOUT);
		Buffer		buffer = zone_pin(sealer->index, address);

		sealer->has_summaries = false;
		if (BufferIsValid(buffer))
		{
			Page		page = BufferGetPage(buffer);

			LockBuffer(buffer, BUFFER_LOCK_SHARE);
			if (zone_page_check(sealer->index, address, page))
			{
				const ZoneDirectory *directory = zone_directory(page);

				memcpy(sealer->searched, directory->searched, ZONE_FANOUT);
				memcpy(sealer->tracked, directory->tracked, ZONE_FANOUT);
				sealer->has_summaries = true;
			}
			UnlockReleaseBuffer(buffer);
		}
	}
	return sealer->has_summaries && sealer->searched[child] == 0 &&
		sealer->tracked[child] >= zone_entries_within(zone, heap_blocks);
}

static void
seal_zone(Sealer *sealer, uint32 zone, Buffer leaf_buffer)
{
	int			nentries = zone_entries_within(zone, RelationGetNumberOfBlocks(sealer->heap));
	Page		page = BufferGetPage(leaf_buffer);
	ZoneChange	change;
	uint32		serial;
	bool		pending;

	/* A COPY into a table with many TRIED blocks comes here for all of them. */
	LockBuffer(leaf_buffer, BUFFER_LOCK_SHARE);
	if (zone_page_check(sealer->index, zone_leaf_address(zone), page))
		pending = is_pending(sealer, zone, zone_leaf(page), nentries);
	else
		pending = nentries > 0;
	LockBuffer(leaf_buffer, BUFFER_LOCK_UNLOCK);
	if (!pending)
		return;

	zone_change_begin(&change, sealer->index, zone, leaf_buffer,
					  ZONE_CHANGE_LOGGED);
	if (!mark(sealer, zone, change.leaf, nentries))
	{
		zone_change_abandon(&change);
		return;
	}
	serial = change.leaf->serial;
	memcpy(sealer->states, change.leaf->states, sizeof(sealer->states));
	zone_change_finish(&change);

	gather(sealer, zone);
	publish(sealer, zone, leaf_buffer, serial);
}

/* What becomes of an entry when its page is marked. */
static inline uint8
marked_state(const Sealer *sealer, uint8 state, bool within)
{
	if (!within)
		return ZONE_OPEN;
	if (sealer->scope != SEAL_ALL &&
		(state == ZONE_SEALED || state == ZONE_EMPTY || state == ZONE_TRIED))
		return state;
	return ZONE_GATHERING;
}

/* Would marking change anything, or find what a sealer left? */
static bool
is_pending(const Sealer *sealer, uint32 zone, const ZoneLeaf *leaf,
		   int nentries)
{
	for (int i = zone_entries_within(zone, sealer->from); i < ZONE_ENTRIES; i++)
	{
		uint8		state = leaf->states[i];

		if (marked_state(sealer, state, i < nentries) != state ||
			state == ZONE_GATHERING)
			return true;
	}
	return false;
}

/*
 * Turn entries whose blocks are to be read into GATHERING, those past the end
 * of the heap into OPEN, and take a serial number. Returns whether there is
 * anything to do.
 */
static bool
mark(const Sealer *sealer, uint32 zone, ZoneLeaf *leaf, int nentries)
{
	bool		changed = false;
	int			first = zone_entries_within(zone, sealer->from);

	for (int i = first; i < ZONE_ENTRIES; i++)
	{
		uint8		state = marked_state(sealer, leaf->states[i], i < nentries);

		changed |= state != leaf->states[i] || state == ZONE_GATHERING;
		leaf->states[i] = state;
	}
	if (changed)
		leaf->serial++;
	return changed;
}

static void
gather(Sealer *sealer, uint32 zone)
{
	for (int i = 0; i < ZONE_ENTRIES; i++)
	{
		if (sealer->states[i] != ZONE_GATHERING)
			continue;
		vacuum_pause();
		sealer->keys[i] = block_keys_read(sealer->heap,
										  zone_first_block(zone) + i,
										  &sealer->key, sealer->strategy,
										  NULL, NULL);
	}
}

static void
publish(const Sealer *sealer, uint32 zone, Buffer leaf_buffer, uint32 serial)
{
	ZoneChange	change;

	zone_change_begin(&change, sealer->index, zone, leaf_buffer,
					  ZONE_CHANGE_LOGGED);
	if (change.leaf->serial != serial)
	{
		zone_change_abandon(&change);
		return;
	}
	zone_form_chain(change.leaf, sealer->keys);
	zone_change_finish(&change);
}

/*
 * Longest ascending chain, in the order of blocks: tails[n] is the chain of
 * n + 1 blocks whose last block ends lowest. Of two blocks with a boundary pair
 * in common, both may be in the chain.
 */
typedef struct Chains
{
	int			length;
	int			tails[ZONE_ENTRIES];	/* last entry of the chain */
	int			before[ZONE_ENTRIES];	/* entry before this one, or -1 */
} Chains;

static void
chain_add(Chains *chains, const ZoneRange *bounds, int entry)
{
	int			low = 0;
	int			high = chains->length;

	/* The longest chain that ends at or before this block's smallest pair. */
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (zone_pair_compare(bounds[chains->tails[middle]].high,
							  bounds[entry].low) <= 0)
			low = middle + 1;
		else
			high = middle;
	}

	chains->before[entry] = low > 0 ? chains->tails[low - 1] : -1;
	if (low == chains->length)
		chains->tails[chains->length++] = entry;
	else if (zone_pair_compare(bounds[entry].high,
							   bounds[chains->tails[low]].high) < 0)
		chains->tails[low] = entry;
}

void
zone_form_chain(ZoneLeaf *leaf, const BlockKeys *keys)
{
	Chains		chains;
	uint8		candidates[ZONE_ENTRIES];

	chains.length = 0;
	memset(candidates, 0, sizeof(candidates));

	for (int i = 0; i < ZONE_ENTRIES; i++)
	{
		if (leaf->states[i] == ZONE_GATHERING)
		{
			leaf->states[i] = ZONE_TRIED;
			if (!keys[i].readable)
				continue;
			if (zone_range_is_empty(keys[i].range))
			{
				leaf->states[i] = ZONE_EMPTY;
				continue;
			}
			leaf->bounds[i] = keys[i].range;
			candidates[i] = ZONE_SEALED;
		}
		else if (zone_state_is_bounded(leaf->states[i]))
		{
			candidates[i] = leaf->states[i];
			leaf->states[i] = ZONE_TRIED;
		}
		if (candidates[i] != 0)
			chain_add(&chains, leaf->bounds, i);
	}

	for (int i = chains.length > 0 ? chains.tails[chains.length - 1] : -1;
		 i >= 0; i = chains.before[i])
		leaf->states[i] = candidates[i];
}
