/*
 * zonemap.c
 *	  Reading the zone map: which blocks can hold these keys?
 *
 * Top down: top pages name the directory pages to visit, these the zone pages,
 * these the blocks. A page that does not exist, or is all zeros, has nothing
 * but OPEN entries below. Each page is looked at once, under a share lock, and
 * what it says is taken as of that moment: see the README for why that is safe.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "zone/pageio.h"
#include "zone/scanstats.h"
#include "zone/zone.h"
#include "zone/zonemap.h"

struct ZoneMap
{
	Relation	index;
	Snapshot	snapshot;
	BlockNumber heap_blocks;
	ZoneKey		key;
};

/* One lookup under way. */
typedef struct Lookup
{
	ZoneMap    *map;
	const ZoneRange *ranges;
	int			nranges;
	BlockNumber searched_limit;
	ZoneBlocks *blocks;
} Lookup;

/* A set of children or entries of one page. */
#define SET_WORDS ((Max(ZONE_ENTRIES, ZONE_FANOUT) + 63) / 64)

typedef struct PageSet
{
	uint64		words[SET_WORDS];
} PageSet;

static bool visit_top(Lookup *lookup, uint32 top);
static bool visit_directory(Lookup *lookup, uint32 directory);
static bool visit_leaf(Lookup *lookup, uint32 zone, int nentries);
static void mark_children(const Lookup *lookup, const ZoneDirectory *page,
						  int nchildren, PageSet *visit);
static void mark_entries(const Lookup *lookup, const ZoneLeaf *leaf,
						 int nentries, PageSet *bounded, PageSet *searched);
static bool add_run(Lookup *lookup, BlockNumber first, BlockNumber count,
					bool searched);

static inline void
set_add(PageSet *set, int member)
{
	set->words[member / 64] |= UINT64CONST(1) << (member % 64);
}

static inline bool
set_has(const PageSet *set, int member)
{
	return (set->words[member / 64] >> (member % 64)) & 1;
}

bool
zonemap_usable(Relation index, Snapshot snapshot)
{
	Form_pg_index form = index->rd_index;

	if (!zone_is_zone_index(index) || !form->indisvalid || !form->indislive)
		return false;
	return !form->indcheckxmin ||
		TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
							  snapshot->xmin);
}

ZoneMap *
zonemap_open(Relation heap, Relation index, Snapshot snapshot)
{
	ZoneMap    *map = palloc(sizeof(ZoneMap));

	map->index = index;
	map->snapshot = snapshot;
	map->heap_blocks = RelationGetNumberOfBlocks(heap);
	map->key = zone_cache(index)->key;
	return map;
}

void
zonemap_close(ZoneMap *map)
{
	pfree(map);
}

const ZoneKey *
zonemap_key(const ZoneMap *map)
{
	return &map->key;
}

ZoneRange
zonemap_equal_range(const ZoneMap *map, Datum first, Oid first_type,
					const Datum *second, Oid second_type)
{
	ZonePair	point = key_image(first, key_kind_of_type(first_type));
	ZoneRange	range = {point, point};

	if (!zone_key_is_wide(&map->key))
		range.high.second = PG_UINT64_MAX;
	if (second != NULL && map->key.ncolumns > 1 && !zone_key_is_wide(&map->key))
	{
		uint64		image = key_image(*second, key_kind_of_type(second_type)).first;

		range.low.second = image;
		range.high.second = image;
	}
	return range;
}

static int
range_compare(const void *a, const void *b)
{
	return zone_pair_compare(((const ZoneRange *) a)->low,
							 ((const ZoneRange *) b)->low);
}

int
zone_ranges_normalize(ZoneRange *ranges, int nranges)
{
	int			kept = 0;
	bool		sorted = true;

	for (int i = 0; i < nranges; i++)
	{
		if (zone_range_is_empty(ranges[i]))
			continue;
		if (kept > 0 && range_compare(&ranges[kept - 1], &ranges[i]) > 0)
			sorted = false;
		ranges[kept++] = ranges[i];
	}
	if (!sorted)
		qsort(ranges, kept, sizeof(ZoneRange), range_compare);

	nranges = kept;
	kept = Min(nranges, 1);
	for (int i = 1; i < nranges; i++)
	{
		ZoneRange  *last = &ranges[kept - 1];

		if (zone_pair_compare(ranges[i].low, last->high) <= 0)
			last->high = zone_pair_max(last->high, ranges[i].high);
		else
			ranges[kept++] = ranges[i];
	}
	return kept;
}

static bool
visit_pages(Lookup *lookup)
{
	const ZoneMap *map = lookup->map;
	uint32		ndirectories = (zone_count(map->heap_blocks) + ZONE_FANOUT - 1) / ZONE_FANOUT;
	uint32		ntops = (ndirectories + ZONE_FANOUT - 1) / ZONE_FANOUT;

	if (lookup->nranges == 0 || ndirectories == 0)
		return true;
	if (ndirectories == 1)
		return visit_directory(lookup, 0);
	for (uint32 top = 0; top < ntops; top++)
	{
		if (!visit_top(lookup, top))
			return false;
	}
	return true;
}

bool
zonemap_lookup(ZoneMap *map, const ZoneRange *ranges, int nranges,
			   BlockNumber searched_limit, ZoneBlocks *blocks)
{
	Lookup		lookup = {map, ranges, nranges, searched_limit, blocks};
	bool		answered;

	memset(blocks, 0, sizeof(*blocks));
	answered = visit_pages(&lookup);
	scanstats_count(map->heap_blocks, blocks, answered);
	return answered;
}

/*
 * Pin and share-lock a page, or return InvalidBuffer when it is missing or all
 * zeros.
 */
static Buffer
lock_for_reading(const Lookup *lookup, BlockNumber address)
{
	ZoneMap    *map = lookup->map;
	Buffer		buffer = zone_pin(map->index, address);
	Page		page;

	CHECK_FOR_INTERRUPTS();
	if (!BufferIsValid(buffer))
		return InvalidBuffer;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	TestForOldSnapshot(map->snapshot, map->index, page);
	if (zone_page_check(map->index, address, page))
		return buffer;
	UnlockReleaseBuffer(buffer);
	return InvalidBuffer;
}

static bool
visit_top(Lookup *lookup, uint32 top)
{
	BlockNumber heap_blocks = lookup->map->heap_blocks;
	uint32		ndirectories = (zone_count(heap_blocks) + ZONE_FANOUT - 1) / ZONE_FANOUT;
	uint32		first = top * ZONE_FANOUT;
	int			nchildren = Min(ndirectories - first, ZONE_FANOUT);
	Buffer		buffer = lock_for_reading(lookup, zone_top_address(top));
	PageSet		visit = {{0}};

	if (BufferIsValid(buffer))
	{
		const ZoneDirectory *page = zone_directory(BufferGetPage(buffer));

		mark_children(lookup, page, nchildren, &visit);
		for (int i = 0; i < nchildren; i++)
		{
			if (page->tracked[i] < ZONE_FANOUT)
				set_add(&visit, i);
		}
		UnlockReleaseBuffer(buffer);
	}

	for (int i = 0; i < nchildren; i++)
	{
		if (BufferIsValid(buffer) && !set_has(&visit, i))
			continue;
		if (!visit_directory(lookup, first + i))
			return false;
	}
	return true;
}

/* Searched blocks of a heap of this size that a directory page knows of. */
static uint64
searched_below(const ZoneDirectory *page, uint32 first_zone, int nchildren,
			   BlockNumber heap_blocks)
{
	uint64		searched = 0;

	for (int i = 0; i < nchildren; i++)
	{
		int			nentries = zone_entries_within(first_zone + i, heap_blocks);

		searched += Min(page->searched[i], nentries) +
			Max(nentries - page->tracked[i], 0);
	}
	return searched;
}

static bool
visit_directory(Lookup *lookup, uint32 directory)
{
	BlockNumber heap_blocks = lookup->map->heap_blocks;
	uint32		first = directory * ZONE_FANOUT;
	int			nchildren = Min(zone_count(heap_blocks) - first, ZONE_FANOUT);
	Buffer		buffer = lock_for_reading(lookup, zone_directory_address(directory));
	PageSet		visit = {{0}};
	uint8		tracked[ZONE_FANOUT];
	bool		too_many;

	if (!BufferIsValid(buffer))
	{
		BlockNumber first_block = zone_first_block(first);

		return add_run(lookup, first_block,
					   Min(heap_blocks - first_block, ZONE_DIRECTORY_BLOCKS),
					   true);
	}
	else
	{
		const ZoneDirectory *page = zone_directory(BufferGetPage(buffer));

		mark_children(lookup, page, nchildren, &visit);
		for (int i = 0; i < nchildren; i++)
		{
			if (page->searched[i] != 0)
				set_add(&visit, i);
		}
		memcpy(tracked, page->tracked, nchildren);
		too_many = searched_below(page, first, nchildren, heap_blocks) +
			lookup->blocks->searched_blocks > lookup->searched_limit;
		UnlockReleaseBuffer(buffer);

		/* Every lookup returns all of these: do not count them one by one. */
		if (too_many)
			return false;
	}

	for (int i = 0; i < nchildren; i++)
	{
		int			nentries = zone_entries_within(first + i, heap_blocks);

		if (set_has(&visit, i))
		{
			if (!visit_leaf(lookup, first + i, nentries))
				return false;
		}
		else if (tracked[i] < nentries)
		{
			/* Blocks below are skipped, the rest is OPEN. */
			if (!add_run(lookup, zone_first_block(first + i) + tracked[i],
						 nentries - tracked[i], true))
				return false;
		}
	}
	return true;
}

static bool
visit_leaf(Lookup *lookup, uint32 zone, int nentries)
{
	Buffer		buffer = lock_for_reading(lookup, zone_leaf_address(zone));
	BlockNumber first_block = zone_first_block(zone);
	PageSet		bounded = {{0}};
	PageSet		searched = {{0}};

	if (!BufferIsValid(buffer))
		return add_run(lookup, first_block, nentries, true);

	mark_entries(lookup, zone_leaf(BufferGetPage(buffer)), nentries,
				 &bounded, &searched);
	UnlockReleaseBuffer(buffer);

	for (int word = 0; word < SET_WORDS; word++)
	{
		uint64		left = bounded.words[word] | searched.words[word];

		while (left != 0)
		{
			int			i = word * 64 + pg_rightmost_one_pos64(left);

			left &= left - 1;
			if (!add_run(lookup, first_block + i, 1, set_has(&searched, i)))
				return false;
		}
	}
	return true;
}

/* Position of the first range that ends at or after a pair. */
static int
first_range_from(const Lookup *lookup, ZonePair pair)
{
	int			low = 0;
	int			high = lookup->nranges;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (zone_pair_compare(lookup->ranges[middle].high, pair) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does any range overlap this one? */
static bool
overlaps(const Lookup *lookup, ZoneRange range)
{
	int			at = first_range_from(lookup, range.low);

	return at < lookup->nranges &&
		zone_pair_compare(lookup->ranges[at].low, range.high) <= 0;
}

/* Position of the first of ascending ranges that ends at or after a pair. */
static int
first_fence_from(const ZoneRange *fences, int nfences, ZonePair pair)
{
	int			low = 0;
	int			high = nfences;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (zone_pair_compare(fences[middle].high, pair) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Children of a directory or top page whose fence meets a range. */
static void
mark_children(const Lookup *lookup, const ZoneDirectory *page, int nchildren,
			  PageSet *visit)
{
	int			ascending = Min(page->ascending, nchildren);

	/* Halving pays while there are fewer ranges than fences. */
	if (ascending > 0 && lookup->nranges < ascending / 4)
	{
		for (int i = 0; i < lookup->nranges; i++)
		{
			int			at = first_fence_from(page->fences, ascending,
											  lookup->ranges[i].low);

			for (; at < ascending &&
				 zone_pair_compare(page->fences[at].low,
								   lookup->ranges[i].high) <= 0; at++)
				set_add(visit, at);
		}
		return;
	}

	for (int i = 0; i < nchildren; i++)
	{
		if (overlaps(lookup, page->fences[i]))
			set_add(visit, i);
	}
}

/* Are all entries of the page in the chain? The usual case, so it is made of
 * one operation on each byte, in a loop the compiler can vectorize. */
static bool
all_bounded(const ZoneLeaf *leaf)
{
	uint8		others = 0;

	StaticAssertStmt(ZONE_WIDE == ZONE_SEALED + 1 && (ZONE_SEALED & 1) == 1,
					 "state minus ZONE_SEALED is 0 or 1 for these two");
	for (int i = 0; i < ZONE_ENTRIES; i++)
		others |= (uint8) (leaf->states[i] - ZONE_SEALED) & 0xFE;
	return others == 0;
}

/* The chain of a zone page: entries with bounds, which ascend. */
typedef struct Chain
{
	const ZoneLeaf *leaf;
	int			length;
	bool		whole;			/* members are 0, 1, 2, ... */
	uint8		members[ZONE_ENTRIES];
} Chain;

static inline int
chain_entry(const Chain *chain, int n)
{
	return chain->whole ? n : chain->members[n];
}

/* Position of the first member that ends at or after a pair. */
static int
chain_find(const Chain *chain, ZonePair pair)
{
	int			low = 0;
	int			high = chain->length;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			entry = chain_entry(chain, middle);

		if (zone_pair_compare(chain->leaf->bounds[entry].high, pair) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
chain_collect(Chain *chain, const ZoneLeaf *leaf, int nentries,
			  PageSet *searched)
{
	chain->leaf = leaf;
	chain->length = nentries;
	chain->whole = all_bounded(leaf);
	if (chain->whole)
		return;

	chain->length = 0;
	for (int i = 0; i < nentries; i++)
	{
		uint8		state = leaf->states[i];

		if (zone_state_is_searched(state))
			set_add(searched, i);
		chain->members[chain->length] = i;
		chain->length += zone_state_is_bounded(state);
	}
}

/* Entries of a zone page: the chain by bounds, and all that are searched. */
static void
mark_entries(const Lookup *lookup, const ZoneLeaf *leaf, int nentries,
			 PageSet *bounded, PageSet *searched)
{
	Chain		chain;
	ZonePair	end;

	chain_collect(&chain, leaf, nentries, searched);
	if (chain.length == 0)
		return;

	end = leaf->bounds[chain_entry(&chain, chain.length - 1)].high;
	for (int range = first_range_from(lookup, leaf->bounds[chain_entry(&chain, 0)].low);
		 range < lookup->nranges; range++)
	{
		ZoneRange	wanted = lookup->ranges[range];
		int			at;

		if (zone_pair_compare(end, wanted.low) < 0)
			break;
		for (at = chain_find(&chain, wanted.low); at < chain.length; at++)
		{
			int			entry = chain_entry(&chain, at);

			if (zone_pair_compare(leaf->bounds[entry].low, wanted.high) > 0)
				break;
			set_add(bounded, entry);
		}
	}
}

/* Append blocks to the answer; false when the limit is passed. */
static bool
add_run(Lookup *lookup, BlockNumber first, BlockNumber count, bool searched)
{
	ZoneBlocks *blocks = lookup->blocks;
	ZoneRun    *last = blocks->nruns > 0 ? &blocks->runs[blocks->nruns - 1] : NULL;

	if (searched)
		blocks->searched_blocks += count;
	else
		blocks->bounded_blocks += count;
	if (blocks->searched_blocks > lookup->searched_limit)
		return false;

	if (last != NULL && last->searched == searched &&
		last->first + last->count == first)
	{
		last->count += count;
		return true;
	}

	if (blocks->nruns == blocks->capacity)
	{
		blocks->capacity = Max(blocks->capacity * 2, 64);
		blocks->runs = blocks->runs == NULL ?
			palloc(blocks->capacity * sizeof(ZoneRun)) :
			repalloc_huge(blocks->runs, blocks->capacity * sizeof(ZoneRun));
	}
	blocks->runs[blocks->nruns].first = first;
	blocks->runs[blocks->nruns].count = count;
	blocks->runs[blocks->nruns].searched = searched;
	blocks->nruns++;
	return true;
}
