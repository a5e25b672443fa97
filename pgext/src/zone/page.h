/*
 * page.h
 *	  Format of the zone map on disk: addresses, pages, entries, summaries.
 *
 * page.c and this header are the only code that knows where a byte is. All of
 * it works on page images, so the caller decides about locks and WAL: readers
 * hold a share lock, writers an exclusive one and change a generic WAL copy.
 *
 * Nothing read from a page is used as a length or a position without a bound
 * from the geometry below, which the metapage repeats and zone_meta_check()
 * compares.
 */
#ifndef ZONE_PAGE_H
#define ZONE_PAGE_H

#include "storage/block.h"
#include "storage/bufpage.h"
#include "utils/relcache.h"

#include "zone/image.h"

#define ZONE_FORMAT_VERSION 1

/* Geometry. Smaller values give a test build with three levels on a small
 * table. */
#ifndef ZONE_ENTRIES
#define ZONE_ENTRIES 240		/* heap blocks of a zone page */
#endif
#ifndef ZONE_FANOUT
#define ZONE_FANOUT 224			/* children of a directory or top page */
#endif

typedef enum ZonePageKind
{
	ZONE_PAGE_META = 1,
	ZONE_PAGE_TOP = 2,
	ZONE_PAGE_DIRECTORY = 3,
	ZONE_PAGE_LEAF = 4			/* a zone page */
} ZonePageKind;

/* Where a page is in the scheme: the n-th of its kind. */
typedef struct ZonePageId
{
	ZonePageKind kind;
	uint32		ordinal;
} ZonePageId;

/*
 * States of an entry, in the README's words. The order matters: a lookup
 * searches up to GATHERING, a writer has something to do from there on. Values
 * are on disk.
 */
typedef enum ZoneState
{
	ZONE_OPEN = 0,
	ZONE_LOOSE = 1,
	ZONE_TRIED = 2,
	ZONE_GATHERING = 3,
	ZONE_EMPTY = 4,
	ZONE_SEALED = 5,
	ZONE_WIDE = 6
} ZoneState;

#define ZONE_STATES 7

/* Does every lookup have to read the block? An unrecognized byte says so. */
static inline bool
zone_state_is_searched(uint8 state)
{
	return state <= ZONE_GATHERING || state >= ZONE_STATES;
}

/* Does the entry have bounds? */
static inline bool
zone_state_is_bounded(uint8 state)
{
	return state == ZONE_SEALED || state == ZONE_WIDE;
}

/* Can a writer leave it alone, whatever its key? */
static inline bool
zone_state_is_free(uint8 state)
{
	return state < ZONE_GATHERING;
}

typedef struct ZoneMeta
{
	uint16		entries;		/* ZONE_ENTRIES */
	uint16		fanout;			/* ZONE_FANOUT */
	uint16		ncolumns;
	uint8		kinds[ZONE_MAX_COLUMNS];	/* KeyKind */
} ZoneMeta;

typedef struct ZoneLeaf
{
	uint32		serial;			/* which sealer may publish */
	uint32		widens;			/* changes by writers, ever; wraps */
	uint8		states[ZONE_ENTRIES];	/* ZoneState */
	ZoneRange	bounds[ZONE_ENTRIES];	/* of SEALED and WIDE entries */
} ZoneLeaf;

/* What a parent says of a child. */
typedef struct ZoneSummary
{
	ZoneRange	fence;			/* union of all bounds below */
	uint8		searched;		/* zone page: searched entries below tracked;
								 * directory: 0 */
	uint8		tracked;		/* zone page: all entries from here are OPEN;
								 * directory: ZONE_FANOUT when no block below
								 * is searched, else 0 */
} ZoneSummary;

/* A directory page and a top page look the same. */
typedef struct ZoneDirectory
{
	uint8		ascending;		/* leading fences, in ascending order and all
								 * that are not empty; 0 if they do not ascend */
	uint8		filler[7];
	uint8		searched[ZONE_FANOUT];
	uint8		tracked[ZONE_FANOUT];
	ZoneRange	fences[ZONE_FANOUT];
} ZoneDirectory;

#define ZONE_DIRECTORY_SPAN (ZONE_FANOUT + 1)	/* pages: itself, children */
#define ZONE_TOP_SPAN (ZONE_FANOUT * ZONE_DIRECTORY_SPAN + 1)
#define ZONE_DIRECTORY_BLOCKS (ZONE_ENTRIES * ZONE_FANOUT)	/* of the heap */

#define ZONE_META_BLOCK ((BlockNumber) 0)

static inline uint32
zone_of_block(BlockNumber heap_block)
{
	return heap_block / ZONE_ENTRIES;
}

static inline int
zone_entry_of_block(BlockNumber heap_block)
{
	return heap_block % ZONE_ENTRIES;
}

static inline BlockNumber
zone_first_block(uint32 zone)
{
	return zone * (BlockNumber) ZONE_ENTRIES;
}

/* How many of a zone page's entries stand for blocks of a heap of this size. */
static inline int
zone_entries_within(uint32 zone, BlockNumber heap_blocks)
{
	uint64		first = (uint64) zone * ZONE_ENTRIES;

	if (heap_blocks <= first)
		return 0;
	return Min(heap_blocks - first, ZONE_ENTRIES);
}

/* How many zone pages describe a heap of this size. */
static inline uint32
zone_count(BlockNumber heap_blocks)
{
	return heap_blocks / ZONE_ENTRIES + (heap_blocks % ZONE_ENTRIES != 0);
}

/* Addresses, and back. */
static inline BlockNumber
zone_top_address(uint32 top)
{
	return 1 + top * (BlockNumber) ZONE_TOP_SPAN;
}

static inline BlockNumber
zone_directory_address(uint32 directory)
{
	return zone_top_address(directory / ZONE_FANOUT) + 1 +
		(directory % ZONE_FANOUT) * (BlockNumber) ZONE_DIRECTORY_SPAN;
}

static inline BlockNumber
zone_leaf_address(uint32 zone)
{
	return zone_directory_address(zone / ZONE_FANOUT) + 1 + zone % ZONE_FANOUT;
}

extern ZonePageId zone_page_id(BlockNumber address);

/* An empty page of the kind; every entry OPEN, every summary that of a page
 * that does not exist. */
extern void zone_page_init(Page page, ZonePageId id);

/* What is wrong with the page at this address, or NULL; a page of zeros is
 * right. */
extern const char *zone_page_fault(BlockNumber address, Page page);

/* The same of the metapage, given the index's columns. */
extern const char *zone_meta_fault(Page page, const ZoneKey *key);

/*
 * True when the page at this address holds what belongs there, false when it
 * is a page of zeros. Anything else is an error.
 */
extern bool zone_page_check(Relation index, BlockNumber address, Page page);

extern void zone_meta_write(Page page, const ZoneKey *key);

/* Error unless the metapage fits this build and the index's columns. */
extern void zone_meta_check(Relation index, Page page, const ZoneKey *key);

static inline ZoneLeaf *
zone_leaf(Page page)
{
	return (ZoneLeaf *) PageGetContents(page);
}

static inline ZoneDirectory *
zone_directory(Page page)
{
	return (ZoneDirectory *) PageGetContents(page);
}

/*
 * The state byte of a pinned, possibly unlocked zone page. The README says why
 * a writer may trust it once its row is on the heap page.
 */
static inline uint8
zone_leaf_peek(Page page, int entry)
{
	return *(volatile uint8 *) &zone_leaf(page)->states[entry];
}

extern ZoneSummary zone_leaf_summary(const ZoneLeaf *leaf);
extern ZoneSummary zone_directory_summary(const ZoneDirectory *directory);
extern ZoneSummary zone_directory_get(const ZoneDirectory *directory, int child);

/* Would zone_directory_set() change anything? */
extern bool zone_directory_differs(const ZoneDirectory *directory, int child,
								   const ZoneSummary *summary);
extern void zone_directory_set(ZoneDirectory *directory, int child,
							   const ZoneSummary *summary);

#endif							/* ZONE_PAGE_H */
