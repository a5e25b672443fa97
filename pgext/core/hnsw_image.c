/*
 * hnsw_image.c
 *	  The block of an image: layout, making, reading.
 *
 * Everything follows from the shape in the block's head, so there is no table of
 * offsets that could be wrong.
 */
#include "hnsw_image.h"

#include <string.h>

#define MAGIC UINT32_C(0x484E4947)
#define VERSION 3

/* Records whose places are gathered at a time. */
#define GATHER 64

typedef struct Layout
{
	size_t		used;
	size_t		in_graph;
	size_t		first_upper;
	size_t		levels;
	size_t		uppers;
	size_t		strays;
	size_t		facts;
	size_t		middle;
	size_t		sketch_facts;
	size_t		sketches;
	size_t		sketch_stride;
	size_t		slots;
	size_t		stride;
	size_t		end;
} Layout;

static size_t
up_to_line(size_t bytes)
{
	return (bytes + HNSW_IMAGE_LINE - 1) & ~(size_t) (HNSW_IMAGE_LINE - 1);
}

/* Room for `count` parts of a size; returns where it starts. */
static bool
place(size_t *end, size_t count, size_t size, size_t *at)
{
	size_t		bytes;

	*at = *end;
	if (!core_mul_size(count, size, &bytes) || bytes > SIZE_MAX / 2 - HNSW_IMAGE_LINE)
		return false;
	*end += up_to_line(bytes);
	return *end <= SIZE_MAX / 2;
}

static bool
lay_out(const HnswImageShape *shape, const HnswForm *form, Layout *at)
{
	size_t		words = (size_t) shape->nnodes / 64 + 1;
	size_t		components = shape->record_at + HNSW_FORM_FACTS_BYTES;
	bool		sketched = hnsw_sketch_serves(form);
	bool		fits;

	at->end = up_to_line(sizeof(HnswImageHead));
	at->stride = up_to_line(shape->slot_bytes);
	at->sketch_stride = sketched ? hnsw_sketch_bytes(form) : 0;
	fits = place(&at->end, words, sizeof(uint64_t), &at->used) &&
		place(&at->end, words, sizeof(uint64_t), &at->in_graph) &&
		place(&at->end, shape->nnodes, sizeof(uint32_t), &at->first_upper) &&
		place(&at->end, shape->nnodes, 1, &at->levels) &&
		place(&at->end, shape->upper_lists, (shape->m + 1) * sizeof(uint32_t), &at->uppers) &&
		place(&at->end, shape->max_strays, sizeof(uint32_t), &at->strays) &&
		place(&at->end, shape->nnodes, sizeof(HnswFacts), &at->facts) &&
		place(&at->end, sketched ? form->dim : 0, sizeof(float), &at->middle) &&
		place(&at->end, sketched ? shape->nnodes : 0, sizeof(HnswSketchFacts),
			  &at->sketch_facts) &&
		place(&at->end, shape->nnodes, at->sketch_stride, &at->sketches) &&
		place(&at->end, (size_t) shape->nnodes + 1, at->stride, &at->slots);

	at->slots += up_to_line(components) - components;
	return fits;
}

CoreStatus
hnsw_image_bytes(const HnswImageShape *shape, const HnswForm *form, size_t *bytes)
{
	Layout		at;

	if (shape->nnodes > HNSW_MAX_NODES || shape->m > HNSW_MAX_M ||
		shape->slot_bytes < shape->record_at + hnsw_form_bytes(form) || !lay_out(shape, form, &at))
		return CORE_TOO_LARGE;
	*bytes = at.end;
	return CORE_OK;
}

HnswImage
hnsw_image_attach(void *block, const HnswForm *form)
{
	char	   *base = block;
	HnswImage	image;
	Layout		at;

	image.head = block;
	image.shape = image.head->shape;
	(void) lay_out(&image.shape, form, &at);
	image.used = (uint64_t *) (base + at.used);
	image.in_graph = (uint64_t *) (base + at.in_graph);
	image.first_upper = (uint32_t *) (base + at.first_upper);
	image.levels = (uint8_t *) (base + at.levels);
	image.uppers = (uint32_t *) (base + at.uppers);
	image.strays = (uint32_t *) (base + at.strays);
	image.facts = (HnswFacts *) (base + at.facts);
	image.middle = (float *) (base + at.middle);
	image.sketch_facts = (HnswSketchFacts *) (base + at.sketch_facts);
	image.sketches = (uint8_t *) (base + at.sketches);
	image.sketch_stride = at.sketch_stride;
	image.slots = base + at.slots;
	image.stride = at.stride;
	image.form = *form;
	return image;
}

void
hnsw_image_format(void *block, const HnswImageShape *shape, const HnswForm *form)
{
	HnswImageHead *head = block;
	Layout		at;

	(void) lay_out(shape, form, &at);
	memset(block, 0, at.uppers);
	head->magic = MAGIC;
	head->version = VERSION;
	head->bytes = at.end;
	head->shape = *shape;
	head->entry = HNSW_NO_NODE;
}

bool
hnsw_image_fits(const void *block, size_t room, const HnswForm *form)
{
	const HnswImageHead *head = block;
	size_t		bytes;

	return room >= sizeof(HnswImageHead) && head->magic == MAGIC &&
		head->version == VERSION &&
		hnsw_image_bytes(&head->shape, form, &bytes) == CORE_OK &&
		bytes == head->bytes && bytes <= room;
}

static inline void
set_bit(uint64_t *bits, uint32_t number)
{
	bits[number / 64] |= UINT64_C(1) << (number % 64);
}

void
hnsw_image_add(HnswImage *image, uint32_t number, bool in_graph)
{
	set_bit(image->used, number);
	memcpy(&image->facts[number], hnsw_image_record(image, number), sizeof(HnswFacts));
	if (in_graph)
		set_bit(image->in_graph, number);
	image->head->nused++;
}

static uint32_t *
upper_list(const HnswImage *image, uint32_t number, int level)
{
	size_t		list = (size_t) image->first_upper[number] - 1 + (size_t) (level - 1);

	return image->uppers + list * (image->shape.m + 1);
}

bool
hnsw_image_raise(HnswImage *image, uint32_t number, int level)
{
	HnswImageHead *head = image->head;

	if (image->shape.upper_lists - head->nuppers < (uint32_t) level)
		return false;
	image->first_upper[number] = head->nuppers + 1;
	image->levels[number] = (uint8_t) level;
	head->nuppers += (uint32_t) level;
	for (int at = 1; at <= level; at++)
		upper_list(image, number, at)[0] = 0;
	return true;
}

void
hnsw_image_set_links(HnswImage *image, uint32_t number, int level,
					 const uint32_t *links, uint32_t count)
{
	uint32_t   *list = upper_list(image, number, level);

	list[0] = count < image->shape.m ? count : image->shape.m;
	memcpy(list + 1, links, list[0] * sizeof(uint32_t));
}

static inline uint32_t *
base_links(const HnswImage *image, uint32_t number)
{
	return (uint32_t *) (hnsw_image_slot(image, number) + image->shape.links_at);
}

/* What a slot says of itself may lie at any address. */
static inline uint32_t
base_count(const HnswImage *image, uint32_t number)
{
	uint16_t	count;

	memcpy(&count, hnsw_image_slot(image, number) + image->shape.nlinks_at, sizeof(count));
	return count;
}

static inline uint32_t
next_of(const HnswImage *image, uint32_t number)
{
	uint32_t	next;

	memcpy(&next, hnsw_image_slot(image, number) + image->shape.next_at, sizeof(next));
	return next;
}

/* Keep the links that lead to nodes of the level; returns how many. */
static uint32_t
keep_nodes(const HnswImage *image, uint32_t *links, uint32_t count, int level)
{
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	link = links[i];

		links[kept] = link;
		kept += hnsw_image_has_node(image, link) && image->levels[link] >= level;
	}
	return kept;
}

static void
prune(HnswImage *image, uint32_t number)
{
	char	   *slot = hnsw_image_slot(image, number);
	uint32_t	most = 2 * image->shape.m;
	uint32_t	count = base_count(image, number);
	uint32_t	none = HNSW_NO_NODE;
	uint16_t	kept = 0;

	if (!hnsw_image_has(image, next_of(image, number)))
		memcpy(slot + image->shape.next_at, &none, sizeof(none));
	if (hnsw_image_bit(image->in_graph, number))
		kept = (uint16_t) keep_nodes(image, base_links(image, number),
									 count < most ? count : most, 0);
	memcpy(slot + image->shape.nlinks_at, &kept, sizeof(kept));
	for (int level = 1; level <= image->levels[number]; level++)
	{
		uint32_t   *list = upper_list(image, number, level);

		list[0] = keep_nodes(image, list + 1, list[0], level);
	}
}

/* What is reached through links of level 0 and what comes with that; the queue
 * has room for all. */
static void
reach(const HnswImage *image, uint32_t entry, uint64_t *reached, uint32_t *queue)
{
	uint32_t	head = 0;
	uint32_t	tail = 0;

	set_bit(reached, entry);
	queue[tail++] = entry;
	while (head < tail)
	{
		uint32_t	node = queue[head++];
		uint32_t	next = next_of(image, node);
		const uint32_t *links = base_links(image, node);
		uint32_t	count = base_count(image, node);

		for (uint32_t i = 0; i < count; i++)
		{
			if (hnsw_image_bit(reached, links[i]))
				continue;
			set_bit(reached, links[i]);
			queue[tail++] = links[i];
		}
		while (next != HNSW_NO_NODE && !hnsw_image_bit(reached, next))
		{
			set_bit(reached, next);
			next = next_of(image, next);
		}
	}
}

static CoreStatus
find_strays(HnswImage *image, const uint64_t *reached, HnswImageRowFn is_row)
{
	HnswImageHead *head = image->head;

	for (uint32_t number = 0; number < image->shape.nnodes; number++)
	{
		if (!hnsw_image_bit(image->used, number) || hnsw_image_bit(reached, number) ||
			!is_row(hnsw_image_slot(image, number)))
			continue;
		if (head->nstrays == image->shape.max_strays)
			return CORE_TOO_LARGE;
		image->strays[head->nstrays++] = number;
	}
	return CORE_OK;
}

/* The middle of all vectors, which their sketches are made from. */
static CoreStatus
find_middle(const HnswImage *image, CoreAlloc alloc, CoreStopFn stop, void *stop_state)
{
	const HnswForm *form = &image->form;
	double	   *sums = alloc.alloc(alloc.state, form->dim * sizeof(double));
	HnswSketchLengths lengths = {0, 0};
	uint32_t	added = 0;

	if (sums == NULL)
		return CORE_NO_MEMORY;
	memset(sums, 0, form->dim * sizeof(double));
	for (uint32_t number = 0; number < image->shape.nnodes; number++)
	{
		if (hnsw_image_bit(image->used, number))
			hnsw_sketch_measure(form, &image->facts[number], &lengths);
	}
	for (uint32_t number = 0; number < image->shape.nnodes; number++)
	{
		if (number % 4096 == 0 && stop != NULL && stop(stop_state))
			return CORE_STOPPED;
		if (hnsw_image_bit(image->used, number))
			added += hnsw_sketch_add(form, hnsw_image_record(image, number), &lengths, sums);
	}
	hnsw_sketch_middle(form, sums, added, image->middle);
	core_release(&alloc, sums);
	return CORE_OK;
}

static CoreStatus
sketch_all(const HnswImage *image, CoreAlloc alloc, CoreStopFn stop, void *stop_state)
{
	const HnswForm *form = &image->form;
	CoreStatus	status;
	float	   *room;

	if (image->sketch_stride == 0)
		return CORE_OK;
	status = find_middle(image, alloc, stop, stop_state);
	if (status != CORE_OK)
		return status;
	room = alloc.alloc(alloc.state, hnsw_sketch_room(form));
	if (room == NULL)
		return CORE_NO_MEMORY;
	for (uint32_t number = 0; number < image->shape.nnodes; number++)
	{
		if (number % 1024 == 0 && stop != NULL && stop(stop_state))
			return CORE_STOPPED;
		if (hnsw_image_bit(image->used, number))
		{
			float		deviation = hnsw_sketch_make(form, image->middle,
													 hnsw_image_record(image, number), room,
													 &image->sketch_facts[number],
													 hnsw_image_sketch(image, number));

			if (deviation > image->head->deviation)
				image->head->deviation = deviation;
		}
	}
	core_release(&alloc, room);
	return CORE_OK;
}

CoreStatus
hnsw_image_finish(HnswImage *image, HnswEntry entry, HnswImageRowFn is_row,
				  CoreAlloc alloc, CoreStopFn stop, void *stop_state)
{
	uint32_t	nnodes = image->shape.nnodes;
	size_t		words = (size_t) nnodes / 64 + 1;
	uint64_t   *reached = alloc.alloc(alloc.state, words * sizeof(uint64_t));
	uint32_t   *queue = alloc.alloc(alloc.state, ((size_t) nnodes + 1) * sizeof(uint32_t));
	CoreStatus	status;

	if (reached == NULL || queue == NULL)
		return CORE_NO_MEMORY;
	memset(reached, 0, words * sizeof(uint64_t));
	for (uint32_t number = 0; number < nnodes; number++)
	{
		if (number % 4096 == 0 && stop != NULL && stop(stop_state))
			return CORE_STOPPED;
		if (hnsw_image_bit(image->used, number))
			prune(image, number);
	}
	image->head->entry = entry.node;
	image->head->entry_level = entry.level;
	if (entry.node != HNSW_NO_NODE)
		reach(image, entry.node, reached, queue);
	status = find_strays(image, reached, is_row);
	return status != CORE_OK ? status : sketch_all(image, alloc, stop, stop_state);
}

static bool
list_is_sound(const HnswImage *image, const uint32_t *links, uint32_t count, int level)
{
	for (uint32_t i = 0; i < count; i++)
	{
		if (!hnsw_image_has_node(image, links[i]) || image->levels[links[i]] < level)
			return false;
	}
	return true;
}

static const char *
slot_fault(const HnswImage *image, uint32_t number)
{
	uint32_t	next = next_of(image, number);
	uint32_t	count = base_count(image, number);

	if (!hnsw_image_bit(image->used, number))
		return "a node is in a slot that is not used";
	if (memcmp(&image->facts[number], hnsw_image_record(image, number), sizeof(HnswFacts)) != 0)
		return "facts are not those of the record";
	if (next != HNSW_NO_NODE && !hnsw_image_has(image, next))
		return "a chain leads out of the image";
	if (count > 2 * image->shape.m)
		return "a list is too long";
	if (!list_is_sound(image, base_links(image, number), count, 0))
		return "a link leads to no node";
	for (int level = 1; level <= image->levels[number]; level++)
	{
		const uint32_t *list;

		if (image->first_upper[number] == 0 ||
			image->first_upper[number] - 1 + (uint32_t) level > image->head->nuppers)
			return "a level has no list";
		list = upper_list(image, number, level);
		if (list[0] > image->shape.m)
			return "a list above level 0 is too long";
		if (!list_is_sound(image, list + 1, list[0], level))
			return "a link above level 0 leads to no node of its level";
	}
	return NULL;
}

const char *
hnsw_image_fault(const HnswImage *image)
{
	const HnswImageHead *head = image->head;

	if (head->nuppers > image->shape.upper_lists || head->nstrays > image->shape.max_strays)
		return "there are more parts than it has room for";
	if (head->entry != HNSW_NO_NODE &&
		(!hnsw_image_has_node(image, head->entry) || head->entry_level < 0 ||
		 head->entry_level > HNSW_MAX_LEVEL))
		return "its entry is no node";
	for (uint32_t i = 0; i < head->nstrays; i++)
	{
		if (!hnsw_image_has(image, image->strays[i]))
			return "a stray is not in the image";
	}
	for (uint32_t number = 0; number < image->shape.nnodes; number++)
	{
		const char *fault = NULL;

		if (hnsw_image_bit(image->used, number) || hnsw_image_bit(image->in_graph, number))
			fault = slot_fault(image, number);
		if (fault != NULL)
			return fault;
	}
	return NULL;
}

uint32_t
hnsw_image_links(const HnswImage *image, uint32_t node, int level, uint32_t *out)
{
	const uint32_t *links;
	uint32_t	count;

	if (level == 0)
	{
		links = base_links(image, node);
		count = base_count(image, node);
	}
	else if (level <= image->levels[node])
	{
		links = upper_list(image, node, level);
		count = *links++;
	}
	else
		return 0;
	memcpy(out, links, count * sizeof(uint32_t));
	return count;
}

/* A damaged record may give NaN; it is infinitely far. */
static void
no_nan(float *out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		if (out[i] != out[i])
			out[i] = __builtin_inff();
	}
}

void
hnsw_image_distances(const HnswImage *image, const void *from, const uint32_t *nodes,
					 uint32_t count, float *out)
{
	size_t		bytes = hnsw_form_bytes(&image->form) - HNSW_FORM_FACTS_BYTES;

	for (uint32_t at = 0; at < count; at += GATHER)
	{
		const void *records[GATHER];
		const HnswFacts *facts[GATHER];
		uint32_t	n = count - at < GATHER ? count - at : GATHER;

		for (uint32_t i = 0; i < n; i++)
		{
			records[i] = hnsw_image_record(image, nodes[at + i]);
			facts[i] = &image->facts[nodes[at + i]];
		}

		/* The kernels ask for the rest while they are at these. */
		for (uint32_t i = 0; i < n && i < DIST_FOUR; i++)
			dist_prefetch((const char *) records[i] + HNSW_FORM_FACTS_BYTES, bytes);
		hnsw_form_distances_apart(&image->form, from, records, facts, n, out + at);
	}
	no_nan(out, count);
}

/* Sketches that are on their way at a time: a processor has room for some two dozen
 * lines, and drops hints when it is used up. */
#define FETCHED 8

void
hnsw_image_estimates(const HnswImage *image, const HnswSketchQuery *query,
					 const uint32_t *nodes, uint32_t count, float *out)
{
	for (uint32_t at = 0; at < count; at += GATHER)
	{
		HnswSketchFacts facts[GATHER];
		const uint8_t *sketches[GATHER];
		int32_t		products[GATHER];
		uint32_t	n = count - at < GATHER ? count - at : GATHER;
		uint32_t	i = 0;

		for (; i < n; i++)
		{
			sketches[i] = hnsw_image_sketch(image, nodes[at + i]);
			if (i < FETCHED)
				dist_prefetch(sketches[i], image->sketch_stride);
			facts[i] = image->sketch_facts[nodes[at + i]];
		}
		for (i = 0; n - i >= DIST_FOUR; i += DIST_FOUR)
		{
			for (uint32_t next = i + FETCHED; next < n && next < i + FETCHED + DIST_FOUR; next++)
				dist_prefetch(sketches[next], image->sketch_stride);
			hnsw_sketch_products_four(query, &sketches[i], &products[i]);
		}
		for (; i < n; i++)
			products[i] = hnsw_sketch_product(query, sketches[i]);
		hnsw_sketch_distances(query, facts, products, n, out + at);
	}
}

/* How far ahead of a pass over all sketches memory is asked for: a processor that notices
 * the order does so by itself, but not beyond a page. */
#define PASS_AHEAD 4096

/* Products of one sketch after another. */
static void
products_in_order(const HnswImage *image, const HnswSketchQuery *query, uint32_t first,
				  uint32_t count, int32_t *products)
{
	const size_t stride = image->sketch_stride;
	const uint8_t *sketch = hnsw_image_sketch(image, first);
	uint32_t	i = 0;

	for (; count - i >= DIST_FOUR; i += DIST_FOUR, sketch += DIST_FOUR * stride)
	{
		const uint8_t *const four[DIST_FOUR] = {
			sketch, sketch + stride, sketch + 2 * stride, sketch + 3 * stride
		};

		dist_prefetch_ahead(sketch + PASS_AHEAD, DIST_FOUR * stride);
		hnsw_sketch_products_four(query, four, &products[i]);
	}
	for (; i < count; i++, sketch += stride)
		products[i] = hnsw_sketch_product(query, sketch);
}

uint32_t
hnsw_image_near(const HnswImage *image, const HnswSketchQuery *query, uint32_t first,
				uint32_t count, float limit, float *out, uint8_t *near)
{
	int32_t		products[HNSW_SKETCH_RUN];

	products_in_order(image, query, first, count, products);
	return hnsw_sketch_near(query, &image->sketch_facts[first], products, count, limit, out,
							near);
}

static uint32_t
image_links(void *state, uint32_t node, int level, uint32_t *out)
{
	return hnsw_image_links(state, node, level, out);
}

static void
image_distances(void *state, const void *from, const uint32_t *nodes, uint32_t count,
				float *out)
{
	hnsw_image_distances(state, from, nodes, count, out);
}

static const void *
image_vector(void *state, uint32_t node)
{
	return hnsw_image_record(state, node);
}

static void
image_estimates(void *state, const HnswSketchQuery *query, const void *from,
				const uint32_t *nodes, uint32_t count, float *out)
{
	(void) from;
	hnsw_image_estimates(state, query, nodes, count, out);
}

static void
image_announce(void *state, uint32_t node)
{
	hnsw_image_announce(state, node);
}

HnswStore
hnsw_image_store(HnswImage *image)
{
	HnswStore	store = {image, image_links, image_distances, image_vector, image_announce,
	image_estimates};

	return store;
}
