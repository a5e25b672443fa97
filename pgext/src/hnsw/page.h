/*
 * page.h
 *	  Format of sorted_hnsw on disk: the metapage, and slots in three spaces.
 *
 * All numbers that a page holds may be wrong: a page may be damaged, and on a
 * standby replay does not wait for readers. What this header returns is bounded
 * by the shape; numbers of nodes and upper slots that it passes on are bounded by
 * whoever follows them (hnsw_map_block).
 *
 * A slot never moves. Fields of a slot in use that change are its links, its
 * twin, its state, and its row when a twin takes over.
 */
#ifndef HNSW_PAGE_H
#define HNSW_PAGE_H

#include "storage/bufpage.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"

#include "compat.h"
#include "hnsw.h"
#include "hnsw/shape.h"

#define HNSW_FORMAT_VERSION 1
#define HNSW_SPECIAL_BYTES 16
#define HNSW_PAGE_ROOM \
	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - HNSW_SPECIAL_BYTES)
#define HNSW_META_BLOCK 0
#define HNSW_NO_PAGE UINT32_C(0xFFFFFFFF)
#define HNSW_NO_SLOT UINT32_C(0xFFFFFFFF)

typedef enum HnswSpace
{
	HNSW_SPACE_NODES = 0,
	HNSW_SPACE_UPPER = 1,
	HNSW_SPACE_REFINE = 2
} HnswSpace;

#define HNSW_NSPACES 3

/* Stored in each page. */
typedef enum HnswPageKind
{
	HNSW_PAGE_META = 1,
	HNSW_PAGE_NODES = 2,
	HNSW_PAGE_UPPER = 3,
	HNSW_PAGE_REFINE = 4
} HnswPageKind;

/* Extent e of a space has 2^(e / HNSW_EXTENTS_EACH) pages. */
#define HNSW_EXTENTS_EACH 32
#define HNSW_MAX_EXTENTS 640

/* Pages of all extents before group g, which have fewer pages each. */
#define HNSW_PAGES_BEFORE_GROUP(g) \
	(HNSW_EXTENTS_EACH * ((UINT32_C(1) << (g)) - 1))

typedef struct HnswMeta
{
	/* Never change. */
	uint64		nonce;			/* of this file: another build has another */
	uint32		dim;
	uint16		m;
	uint16		ef_construction;
	uint8		metric;			/* DistMetric */
	uint8		element;		/* HnswElement */
	uint8		refine;			/* HnswRefine */
	uint8		type;			/* HnswType */
	uint8		ncolumns;
	uint8		kinds[HNSW_MAX_COLUMNS];	/* of the columns after the vector */

	/* A vacuum has marked slots and was not seen to end: to be gone on with. */
	uint8		unfinished;
	uint8		filler[2];

	uint32		entry;			/* HNSW_NO_NODE when the graph is empty */
	int32		entry_level;
	uint64		vacuums;		/* raised before ambulkdelete returns */
	uint64		repairs;		/* odd while vacuum marks or frees slots */
	uint32		npages[HNSW_NSPACES];	/* of each space */
	uint32		free_page[HNSW_NSPACES];	/* first with slots to use again */
	uint32		nextents[HNSW_NSPACES];
	uint32		extents[HNSW_NSPACES][HNSW_MAX_EXTENTS];	/* first blocks */
} HnswMeta;

/* How many pages so many extents have. */
static inline uint32
hnsw_extents_room(uint32 nextents)
{
	uint32		group = nextents / HNSW_EXTENTS_EACH;

	return HNSW_PAGES_BEFORE_GROUP(group) + (nextents % HNSW_EXTENTS_EACH << group);
}

typedef enum HnswNodeState
{
	HNSW_NODE_FREE = 0,			/* never used, or freed by vacuum */
	HNSW_NODE_LIVE = 1,			/* in the graph */
	HNSW_NODE_DYING = 2,		/* its row is gone: walks pass, nobody links */
	HNSW_NODE_TWIN = 3			/* has the record of a node that leads to it
								 * through `twin`; not in the graph */
} HnswNodeState;

/*
 * The head of a node slot; after it 2m links, the columns, the record. A free
 * slot that can be used again keeps its version.
 */
typedef struct HnswNode
{
	ItemPointerData tid;
	uint16		version;		/* raised when the slot is freed */
	uint8		level_state;	/* level in the low five bits, state above */
	uint8		nulls;			/* a bit for each column */
	uint16		nlinks;
	uint32		upper;			/* slot of level 1, or HNSW_NO_SLOT */
	uint32		twin;			/* the next row with this record, or
								 * HNSW_NO_NODE */
} HnswNode;

/* The head of an upper slot; after it m links. One slot for each level. */
typedef struct HnswUpper
{
	uint32		owner;			/* HNSW_NO_NODE: the slot is free */
	uint32		next;			/* slot of the next level, or HNSW_NO_SLOT */
	uint16		level;
	uint16		nlinks;
} HnswUpper;

/* Pages with slots that vacuum has freed form a list, from the metapage on. */
typedef struct HnswFreeLink
{
	bool		listed;
	uint32		next;			/* page of the space, or HNSW_NO_PAGE */
} HnswFreeLink;

static inline HnswNodeState
hnsw_node_state(const HnswNode *node)
{
	return (HnswNodeState) (node->level_state >> 5);
}

static inline int
hnsw_node_level(const HnswNode *node)
{
	return node->level_state & 31;
}

static inline void
hnsw_node_set(HnswNode *node, HnswNodeState state, int level)
{
	node->level_state = (uint8) (state << 5 | level);
}

/* Is it part of the graph? */
static inline bool
hnsw_node_in_graph(const HnswNode *node)
{
	HnswNodeState state = hnsw_node_state(node);

	return state == HNSW_NODE_LIVE || state == HNSW_NODE_DYING;
}

/* Slot of a page, counted from 0. */
static inline HnswNode *
hnsw_page_node(const HnswShape *shape, Page page, uint32 slot)
{
	return (HnswNode *) (page + MAXALIGN(SizeOfPageHeaderData) +
						 (Size) slot * shape->node_bytes);
}

static inline HnswUpper *
hnsw_page_upper(const HnswShape *shape, Page page, uint32 slot)
{
	return (HnswUpper *) (page + MAXALIGN(SizeOfPageHeaderData) +
						  (Size) slot * shape->upper_bytes);
}

/* Halves of a node's vector. */
static inline void *
hnsw_page_halves(const HnswShape *shape, Page page, uint32 slot)
{
	return page + MAXALIGN(SizeOfPageHeaderData) + (Size) slot * shape->refine_bytes;
}

static inline uint32 *
hnsw_node_links(HnswNode *node)
{
	return (uint32 *) (node + 1);
}

static inline uint32
hnsw_node_nlinks(const HnswShape *shape, const HnswNode *node)
{
	return Min(node->nlinks, 2 * shape->m);
}

static inline uint32 *
hnsw_upper_links(HnswUpper *upper)
{
	return (uint32 *) (upper + 1);
}

static inline uint32
hnsw_upper_nlinks(const HnswShape *shape, const HnswUpper *upper)
{
	return Min(upper->nlinks, shape->m);
}

/* The columns after the vector, as hnsw/columns.h writes them. */
static inline void *
hnsw_node_columns(const HnswShape *shape, HnswNode *node)
{
	return (char *) node + shape->columns_at;
}

/* The vector in the form of hnsw_form.h. */
static inline void *
hnsw_node_record(const HnswShape *shape, HnswNode *node)
{
	return (char *) node + shape->record_at;
}

static inline HnswMeta *
hnsw_page_meta(Page page)
{
	return (HnswMeta *) PageGetContents(page);
}

/* An empty page: slots are free, the metapage is all zeros. `ordinal` is its number in
 * its space. */
extern void hnsw_page_init(Page page, HnswPageKind kind, uint32 ordinal);

/* What is wrong with a page, or NULL. A page of zeros is wrong, too. */
extern const char *hnsw_page_fault(Page page, HnswPageKind kind, uint32 ordinal);

/* Error when there is a fault. */
extern void hnsw_page_check(Relation index, BlockNumber block, Page page,
							HnswPageKind kind, uint32 ordinal);

pg_noreturn extern void hnsw_report_corrupted(Relation index, BlockNumber block,
											  const char *fault);

/* What is wrong with the contents of a metapage that has no page fault. */
extern const char *hnsw_meta_fault(const HnswMeta *meta);

extern HnswFreeLink hnsw_page_free_link(Page page);
extern void hnsw_page_set_free_link(Page page, HnswFreeLink link);

static inline HnswPageKind
hnsw_space_page_kind(HnswSpace space)
{
	return (HnswPageKind) (HNSW_PAGE_NODES + space);
}

#endif							/* HNSW_PAGE_H */
