/*
 * zone_addresses.c
 *	  The map's addresses over all sizes that a heap can have.
 *
 * No test can fill a heap of 2^32 blocks, nor one of 92 GB, where the second
 * top page begins. So this simulates block numbers: it is linked with page.c
 * alone, needs no server, and walks every zone page in the order of the heap.
 */
#include "postgres.h"

#include "zone/page.h"

/* The server's own are not linked. */
#undef printf
#undef fprintf

static int	passed;
static int	failed;

static void
check(bool holds, const char *what, uint64 number)
{
	if (holds)
	{
		passed++;
		return;
	}
	failed++;
	fprintf(stderr, "%s: " UINT64_FORMAT "\n", what, number);
}

static bool
is_page(BlockNumber address, ZonePageKind kind, uint32 ordinal)
{
	ZonePageId	id = zone_page_id(address);

	return id.kind == kind && id.ordinal == ordinal;
}

/*
 * Pages come one after another without a gap or an overlap: a top page before
 * its first directory, a directory before its first zone page.
 */
static bool
follows(uint32 zone, BlockNumber *next)
{
	uint32		directory = zone / ZONE_FANOUT;

	if (zone % (ZONE_FANOUT * ZONE_FANOUT) == 0)
	{
		uint32		top = directory / ZONE_FANOUT;

		if (zone_top_address(top) != *next ||
			!is_page((*next)++, ZONE_PAGE_TOP, top))
			return false;
	}
	if (zone % ZONE_FANOUT == 0 &&
		(zone_directory_address(directory) != *next ||
		 !is_page((*next)++, ZONE_PAGE_DIRECTORY, directory)))
		return false;
	return zone_leaf_address(zone) == *next &&
		is_page((*next)++, ZONE_PAGE_LEAF, zone);
}

static void
test_all_zones(void)
{
	uint32		nzones = zone_count(MaxBlockNumber);
	BlockNumber next = 1;
	uint32		zone;

	for (zone = 0; zone < nzones; zone++)
	{
		if (!follows(zone, &next))
			break;
	}
	check(zone == nzones, "first zone page that is not where it belongs", zone);
	check(next > nzones && next < MaxBlockNumber,
		  "the map of the largest heap ends at", next);
	check(is_page(ZONE_META_BLOCK, ZONE_PAGE_META, 0), "metapage", 0);
}

/* A heap that ends at, before and after the edges of pages and levels. */
static void
test_sizes(void)
{
	static const uint64 edges[] = {
		ZONE_ENTRIES, ZONE_DIRECTORY_BLOCKS,
		(uint64) ZONE_DIRECTORY_BLOCKS * ZONE_FANOUT,
		(uint64) ZONE_DIRECTORY_BLOCKS * ZONE_FANOUT * 2, MaxBlockNumber
	};

	for (int i = 0; i < (int) lengthof(edges); i++)
	{
		for (int64 size = (int64) edges[i] - 1; size <= (int64) edges[i] + 1; size++)
		{
			BlockNumber blocks = (BlockNumber) Min(size, MaxBlockNumber);
			BlockNumber last = blocks - 1;
			uint32		zone = zone_of_block(last);

			check(zone_count(blocks) == zone + 1, "zone pages of a heap of", size);
			check(zone_first_block(zone) + zone_entry_of_block(last) == last,
				  "block and entry of a heap of", size);
			check(zone_entries_within(zone, blocks) == zone_entry_of_block(last) + 1,
				  "entries of the last zone page of a heap of", size);
			check(zone_entries_within(zone + 1, blocks) == 0,
				  "entries after the end of a heap of", size);
			check(zone == 0 || zone_entries_within(zone - 1, blocks) == ZONE_ENTRIES,
				  "entries of a full zone page of a heap of", size);
		}
	}
}

int
main(void)
{
	test_all_zones();
	test_sizes();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
