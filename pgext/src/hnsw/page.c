/*
 * page.c
 *	  Format of sorted_hnsw on disk.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "hnsw/page.h"

#define HNSW_MAGIC 0x484E5357

/* Special area of every page. */
typedef struct HnswOpaque
{
	uint32		magic;
	uint8		version;
	uint8		kind;			/* HnswPageKind */
	uint8		listed;			/* in the list of pages with free slots */
	uint8		filler;
	uint32		ordinal;		/* number in its space */
	uint32		next_free;
} HnswOpaque;

StaticAssertDecl(sizeof(HnswOpaque) == HNSW_SPECIAL_BYTES, "the special area is on disk");
StaticAssertDecl(sizeof(HnswNode) == 20, "node slots are on disk");
StaticAssertDecl(sizeof(HnswUpper) == 12, "upper slots are on disk");
StaticAssertDecl(offsetof(HnswMeta, extents) == 92, "the metapage is on disk");
StaticAssertDecl(sizeof(HnswMeta) <= HNSW_PAGE_ROOM, "the metapage is one page");
StaticAssertDecl(HNSW_MAX_LEVEL < 32, "levels have five bits");

static HnswOpaque *
page_opaque(Page page)
{
	/* Not where the page says it is: the page may be damaged. */
	return (HnswOpaque *) ((char *) page + BLCKSZ - HNSW_SPECIAL_BYTES);
}

void
hnsw_page_init(Page page, HnswPageKind kind, uint32 ordinal)
{
	HnswOpaque *opaque;

	PageInit(page, BLCKSZ, sizeof(HnswOpaque));
	opaque = page_opaque(page);
	opaque->magic = HNSW_MAGIC;
	opaque->version = HNSW_FORMAT_VERSION;
	opaque->kind = kind;
	opaque->ordinal = ordinal;
	opaque->next_free = HNSW_NO_PAGE;

	/* All of it is contents: generic WAL clears what is between the pointers. */
	((PageHeader) page)->pd_lower = ((PageHeader) page)->pd_upper;
	if (kind == HNSW_PAGE_UPPER)
	{
		/* A free upper slot has no owner, whatever the size of slots is. */
		memset(PageGetContents(page), 0xFF, HNSW_PAGE_ROOM);
	}
}

/* A page of a sorted_hnsw index, of whatever version. */
static bool
is_ours(Page page)
{
	return !PageIsNew(page) &&
		((PageHeader) page)->pd_special == BLCKSZ - HNSW_SPECIAL_BYTES &&
		page_opaque(page)->magic == HNSW_MAGIC;
}

const char *
hnsw_page_fault(Page page, HnswPageKind kind, uint32 ordinal)
{
	const HnswOpaque *opaque = page_opaque(page);

	if (PageIsNew(page))
		return "it is empty";
	if (!is_ours(page))
		return "it is not a page of a sorted_hnsw index";
	if (opaque->version != HNSW_FORMAT_VERSION)
		return "its format is of another version";
	if (opaque->kind != kind || opaque->ordinal != ordinal)
		return "it belongs elsewhere in the index";
	return NULL;
}

void
hnsw_page_check(Relation index, BlockNumber block, Page page, HnswPageKind kind,
				uint32 ordinal)
{
	const char *fault = hnsw_page_fault(page, kind, ordinal);

	if (fault == NULL)
		return;
	if (is_ours(page) && page_opaque(page)->version != HNSW_FORMAT_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index \"%s\" has format version %d, this server reads version %d",
						RelationGetRelationName(index), page_opaque(page)->version,
						HNSW_FORMAT_VERSION),
				 errhint("Please REINDEX it.")));
	hnsw_report_corrupted(index, block, fault);
}

void
hnsw_report_corrupted(Relation index, BlockNumber block, const char *fault)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" contains an invalid page at block %u: %s",
					RelationGetRelationName(index), block, fault),
			 errhint("Please REINDEX it.")));
}

HnswFreeLink
hnsw_page_free_link(Page page)
{
	const HnswOpaque *opaque = page_opaque(page);
	HnswFreeLink link = {opaque->listed != 0, opaque->next_free};

	return link;
}

void
hnsw_page_set_free_link(Page page, HnswFreeLink link)
{
	HnswOpaque *opaque = page_opaque(page);

	opaque->listed = link.listed;
	opaque->next_free = link.next;
}

const char *
hnsw_meta_fault(const HnswMeta *meta)
{
	HnswShape	shape;

	if (meta->dim < 1 || meta->dim > HNSW_MAX_DIM ||
		meta->m < HNSW_MIN_M || meta->m > HNSW_MAX_M || meta->ef_construction < 1 ||
		meta->metric >= DIST_NMETRICS || meta->ncolumns > HNSW_MAX_COLUMNS ||
		(meta->element != HNSW_INT8 && meta->element != HNSW_FLOAT32) ||
		(meta->refine != HNSW_REFINE_HEAP && meta->refine != HNSW_REFINE_F16) ||
		(meta->type != HNSW_TYPE_SVEC && meta->type != HNSW_TYPE_HSVEC))
		return "it describes no index";
	for (int i = 0; i < meta->ncolumns; i++)
	{
		if (hnsw_column_bytes(meta->kinds[i]) == 0)
			return "it describes a column of an unknown kind";
	}
	hnsw_shape_of_meta(meta, &shape);
	if (shape.per_page[HNSW_SPACE_NODES] == 0 || shape.per_page[HNSW_SPACE_UPPER] == 0 ||
		(shape.refine == HNSW_REFINE_F16 && shape.per_page[HNSW_SPACE_REFINE] == 0))
		return "no slot fits on a page";
	for (int space = 0; space < HNSW_NSPACES; space++)
	{
		if (meta->nextents[space] > HNSW_MAX_EXTENTS ||
			meta->npages[space] > hnsw_extents_room(meta->nextents[space]))
			return "its spaces are longer than their extents";
	}
	if (meta->entry != HNSW_NO_NODE &&
		(meta->entry_level < 0 || meta->entry_level > HNSW_MAX_LEVEL))
		return "its entry has no level";
	return NULL;
}
