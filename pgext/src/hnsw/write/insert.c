/*
 * insert.c
 *	  A row has been added: a node for it, or a twin of the node with its record.
 *
 * Steps, each complete on disk before the next:
 *	 1. Find the neighbours and plan who links back; nothing is locked but the
 *		inserts' page lock, held in share mode until the end.
 *	 2. Write the own slot with its links (slots.c).
 *	 3. Write the links back, page by page; plan those again that others changed
 *		meanwhile; look whether what was given up can still be reached (links.h).
 *	 4. Become the entry, if the level is above the entry's.
 * A crash in between leaves a slot that nothing leads to, whose row is dead.
 *
 * At least one link back is written: where the choice of links gives none, the
 * nearest neighbour gives its last link to the new node, which takes it over. So
 * every node can be reached once its insert has ended, and (links.h) ever after.
 *
 * The walks' lock is not taken: VACUUM frees slots behind a barrier of both
 * locks.
 *
 * DYING nodes are not asked for when a place is looked for, since there are
 * none as a rule. Only when one turns up among the neighbours, the search is
 * done again with a filter.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "corehost.h"
#include "hnsw/am.h"
#include "hnsw/columns.h"
#include "hnsw/locks.h"
#include "hnsw/store.h"
#include "hnsw/value.h"
#include "hnsw/write/links.h"
#include "hnsw/write/slots.h"
#include "status.h"

/* A filtered search computes at most so many distances for each node it keeps,
 * before it makes do with fewer. */
#define EFFORT 128

/* Links back that others are in the way of are planned so many times. */
#define LINK_TRIES 10

/* For a statement, in the IndexInfo's memory. */
typedef struct InsertState
{
	HnswMap		map;
	HnswPageStore *store;
	HnswPlacer	placer;
	HnswLinker	linker;
	HnswFilter	living;
	MemoryContext row_context;	/* reset for each row */
} InsertState;

typedef struct Insert
{
	InsertState *state;
	Relation	index;
	HnswRow		row;
	int			level;
	HnswEntry	entry;			/* where the search started */
	uint32		number;			/* HNSW_NO_NODE: no slot yet */
	bool		raised;			/* its upper slots are written */

	HnswOwnLinks own;
	HnswChange *changes;		/* of neighbours, level 0 first */
	uint32		nchanges;
	uint32		nbase;			/* those of level 0 */
} Insert;

static void insert_row(Insert *insert);

static void
pass_living(void *arg, const uint32_t *nodes, uint32_t count, bool *out)
{
	InsertState *state = arg;

	for (uint32 i = 0; i < count; i++)
	{
		HnswNode	node;

		out[i] = hnsw_store_node(state->store, nodes[i], &node, NULL) &&
			hnsw_node_state(&node) == HNSW_NODE_LIVE;
	}
}

static InsertState *
state_of(Relation index, IndexInfo *info)
{
	InsertState *state = info->ii_AmCache;
	MemoryContext old;

	if (state != NULL && state->linker.index == index)
		return state;
	old = MemoryContextSwitchTo(info->ii_Context);
	state = palloc0(sizeof(InsertState));
	hnsw_map_read(index, &state->map);
	state->store = hnsw_store_make(index, &state->map);
	core_check(hnsw_placer_init(&state->placer, hnsw_shape_params(&state->map.shape),
								core_alloc_in(info->ii_Context), core_interruptible, NULL));
	state->linker.index = index;
	state->linker.map = &state->map;
	state->linker.placer = &state->placer;
	state->linker.store = hnsw_store_of(state->store);
	state->living.pass = pass_living;
	state->living.state = state;
	state->row_context = AllocSetContextCreate(info->ii_Context, "sorted_hnsw insert",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(old);
	info->ii_AmCache = state;
	return state;
}

/* The row as the index keeps it; false when it does not. Before any lock, since
 * values may have to be fetched from elsewhere. */
static bool
make_row(const HnswShape *shape, const Datum *values, const bool *isnull,
		 ItemPointer tid, HnswRow *row)
{
	float	   *room = palloc(shape->form.dim * sizeof(float));
	void	   *record = palloc0(shape->record_bytes);
	char	   *columns = palloc0(shape->record_at - shape->columns_at + 1);
	const float *floats = hnsw_value_floats(shape, values[0], room);

	if (!hnsw_form_encode(&shape->form, floats, record))
		return false;
	memset(row, 0, sizeof(*row));
	row->tid = *tid;
	row->record = record;
	row->columns = columns;
	hnsw_columns_write(shape, values, isnull, columns, &row->nulls);
	if (shape->refine == HNSW_REFINE_F16)
	{
		void	   *halves = palloc(shape->refine_bytes);

		hnsw_value_halves(shape, floats, halves);
		row->halves = halves;
	}
	return true;
}

bool
hnsw_am_insert(Relation index, Datum *values, bool *isnull, ItemPointer tid,
			   Relation heap, IndexUniqueCheck unique, bool unchanged,
			   IndexInfo *info)
{
	InsertState *state;
	MemoryContext old;
	Insert	   *insert;

	if (isnull[0])
		return false;
	state = state_of(index, info);
	MemoryContextReset(state->row_context);
	old = MemoryContextSwitchTo(state->row_context);
	insert = palloc0(sizeof(Insert));
	if (make_row(&state->map.shape, values, isnull, tid, &insert->row))
	{
		insert->state = state;
		insert->index = index;
		insert->level = hnsw_level(pg_prng_uint64(&pg_global_prng_state), 0,
								   state->map.shape.m);
		insert->number = HNSW_NO_NODE;
		hnsw_lock_shared(index, HNSW_INSERTS_LOCK);
		insert_row(insert);
		hnsw_unlock_shared(index, HNSW_INSERTS_LOCK);
		hnsw_store_forget(state->store);
	}
	MemoryContextSwitchTo(old);
	return false;
}

static void
find_place(Insert *insert, bool filtered)
{
	InsertState *state = insert->state;
	HnswPlacer *placer = &state->placer;
	HnswSearch *search = &placer->search;
	const void *record = insert->row.record;

	search->filter = filtered ? &state->living : NULL;
	search->max_evaluated = filtered ? (uint64) EFFORT * placer->params.ef_construction : 0;
	core_check(hnsw_place(placer, &state->linker.store, insert->entry, record, insert->level));
	if (filtered && placer->counts[0] == 0)
	{
		search->max_evaluated = 0;
		core_check(hnsw_place(placer, &state->linker.store, insert->entry, record,
							  insert->level));
	}
	search->filter = NULL;
	search->max_evaluated = 0;
}

/* Read the lists of the neighbours found; false when one of them is dying. */
static bool
read_neighbours(Insert *insert)
{
	InsertState *state = insert->state;
	const HnswPlacer *placer = &state->placer;
	uint32		room = 0;
	bool		all_live = true;

	for (int level = 0; level <= placer->level; level++)
		room += placer->counts[level];
	insert->changes = palloc(Max(room, 1) * sizeof(HnswChange));
	insert->nchanges = insert->nbase = 0;
	insert->own.count = insert->own.nadopted = 0;
	for (int level = 0; level <= placer->level; level++)
	{
		const uint32 *links = hnsw_placer_links(placer, level);

		for (uint32 i = 0; i < placer->counts[level]; i++)
		{
			HnswList   *list = &insert->changes[insert->nchanges].list;

			if (!hnsw_list_read(insert->index, &state->map, links[i], level, list))
				continue;
			all_live &= list->state == HNSW_NODE_LIVE;
			if (list->state != HNSW_NODE_LIVE)
				continue;
			insert->nchanges++;
			if (level > 0)
				continue;
			insert->nbase++;
			insert->own.links[insert->own.count++] = links[i];
		}
	}
	return all_live;
}

/*
 * The living node with the same record, or HNSW_NO_NODE. It is as far as the
 * record is from itself.
 */
static uint32
find_head(const Insert *insert)
{
	const InsertState *state = insert->state;
	const HnswShape *shape = &state->map.shape;
	const HnswKeys *found = &state->placer.starts;
	const void *record = insert->row.record;
	float		self;

	if (state->placer.level < 0 || state->placer.counts[0] == 0)
		return HNSW_NO_NODE;
	hnsw_form_distances(&shape->form, record, &record, 1, &self);
	for (uint32 i = 0; i < found->count && hnsw_key_dist(found->items[i]) <= self; i++)
	{
		uint32		node = hnsw_key_node(found->items[i]);

		if (hnsw_key_dist(found->items[i]) == self &&
			memcmp(state->linker.store.vector(state->linker.store.state, node), record,
				   shape->record_bytes) == 0)
			return node;
	}
	return HNSW_NO_NODE;
}

static bool
become_twin(Insert *insert)
{
	InsertState *state = insert->state;
	uint32		head = find_head(insert);

	if (head == HNSW_NO_NODE)
		return false;
	insert->number = hnsw_slot_write(insert->index, &state->map, insert->number, &insert->row,
									 HNSW_NODE_TWIN, NULL, 0);
	return hnsw_slot_chain(insert->index, &state->map, head, insert->number);
}

/* Own lists where the slots are written already. Nothing leads to the node, so
 * nobody else changes them. */
static void
rewrite_own_lists(Insert *insert)
{
	InsertState *state = insert->state;
	const HnswPlacer *placer = &state->placer;

	for (int level = 0; level <= placer->level; level++)
	{
		HnswChange *change = palloc(sizeof(HnswChange));

		if (!hnsw_list_read(insert->index, &state->map, insert->number, level, &change->list))
			continue;
		change->count = level == 0 ? insert->own.count : placer->counts[level];
		memcpy(change->links, level == 0 ? insert->own.links : hnsw_placer_links(placer, level),
			   change->count * sizeof(uint32));
		hnsw_write_changes(insert->index, &state->map, &change, 1);
	}
}

static void
write_own_lists(Insert *insert)
{
	InsertState *state = insert->state;

	if (insert->raised)
	{
		rewrite_own_lists(insert);
		return;
	}
	insert->number = hnsw_slot_write(insert->index, &state->map, insert->number, &insert->row,
									 HNSW_NODE_LIVE, insert->own.links, insert->own.count);
	if (insert->level > 0)
		hnsw_slot_raise(insert->index, &state->map, insert->number, insert->level,
						&state->placer);
	insert->raised = true;
}

/* The new node's number where a plan has its stand-in. */
static void
name_new_node(HnswChange *change, uint32 number)
{
	for (uint32 i = 0; i < change->count; i++)
	{
		if (change->links[i] == HNSW_NEW_NODE)
			change->links[i] = number;
	}
	if (change->witness == HNSW_NEW_NODE)
		change->witness = number;
}

/* Plan all links back; returns how many there are, in `planned`; the first
 * *nbase of them are of level 0. */
static uint32
plan_links(Insert *insert, HnswChange **planned, uint32 *nbase)
{
	const HnswLinker *linker = &insert->state->linker;
	uint32		nplanned = 0;

	*nbase = 0;
	for (uint32 i = 0; i < insert->nchanges; i++)
	{
		HnswChange *change = &insert->changes[i];

		CHECK_FOR_INTERRUPTS();
		if (!hnsw_plan_link(linker, change, HNSW_NEW_NODE, insert->row.record,
							change->list.level == 0 ? &insert->own : NULL))
			continue;
		planned[nplanned++] = change;
		*nbase += change->list.level == 0;
	}
	if (*nbase == 0)
	{
		hnsw_plan_takeover(linker, &insert->changes[0], HNSW_NEW_NODE, &insert->own);
		memmove(planned + 1, planned, nplanned * sizeof(HnswChange *));
		planned[0] = &insert->changes[0];
		nplanned++;
		*nbase = 1;
	}
	return nplanned;
}

/* Plan anew what others were in the way of; returns how many remain to write. */
static uint32
plan_again(Insert *insert, HnswChange **planned, uint32 nplanned)
{
	InsertState *state = insert->state;
	uint32		n = 0;

	for (uint32 i = 0; i < nplanned; i++)
	{
		HnswChange *change = planned[i];

		if (!change->written &&
			hnsw_list_read(insert->index, &state->map, change->list.owner,
						   change->list.level, &change->list) &&
			hnsw_plan_link(&state->linker, change, insert->number, insert->row.record, NULL))
			planned[n++] = change;
	}
	return n;
}

/* Write links back; false when none was written. */
static bool
link_back(Insert *insert, HnswChange **planned, uint32 nplanned)
{
	InsertState *state = insert->state;
	bool		linked = false;

	for (int tries = 0; nplanned > 0 && tries < LINK_TRIES; tries++)
	{
		for (uint32 i = 0; i < nplanned; i++)
			name_new_node(planned[i], insert->number);
		hnsw_write_changes(insert->index, &state->map, planned, nplanned);
		for (uint32 i = 0; i < nplanned; i++)
		{
			linked |= planned[i]->written;
			hnsw_verify_change(&state->linker, planned[i]);
		}
		nplanned = plan_again(insert, planned, nplanned);
	}
	return linked;
}

/*
 * Link the node with its neighbours. Level 0 comes first: when others are in the
 * way of all links there, nothing leads to the node yet, and false is returned.
 */
static bool
link_node(Insert *insert)
{
	HnswChange **planned = palloc(Max(insert->nchanges, 1) * sizeof(HnswChange *));
	uint32		nbase;
	uint32		nplanned = plan_links(insert, planned, &nbase);

	write_own_lists(insert);
	if (!link_back(insert, planned, nbase))
		return false;
	(void) link_back(insert, planned + nbase, nplanned - nbase);
	return true;
}

/* No node lives that could be a neighbour: start the graph anew from here. */
static bool
start_graph(Insert *insert)
{
	HnswEntry	entry = {0, insert->level};

	write_own_lists(insert);
	entry.node = insert->number;
	return hnsw_entry_replace(insert->index, insert->entry, entry);
}

static void
raise_entry(Insert *insert)
{
	HnswMap    *map = &insert->state->map;
	HnswEntry	entry = {insert->number, insert->level};
	HnswEntry	expected = insert->entry;

	while (expected.node == HNSW_NO_NODE || expected.level < entry.level)
	{
		if (hnsw_entry_replace(insert->index, expected, entry))
			return;
		hnsw_map_read(insert->index, map);
		expected = map->entry;
	}
}

static void
insert_row(Insert *insert)
{
	InsertState *state = insert->state;
	bool		filtered = false;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		hnsw_map_read(insert->index, &state->map);
		insert->entry = state->map.entry;
		find_place(insert, filtered);
		if (!insert->raised && become_twin(insert))
			return;
		if (!read_neighbours(insert) && !filtered)
		{
			filtered = true;
			continue;
		}
		if (insert->nbase == 0)
		{
			if (start_graph(insert))
				return;
		}
		else if (link_node(insert))
		{
			raise_entry(insert);
			return;
		}
	}
}
