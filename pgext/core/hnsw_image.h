/*
 * hnsw_image.h
 *	  A graph in one block of memory that holds no address: made once, then only
 *	  read, wherever a process has it mapped.
 *
 * The host's slots lie at a fixed stride, each with a node's links of level 0 and
 * its record at places the host says; what else is in a slot is the host's
 * affair. Lists of upper levels lie apart, and so do copies of the facts that records
 * begin with: components start at a cache line, and a walk reads no line before that
 * of nodes that it only compares.
 *
 * Slots that were copied one after another from a graph that others change do not
 * fit together: links lead to nodes that are not here, or the way to a node that
 * is here went through one that is not. So hnsw_image_finish takes away links
 * that lead nowhere and lists as *strays* the rows that no link leads to; a walk is
 * offered those besides (hnsw_search_offer) and so misses none.
 *
 * Sketches of records lie apart as well, where the form has them: so a search by
 * estimates reads half of the bytes.
 *
 * A finished image needs no checks: what a list holds is a node of the graph.
 */
#ifndef HNSW_IMAGE_H
#define HNSW_IMAGE_H

#include "hnsw_sketch.h"

/* Blocks are to start at a multiple of this. */
#define HNSW_IMAGE_LINE 64

typedef struct HnswImageShape
{
	uint32_t	nnodes;			/* slots, used or not; numbers are below */
	uint32_t	m;

	/* The host's slot */
	uint32_t	slot_bytes;
	uint32_t	nlinks_at;		/* uint16: links of level 0 */
	uint32_t	links_at;		/* room for 2m numbers */
	uint32_t	next_at;		/* uint32: a slot that comes with this one, or
								 * HNSW_NO_NODE */
	uint32_t	record_at;

	uint32_t	upper_lists;	/* room for lists above level 0 */
	uint32_t	max_strays;
} HnswImageShape;

typedef struct HnswImageHead
{
	uint32_t	magic;
	uint32_t	version;
	uint64_t	bytes;
	HnswImageShape shape;
	uint32_t	entry;
	int32_t		entry_level;
	uint32_t	nused;			/* slots */
	uint32_t	nuppers;		/* lists in use */
	uint32_t	nstrays;
	float		deviation;		/* of estimates, at most, for a factor and a
								 * query's length of 1 */
} HnswImageHead;

/* An image as a process sees it. */
typedef struct HnswImage
{
	HnswImageHead *head;
	uint64_t   *used;			/* a bit for each slot */
	uint64_t   *in_graph;
	uint32_t   *first_upper;	/* the list of level 1, counted from 1; 0:
								 * none */
	uint8_t    *levels;
	uint32_t   *uppers;			/* count, then m links */
	uint32_t   *strays;
	HnswFacts  *facts;
	float	   *middle;			/* that sketches are made from */
	HnswSketchFacts *sketch_facts;	/* of slots in use */
	uint8_t    *sketches;
	size_t		sketch_stride;	/* 0: there are none */
	char	   *slots;
	size_t		stride;
	HnswImageShape shape;
	HnswForm	form;
} HnswImage;

/* Bytes of an image; CORE_TOO_LARGE where they overflow. */
extern CoreStatus hnsw_image_bytes(const HnswImageShape *shape, const HnswForm *form,
								   size_t *bytes);

/* An image without nodes, in a block of so many bytes. Slots are left as they are. */
extern void hnsw_image_format(void *block, const HnswImageShape *shape,
							  const HnswForm *form);

/* Is it an image for vectors of this form, that fits its room? */
extern bool hnsw_image_fits(const void *block, size_t room, const HnswForm *form);

/* Of a block that was formatted, here or elsewhere. */
extern HnswImage hnsw_image_attach(void *block, const HnswForm *form);

static inline bool
hnsw_image_bit(const uint64_t *bits, uint32_t number)
{
	return (bits[number / 64] >> (number % 64) & 1) != 0;
}

/* Does the image have the slot of this number, any number? */
static inline bool
hnsw_image_has(const HnswImage *image, uint32_t number)
{
	return number < image->shape.nnodes && hnsw_image_bit(image->used, number);
}

/* Is it a node that links may lead to? */
static inline bool
hnsw_image_has_node(const HnswImage *image, uint32_t number)
{
	return number < image->shape.nnodes && hnsw_image_bit(image->in_graph, number);
}

/* A slot of a number below nnodes. */
static inline char *
hnsw_image_slot(const HnswImage *image, uint32_t number)
{
	return image->slots + (size_t) number * image->stride;
}

static inline const void *
hnsw_image_record(const HnswImage *image, uint32_t number)
{
	return hnsw_image_slot(image, number) + image->shape.record_at;
}

/* The sketch of a node's record, of an image that has them. */
static inline uint8_t *
hnsw_image_sketch(const HnswImage *image, uint32_t number)
{
	return image->sketches + (size_t) number * image->sketch_stride;
}

/* Count a slot as used, once the caller has filled it. Twins are not in the
 * graph: links do not lead to them, `next` does. */
extern void hnsw_image_add(HnswImage *image, uint32_t number, bool in_graph);

/* Give a node lists of levels 1 to `level`, empty yet; false when the room for
 * them is used up. */
extern bool hnsw_image_raise(HnswImage *image, uint32_t number, int level);

/* Links of an upper level that the node was raised to; cut to m. */
extern void hnsw_image_set_links(HnswImage *image, uint32_t number, int level,
								 const uint32_t *links, uint32_t count);

/* Is the slot a row that an answer may hold? */
typedef bool (*HnswImageRowFn) (const void *slot);

/*
 * All slots are there: drop what leads nowhere, find the strays. The entry is one
 * of the nodes here, or HNSW_NO_NODE. CORE_TOO_LARGE when there are more strays than
 * there is room for.
 */
extern CoreStatus hnsw_image_finish(HnswImage *image, HnswEntry entry, HnswImageRowFn is_row,
									CoreAlloc alloc, CoreStopFn stop, void *stop_state);

/* What is wrong with a finished image, or NULL. */
extern const char *hnsw_image_fault(const HnswImage *image);

static inline HnswEntry
hnsw_image_entry(const HnswImage *image)
{
	HnswEntry	entry = {image->head->entry, image->head->entry_level};

	return entry;
}

/* Links of a node of the image on a level, as a store copies them. */
extern uint32_t hnsw_image_links(const HnswImage *image, uint32_t node, int level,
								 uint32_t *out);

/* The node's links on level 0 may be read soon. */
static inline void
hnsw_image_announce(const HnswImage *image, uint32_t node)
{
	dist_prefetch(hnsw_image_slot(image, node), image->shape.record_at);
}

/* Distances from a record to slots in use. */
extern void hnsw_image_distances(const HnswImage *image, const void *from,
								 const uint32_t *nodes, uint32_t count, float *out);

/* About the same, of an image that has sketches. */
extern void hnsw_image_estimates(const HnswImage *image, const HnswSketchQuery *query,
								 const uint32_t *nodes, uint32_t count, float *out);

/* Of up to HNSW_SKETCH_RUN slots one after another, those that are no farther than the
 * limit, as hnsw_sketch_near has it; of slots not in use it may be anything. */
extern uint32_t hnsw_image_near(const HnswImage *image, const HnswSketchQuery *query,
								uint32_t first, uint32_t count, float limit, float *out,
								uint8_t *near);

/* The graph behind numbers, of the image alone; it must outlive the store. */
extern HnswStore hnsw_image_store(HnswImage *image);

#endif							/* HNSW_IMAGE_H */
