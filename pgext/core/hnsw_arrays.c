/*
 * hnsw_arrays.c
 *	  Layout of the block, the store over it, insertion.
 *
 * Order of publication: a new node's own lists are complete before another node
 * links to it (release, and acquire where a list's length is read), and before
 * it becomes the entry. Nodes that arrive at the same time are the exception: on
 * level 0 one may link to another whose list is empty still, and leads nowhere.
 * What such a list got meanwhile is kept when its owner comes to write it.
 */
#include "hnsw_arrays.h"

/* Of a full list's links, one in this many is allowed on top. */
#define SLACK_SHARE 2

/* So many records are addressed at a time. */
#define GATHER 64

#define ALIGN8(bytes) (((bytes) + 7) & ~(uint64_t) 7)

static uint32_t
list_room(uint32_t m, int level)
{
	uint32_t	max = hnsw_max_links(m, level);

	return max + max / SLACK_SHARE;
}

/* Where the parts of a block lie. */
typedef struct Layout
{
	uint64_t	upper_start;
	uint64_t	base;
	uint64_t	upper;
	uint64_t	levels;
	uint64_t	end;
} Layout;

/* Below 2^32 nodes of fewer than 2^10 words on at most 2^5 levels: no overflow. */
static Layout
layout(uint32_t nnodes, uint32_t base_room, uint64_t upper_words)
{
	Layout		at;

	at.upper_start = ALIGN8(sizeof(HnswArraysShape));
	at.base = at.upper_start + (uint64_t) nnodes * sizeof(uint64_t);
	at.upper = ALIGN8(at.base + (uint64_t) nnodes * (base_room + 1) * sizeof(uint32_t));
	at.levels = ALIGN8(at.upper + upper_words * sizeof(uint32_t));
	at.end = ALIGN8(at.levels + nnodes);
	return at;
}

static uint64_t
count_upper_words(uint32_t nnodes, uint32_t m, uint64_t seed)
{
	uint64_t	lists = 0;

	for (uint32_t node = 0; node < nnodes; node++)
		lists += (uint64_t) hnsw_level(seed, node, m);
	return lists * (list_room(m, 1) + 1);
}

CoreStatus
hnsw_arrays_bytes(uint32_t nnodes, uint32_t m, uint64_t seed, size_t *bytes)
{
	Layout		at;

	if (nnodes > HNSW_MAX_NODES)
		return CORE_TOO_LARGE;
	at = layout(nnodes, list_room(m, 0), count_upper_words(nnodes, m, seed));
	if (at.end > SIZE_MAX)
		return CORE_TOO_LARGE;
	*bytes = (size_t) at.end;
	return CORE_OK;
}

HnswArrays
hnsw_arrays_attach(void *block, HnswForm form, const void *records,
				   size_t record_bytes, const HnswArraysLock *lock)
{
	HnswArraysShape *shape = block;
	Layout		at = layout(shape->nnodes, shape->base_room, shape->upper_words);
	HnswArrays	arrays;

	arrays.shape = shape;
	arrays.upper_start = (uint64_t *) ((char *) block + at.upper_start);
	arrays.base = (uint32_t *) ((char *) block + at.base);
	arrays.upper = (uint32_t *) ((char *) block + at.upper);
	arrays.levels = (uint8_t *) block + at.levels;
	arrays.form = form;
	arrays.records = records;
	arrays.record_bytes = record_bytes;
	arrays.lock = lock;
	return arrays;
}

void
hnsw_arrays_format(void *block, uint32_t nnodes, uint32_t m, uint64_t seed)
{
	HnswArraysShape *shape = block;
	HnswArrays	arrays;
	uint64_t	next = 0;

	memset(shape, 0, sizeof(HnswArraysShape));
	shape->seed = seed;
	shape->upper_words = count_upper_words(nnodes, m, seed);
	shape->m = m;
	shape->nnodes = nnodes;
	shape->base_room = list_room(m, 0);
	shape->upper_room = list_room(m, 1);
	memset(&arrays, 0, sizeof(arrays));
	arrays = hnsw_arrays_attach(block, arrays.form, NULL, 0, NULL);
	memset(arrays.upper, 0, (size_t) shape->upper_words * sizeof(uint32_t));
	for (uint32_t node = 0; node < nnodes; node++)
	{
		arrays.levels[node] = (uint8_t) hnsw_level(seed, node, m);
		arrays.upper_start[node] = next;
		next += (uint64_t) arrays.levels[node] * (shape->upper_room + 1);
		arrays.base[(uint64_t) node * (shape->base_room + 1)] = 0;
	}
}

/* A list: its length, then the nodes. */
static uint32_t *
list_of(const HnswArrays *arrays, uint32_t node, int level)
{
	const HnswArraysShape *shape = arrays->shape;

	if (level == 0)
		return arrays->base + (uint64_t) node * (shape->base_room + 1);
	return arrays->upper + arrays->upper_start[node] +
		(uint64_t) (level - 1) * (shape->upper_room + 1);
}

static uint32_t
room_of(const HnswArrays *arrays, int level)
{
	return level == 0 ? arrays->shape->base_room : arrays->shape->upper_room;
}

static uint32_t
arrays_links(void *state, uint32_t node, int level, uint32_t *out)
{
	const uint32_t *list = list_of(state, node, level);
	uint32_t	count = __atomic_load_n(&list[0], __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		out[i] = __atomic_load_n(&list[1 + i], __ATOMIC_RELAXED);
	return count;
}

static const void *
arrays_vector(void *state, uint32_t node)
{
	const HnswArrays *arrays = state;

	return arrays->records + (size_t) node * arrays->record_bytes;
}

static void
arrays_distances(void *state, const void *from, const uint32_t *nodes,
				 uint32_t count, float *out)
{
	HnswArrays *arrays = state;

	for (uint32_t at = 0; at < count; at += GATHER)
	{
		const void *records[GATHER];
		uint32_t	n = count - at < GATHER ? count - at : GATHER;

		for (uint32_t i = 0; i < n; i++)
			records[i] = arrays_vector(arrays, nodes[at + i]);
		hnsw_form_distances(&arrays->form, from, records, n, out + at);
	}
}

HnswStore
hnsw_arrays_store(HnswArrays *arrays)
{
	HnswStore	store = {arrays, arrays_links, arrays_distances, arrays_vector, NULL, NULL};

	return store;
}

HnswEntry
hnsw_arrays_entry(const HnswArrays *arrays)
{
	uint64_t	word = __atomic_load_n(&arrays->shape->entry, __ATOMIC_ACQUIRE);
	HnswEntry	entry = {HNSW_NO_NODE, 0};

	if (word != 0)
	{
		entry.node = (uint32_t) word;
		entry.level = (int) (word >> 32) - 1;
	}
	return entry;
}

static uint64_t
entry_word(HnswEntry entry)
{
	return entry.node == HNSW_NO_NODE ? 0
		: (uint64_t) (entry.level + 1) << 32 | entry.node;
}

void
hnsw_arrays_set_entry(HnswArrays *arrays, HnswEntry entry)
{
	__atomic_store_n(&arrays->shape->entry, entry_word(entry), __ATOMIC_RELEASE);
}

/* Make a node the entry where it is higher than `before`, which may have been
 * replaced: false then, and `before` is what it is now. */
static bool
raise_entry(HnswArrays *arrays, HnswEntry *before, uint32_t node)
{
	HnswEntry	after = {node, arrays->levels[node]};
	uint64_t	expected = entry_word(*before);

	if (before->node != HNSW_NO_NODE && before->level >= after.level)
		return true;
	if (__atomic_compare_exchange_n(&arrays->shape->entry, &expected, entry_word(after),
									false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return true;
	*before = hnsw_arrays_entry(arrays);
	return false;
}

static void
write_list(uint32_t *list, const uint32_t *links, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		__atomic_store_n(&list[1 + i], links[i], __ATOMIC_RELAXED);
	__atomic_store_n(&list[0], count, __ATOMIC_RELEASE);
}

static void
lock_list(const HnswArrays *arrays, uint32_t node)
{
	if (arrays->lock != NULL)
		arrays->lock->lock(arrays->lock->state, node);
}

static void
unlock_list(const HnswArrays *arrays, uint32_t node)
{
	if (arrays->lock != NULL)
		arrays->lock->unlock(arrays->lock->state, node);
}

void
hnsw_arrays_set_links(HnswArrays *arrays, uint32_t node, int level,
					  const uint32_t *links, uint32_t count)
{
	lock_list(arrays, node);
	write_list(list_of(arrays, node, level), links, count);
	unlock_list(arrays, node);
}

static bool
has_link(const uint32_t *list, uint32_t node)
{
	for (uint32_t i = 0; i < list[0]; i++)
	{
		if (list[1 + i] == node)
			return true;
	}
	return false;
}

/* Under the list's lock. */
static void
add_link(HnswArrays *arrays, HnswPlacer *placer, uint32_t owner, int level, uint32_t node)
{
	HnswStore	store = hnsw_arrays_store(arrays);
	uint32_t   *list = list_of(arrays, owner, level);
	uint32_t	links[HNSW_MAX_LINKS + 1];
	uint32_t	count = list[0];

	if (count < room_of(arrays, level))
	{
		__atomic_store_n(&list[1 + count], node, __ATOMIC_RELAXED);
		__atomic_store_n(&list[0], count + 1, __ATOMIC_RELEASE);
		return;
	}
	memcpy(links, list + 1, count * sizeof(uint32_t));
	links[count++] = node;
	hnsw_revise(placer, &store, owner, links, &count,
				hnsw_max_links(arrays->shape->m, level));
	write_list(list, links, count);
}

/* Of two that arrived together, both may link the one to the other. */
static void
link_back(HnswArrays *arrays, HnswPlacer *placer, uint32_t owner, int level, uint32_t node)
{
	lock_list(arrays, owner);
	if (!has_link(list_of(arrays, owner, level), node))
		add_link(arrays, placer, owner, level, node);
	unlock_list(arrays, owner);
}

/* Write the list of level 0 of a new node, to which some may have linked. */
static void
set_first_links(HnswArrays *arrays, HnswPlacer *placer, uint32_t node)
{
	uint32_t   *list = list_of(arrays, node, 0);
	uint32_t	early[HNSW_MAX_LINKS];
	uint32_t	nearly;

	lock_list(arrays, node);
	nearly = list[0];
	memcpy(early, list + 1, nearly * sizeof(uint32_t));
	write_list(list, hnsw_placer_links(placer, 0), placer->counts[0]);
	unlock_list(arrays, node);
	for (uint32_t i = 0; i < nearly; i++)
		link_back(arrays, placer, node, 0, early[i]);
}

/* All own lists first: once a node links back, walks on any level may come. */
static void
link_node(HnswArrays *arrays, HnswPlacer *placer, uint32_t node)
{
	for (int level = placer->level; level > 0; level--)
		hnsw_arrays_set_links(arrays, node, level, hnsw_placer_links(placer, level),
							  placer->counts[level]);
	set_first_links(arrays, placer, node);
	for (int level = placer->level; level >= 0; level--)
	{
		const uint32_t *links = hnsw_placer_links(placer, level);

		for (uint32_t i = 0; i < placer->counts[level]; i++)
			link_back(arrays, placer, links[i], level, node);
	}
}

static CoreStatus
insert(HnswArrays *arrays, HnswPlacer *placer, uint32_t node)
{
	HnswStore	store = hnsw_arrays_store(arrays);
	HnswEntry	entry = hnsw_arrays_entry(arrays);

	for (;;)
	{
		CoreStatus	status;

		status = hnsw_place(placer, &store, entry, arrays_vector(arrays, node),
							arrays->levels[node]);
		/* A first node has nothing to link; two of them must not both be. */
		if (status != CORE_OK)
			return status;
		if (entry.node != HNSW_NO_NODE)
		{
			link_node(arrays, placer, node);
			break;
		}
		if (raise_entry(arrays, &entry, node))
			return CORE_OK;
	}
	while (!raise_entry(arrays, &entry, node))
		;
	return CORE_OK;
}

CoreStatus
hnsw_arrays_insert(HnswArrays *arrays, HnswPlacer *placer, uint32_t node)
{
	HnswArriving *arriving = &arrays->shape->arriving;
	uint32_t	place;
	CoreStatus	status;

	placer->self = node;
	placer->narriving = 0;
	if (arrays->lock == NULL)
		return insert(arrays, placer, node);
	place = hnsw_arriving_enter(arriving, node);
	placer->narriving = hnsw_arriving_others(arriving, node, placer->arriving);
	status = insert(arrays, placer, node);
	hnsw_arriving_leave(arriving, place);
	return status;
}

CoreStatus
hnsw_arrays_finish(HnswArrays *arrays, HnswPlacer *placer)
{
	HnswStore	store = hnsw_arrays_store(arrays);
	HnswSearch *search = &placer->search;

	for (uint32_t node = 0; node < arrays->shape->nnodes; node++)
	{
		if (search->stop != NULL && search->stop(search->stop_state))
			return CORE_STOPPED;
		for (int level = 0; level <= arrays->levels[node]; level++)
		{
			uint32_t   *list = list_of(arrays, node, level);

			hnsw_revise(placer, &store, node, list + 1, list,
						hnsw_max_links(arrays->shape->m, level));
		}
	}
	return CORE_OK;
}
