/*
 * page.c
 *	  Format of the zone map on disk.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "zone/page.h"

#define ZONE_MAGIC 0x5A4F4E45

/* Special area of every page. */
typedef struct ZoneOpaque
{
	uint32		magic;
	uint16		version;
	uint16		kind;			/* ZonePageKind */
	uint32		ordinal;
	uint32		filler;
} ZoneOpaque;

#define PAGE_ROOM \
	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - MAXALIGN(sizeof(ZoneOpaque)))

StaticAssertDecl(sizeof(ZonePair) == 16, "pairs are on disk");
StaticAssertDecl(sizeof(ZoneRange) == 32, "ranges are on disk");
StaticAssertDecl(sizeof(ZoneMeta) == 8, "the metapage is on disk");
StaticAssertDecl(sizeof(ZoneOpaque) == 16, "the special area is on disk");
StaticAssertDecl(offsetof(ZoneLeaf, states) == 8, "zone pages are on disk");
StaticAssertDecl(offsetof(ZoneDirectory, searched) == 8,
				 "directory pages are on disk");
StaticAssertDecl(sizeof(ZoneLeaf) <= PAGE_ROOM, "a zone page is one page");
StaticAssertDecl(sizeof(ZoneDirectory) <= PAGE_ROOM,
				 "a directory page is one page");
StaticAssertDecl(ZONE_ENTRIES <= PG_UINT8_MAX && ZONE_FANOUT <= PG_UINT8_MAX,
				 "summaries count in bytes");

static ZoneOpaque *
page_opaque(Page page)
{
	/* Not where the page says it is: the page may be damaged. */
	return (ZoneOpaque *) ((char *) page + BLCKSZ - MAXALIGN(sizeof(ZoneOpaque)));
}

static Size
contents_size(ZonePageKind kind)
{
	switch (kind)
	{
		case ZONE_PAGE_META:
			return sizeof(ZoneMeta);
		case ZONE_PAGE_TOP:
		case ZONE_PAGE_DIRECTORY:
			return sizeof(ZoneDirectory);
		case ZONE_PAGE_LEAF:
			return sizeof(ZoneLeaf);
	}
	elog(ERROR, "unrecognized zone map page kind: %d", (int) kind);
}

ZonePageId
zone_page_id(BlockNumber address)
{
	ZonePageId	id = {ZONE_PAGE_META, 0};
	uint32		top;
	uint32		in_top;
	uint32		directory;
	uint32		in_directory;

	if (address == ZONE_META_BLOCK)
		return id;

	top = (address - 1) / ZONE_TOP_SPAN;
	in_top = (address - 1) % ZONE_TOP_SPAN;
	if (in_top == 0)
	{
		id.kind = ZONE_PAGE_TOP;
		id.ordinal = top;
		return id;
	}

	directory = top * ZONE_FANOUT + (in_top - 1) / ZONE_DIRECTORY_SPAN;
	in_directory = (in_top - 1) % ZONE_DIRECTORY_SPAN;
	if (in_directory == 0)
	{
		id.kind = ZONE_PAGE_DIRECTORY;
		id.ordinal = directory;
		return id;
	}

	id.kind = ZONE_PAGE_LEAF;
	id.ordinal = directory * ZONE_FANOUT + in_directory - 1;
	return id;
}

void
zone_page_init(Page page, ZonePageId id)
{
	ZoneOpaque *opaque;
	Size		size = contents_size(id.kind);

	PageInit(page, BLCKSZ, sizeof(ZoneOpaque));
	opaque = page_opaque(page);
	opaque->magic = ZONE_MAGIC;
	opaque->version = ZONE_FORMAT_VERSION;
	opaque->kind = id.kind;
	opaque->ordinal = id.ordinal;
	opaque->filler = 0;

	memset(PageGetContents(page), 0, size);
	((PageHeader) page)->pd_lower = PageGetContents(page) + size - (char *) page;

	if (id.kind == ZONE_PAGE_TOP || id.kind == ZONE_PAGE_DIRECTORY)
	{
		ZoneDirectory *directory = zone_directory(page);

		for (int i = 0; i < ZONE_FANOUT; i++)
			directory->fences[i] = zone_range_nothing;
	}
}

const char *
zone_page_fault(BlockNumber address, Page page)
{
	ZonePageId	id = zone_page_id(address);
	const ZoneOpaque *opaque = page_opaque(page);

	if (PageIsNew(page))
		return NULL;
	if (((PageHeader) page)->pd_special != BLCKSZ - MAXALIGN(sizeof(ZoneOpaque)) ||
		opaque->magic != ZONE_MAGIC)
		return "it is not a zone map page";
	if (opaque->version != ZONE_FORMAT_VERSION)
		return "its format is of another version";
	if (opaque->kind != id.kind || opaque->ordinal != id.ordinal)
		return "it belongs elsewhere in the index";
	return NULL;
}

static void
report_corrupted(Relation index, BlockNumber address, const char *fault)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" contains an invalid page at block %u: %s",
					RelationGetRelationName(index), address, fault),
			 errhint("Please REINDEX it.")));
}

bool
zone_page_check(Relation index, BlockNumber address, Page page)
{
	const char *fault = zone_page_fault(address, page);

	if (fault != NULL)
		report_corrupted(index, address, fault);
	return !PageIsNew(page);
}

void
zone_meta_write(Page page, const ZoneKey *key)
{
	ZoneMeta   *meta = (ZoneMeta *) PageGetContents(page);

	meta->entries = ZONE_ENTRIES;
	meta->fanout = ZONE_FANOUT;
	meta->ncolumns = key->ncolumns;
	for (int i = 0; i < ZONE_MAX_COLUMNS; i++)
		meta->kinds[i] = key->kinds[i];
}

const char *
zone_meta_fault(Page page, const ZoneKey *key)
{
	const ZoneMeta *meta = (ZoneMeta *) PageGetContents(page);
	const char *fault = zone_page_fault(ZONE_META_BLOCK, page);

	if (fault != NULL)
		return fault;
	if (PageIsNew(page))
		return "it is empty";
	if (meta->entries != ZONE_ENTRIES || meta->fanout != ZONE_FANOUT)
		return "its pages hold other numbers of entries";
	if (meta->ncolumns != key->ncolumns ||
		meta->kinds[0] != key->kinds[0] ||
		meta->kinds[1] != key->kinds[1])
		return "it describes columns of other types";
	return NULL;
}

void
zone_meta_check(Relation index, Page page, const ZoneKey *key)
{
	const char *fault = zone_meta_fault(page, key);

	if (fault != NULL)
		report_corrupted(index, ZONE_META_BLOCK, fault);
}

ZoneSummary
zone_leaf_summary(const ZoneLeaf *leaf)
{
	ZoneSummary summary = {zone_range_nothing, 0, 0};
	int			searched = 0;
	int			searched_below = 0;

	for (int i = 0; i < ZONE_ENTRIES; i++)
	{
		uint8		state = leaf->states[i];

		if (zone_state_is_bounded(state))
			summary.fence = zone_range_union(summary.fence, leaf->bounds[i]);
		if (zone_state_is_searched(state))
			searched++;
		if (state != ZONE_OPEN)
		{
			summary.tracked = i + 1;
			searched_below = searched;
		}
	}
	summary.searched = searched_below;
	return summary;
}

ZoneSummary
zone_directory_summary(const ZoneDirectory *directory)
{
	ZoneSummary summary = {zone_range_nothing, 0, ZONE_FANOUT};

	for (int i = 0; i < ZONE_FANOUT; i++)
	{
		summary.fence = zone_range_union(summary.fence, directory->fences[i]);
		if (directory->searched[i] != 0 || directory->tracked[i] < ZONE_ENTRIES)
			summary.tracked = 0;
	}
	return summary;
}

ZoneSummary
zone_directory_get(const ZoneDirectory *directory, int child)
{
	ZoneSummary summary = {
		directory->fences[child], directory->searched[child],
		directory->tracked[child]
	};

	return summary;
}

bool
zone_directory_differs(const ZoneDirectory *directory, int child,
					   const ZoneSummary *summary)
{
	return directory->searched[child] != summary->searched ||
		directory->tracked[child] != summary->tracked ||
		zone_pair_compare(directory->fences[child].low, summary->fence.low) != 0 ||
		zone_pair_compare(directory->fences[child].high, summary->fence.high) != 0;
}

/*
 * How many leading fences a search may halve: all that are not empty, if they
 * ascend and only empty ones follow; else none.
 */
static int
count_ascending(const ZoneDirectory *directory)
{
	ZonePair	last = {0, 0};
	int			count = 0;

	while (count < ZONE_FANOUT && !zone_range_is_empty(directory->fences[count]))
	{
		if (zone_pair_compare(directory->fences[count].low, last) < 0)
			return 0;
		last = directory->fences[count].high;
		count++;
	}
	for (int i = count; i < ZONE_FANOUT; i++)
	{
		if (!zone_range_is_empty(directory->fences[i]))
			return 0;
	}
	return count;
}

void
zone_directory_set(ZoneDirectory *directory, int child,
				   const ZoneSummary *summary)
{
	directory->searched[child] = summary->searched;
	directory->tracked[child] = summary->tracked;
	directory->fences[child] = summary->fence;
	directory->ascending = count_ascending(directory);
}
