/*
 * graph.c
 *	  Checks across pages: lists lead to nodes, nodes can be reached, chains end.
 *
 * Done once as others write; if anything is found, again with inserts kept out,
 * and then it counts.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/tuptable.h"
#include "utils/rel.h"

#include "corehost.h"
#include "hnsw/check/check.h"
#include "hnsw/locks.h"
#include "hnsw_check.h"
#include "status.h"

/* Facts of a slot, copied off its page. */
typedef struct Slot
{
	HnswNode	node;
	BlockNumber block;
} Slot;

static bool
read_node(HnswIndexCheck *check, uint32 number, Slot *out)
{
	uint32		slot;
	Buffer		buffer = hnsw_check_slot(check, HNSW_SPACE_NODES, number, &slot);

	if (!BufferIsValid(buffer))
		return false;
	out->node = *hnsw_page_node(&check->map.shape, BufferGetPage(buffer), slot);
	out->block = BufferGetBlockNumber(buffer);
	UnlockReleaseBuffer(buffer);
	return true;
}

static BlockNumber
block_of(HnswIndexCheck *check, uint32 number)
{
	return hnsw_map_block(&check->map, HNSW_SPACE_NODES,
						  number / check->map.shape.per_page[HNSW_SPACE_NODES]);
}

/* Does our snapshot see the row of a slot? */
static bool
row_is_visible(HnswIndexCheck *check, ItemPointerData tid)
{
	TupleTableSlot *slot = table_slot_create(check->heap, NULL);
	IndexFetchTableData *fetch = table_index_fetch_begin(check->heap);
	bool		again = false;
	bool		all_dead = false;
	bool		found = false;

	if (ItemPointerIsValid(&tid) &&
		ItemPointerGetBlockNumber(&tid) < RelationGetNumberOfBlocks(check->heap))
		found = table_index_fetch_tuple(fetch, &tid, check->snapshot, slot, &again, &all_dead);
	table_index_fetch_end(fetch);
	ExecDropSingleTupleTableSlot(slot);
	return found;
}

/* What the slots say of themselves. */
static void
read_slots(HnswIndexCheck *check)
{
	const HnswShape *shape = &check->map.shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];

	for (uint32 page = 0; page < check->map.npages[HNSW_SPACE_NODES]; page++)
	{
		uint32		first = page * per_page;
		uint32		slot;
		Buffer		buffer = hnsw_check_slot(check, HNSW_SPACE_NODES, first, &slot);

		memset(check->levels + first, HNSW_NO_LEVEL, per_page);
		if (!BufferIsValid(buffer))
			continue;
		for (slot = 0; slot < per_page; slot++)
		{
			const HnswNode *node = hnsw_page_node(shape, BufferGetPage(buffer), slot);

			if (hnsw_node_in_graph(node))
				check->levels[first + slot] = hnsw_node_level(node);
			if (hnsw_node_state(node) == HNSW_NODE_DYING)
				hnsw_bits_add(&check->dying, first + slot);
			if (hnsw_node_state(node) == HNSW_NODE_TWIN)
				hnsw_bits_add(&check->twins, first + slot);
			if (hnsw_node_state(node) == HNSW_NODE_LIVE && node->twin != HNSW_NO_NODE)
				hnsw_bits_add(&check->heads, first + slot);
		}
		UnlockReleaseBuffer(buffer);
	}
}

/* Records of two nodes are the same bytes. */
static bool
same_record(HnswIndexCheck *check, uint32 number, const char *record)
{
	uint32		slot;
	Buffer		buffer = hnsw_check_slot(check, HNSW_SPACE_NODES, number, &slot);
	bool		same;

	if (!BufferIsValid(buffer))
		return true;
	same = memcmp(hnsw_node_record(&check->map.shape,
								   hnsw_page_node(&check->map.shape, BufferGetPage(buffer), slot)),
				  record, check->map.shape.record_bytes) == 0;
	UnlockReleaseBuffer(buffer);
	return same;
}

/* A chain: each member is a twin with the head's record, and of no other chain. */
static void
check_chain(HnswIndexCheck *check, uint32 head)
{
	PGAlignedBlock record;
	Slot		at;
	uint32		slot;
	Buffer		buffer = hnsw_check_slot(check, HNSW_SPACE_NODES, head, &slot);

	if (!BufferIsValid(buffer))
		return;
	at.node = *hnsw_page_node(&check->map.shape, BufferGetPage(buffer), slot);
	memcpy(record.data,
		   hnsw_node_record(&check->map.shape,
							hnsw_page_node(&check->map.shape, BufferGetPage(buffer), slot)),
		   check->map.shape.record_bytes);
	UnlockReleaseBuffer(buffer);
	while (at.node.twin != HNSW_NO_NODE)
	{
		uint32		number = at.node.twin;

		if (!hnsw_bits_has(&check->twins, number))
		{
			hnsw_check_fault(check, block_of(check, head),
							 "the chain of node %u leads to slot %u, which is no twin or is in a chain already",
							 head, number);
			return;
		}
		hnsw_bits_remove(&check->twins, number);
		if (!read_node(check, number, &at))
			return;
		if (!same_record(check, number, record.data))
			hnsw_check_fault(check, at.block, "twin %u has another record than node %u", number,
							 head);
	}
}

static void
check_twins(HnswIndexCheck *check)
{
	Slot		slot;

	for (uint32 head = hnsw_bits_next(&check->heads, 0); head < check->nnodes;
		 head = hnsw_bits_next(&check->heads, head + 1))
		check_chain(check, head);
	for (uint32 twin = hnsw_bits_next(&check->twins, 0); twin < check->nnodes;
		 twin = hnsw_bits_next(&check->twins, twin + 1))
	{
		if (!read_node(check, twin, &slot))
			continue;
		if (row_is_visible(check, slot.node.tid))
			hnsw_check_fault(check, slot.block, "twin %u is in no chain", twin);
		else
			hnsw_check_warning(check, slot.block, "unlinked: twin %u of a row that nobody sees", twin);
	}
}

/* The chain of a node's upper slots; `led` gets those that it leads to. */
static void
check_upper_chain(HnswIndexCheck *check, uint32 number, HnswBits *led)
{
	int			levels = check->levels[number];
	uint32		at;
	Slot		node;

	if (!read_node(check, number, &node))
		return;
	at = node.node.upper;
	for (int level = 1; level <= levels; level++)
	{
		uint32		slot;
		Buffer		buffer = hnsw_check_slot(check, HNSW_SPACE_UPPER, at, &slot);
		const HnswUpper *upper;
		bool		sound = false;
		uint32		next = HNSW_NO_SLOT;

		if (BufferIsValid(buffer))
		{
			upper = hnsw_page_upper(&check->map.shape, BufferGetPage(buffer), slot);
			sound = upper->owner == number && upper->level == level;
			next = upper->next;
			UnlockReleaseBuffer(buffer);
		}
		if (!sound)
		{
			/* VACUUM frees the lists before the node. */
			if (hnsw_bits_has(&check->dying, number))
				return;
			hnsw_check_fault(check, node.block, "node %u has no list on level %d", number, level);
			return;
		}
		if (at < led->count)
			hnsw_bits_add(led, at);
		at = next;
	}
}

static void
check_uppers(HnswIndexCheck *check)
{
	uint32		per_page = check->map.shape.per_page[HNSW_SPACE_UPPER];
	uint32		nuppers = check->map.npages[HNSW_SPACE_UPPER] * per_page;
	HnswBits	led = hnsw_bits_make(nuppers);

	for (uint32 number = 0; number < check->nnodes; number++)
	{
		if (check->levels[number] > 0)
			check_upper_chain(check, number, &led);
	}
	for (uint32 number = 0; number < nuppers; number++)
	{
		uint32		slot;
		uint32		owner = HNSW_NO_NODE;
		Buffer		buffer;

		if (hnsw_bits_has(&led, number))
			continue;
		buffer = hnsw_check_slot(check, HNSW_SPACE_UPPER, number, &slot);
		if (!BufferIsValid(buffer))
			continue;
		owner = hnsw_page_upper(&check->map.shape, BufferGetPage(buffer), slot)->owner;
		if (owner != HNSW_NO_NODE)
			hnsw_check_warning(check, BufferGetBlockNumber(buffer),
							   "unlinked: upper slot %u of node %u, which does not lead to it",
							   number, owner);
		UnlockReleaseBuffer(buffer);
	}
}

/* Each listed page once, and no other is marked. */
static void
check_free_list(HnswIndexCheck *check, HnswSpace space)
{
	uint32		npages = check->map.npages[space];
	uint32		per_page = check->map.shape.per_page[space];
	HnswBits	listed = hnsw_bits_make(npages);
	uint32		page = check->map.free_page[space];
	uint32		slot;
	HnswFreeLink link;

	while (page != HNSW_NO_PAGE)
	{
		Buffer		buffer;

		if (page >= npages || hnsw_bits_has(&listed, page))
		{
			hnsw_check_fault(check, InvalidBlockNumber,
							 "the list of pages with free slots in space %d leads to page %u, which is none or was in it before",
							 (int) space, page);
			break;
		}
		hnsw_bits_add(&listed, page);
		buffer = hnsw_check_slot(check, space, page * per_page, &slot);
		if (!BufferIsValid(buffer))
			return;
		link = hnsw_page_free_link(BufferGetPage(buffer));
		if (!link.listed)
			hnsw_check_fault(check, BufferGetBlockNumber(buffer),
							 "the page is in the list of pages with free slots, but not marked");
		UnlockReleaseBuffer(buffer);
		page = link.next;
	}
	for (page = 0; page < npages; page++)
	{
		Buffer		buffer = hnsw_check_slot(check, space, page * per_page, &slot);

		if (!BufferIsValid(buffer))
			continue;
		if (hnsw_page_free_link(BufferGetPage(buffer)).listed && !hnsw_bits_has(&listed, page))
			hnsw_check_fault(check, BufferGetBlockNumber(buffer),
							 "the page is marked, but not in the list of pages with free slots");
		UnlockReleaseBuffer(buffer);
	}
}

/* Every node has a place for its halves. */
static void
check_refine(HnswIndexCheck *check)
{
	const HnswMap *map = &check->map;
	uint32		last = check->nnodes;

	if (map->shape.refine != HNSW_REFINE_F16)
		return;
	while (last > 0 && check->levels[last - 1] == HNSW_NO_LEVEL &&
		   !hnsw_bits_has(&check->twins, last - 1))
		last--;
	if ((uint64) map->npages[HNSW_SPACE_REFINE] * map->shape.per_page[HNSW_SPACE_REFINE] < last)
		hnsw_check_fault(check, HNSW_META_BLOCK, "node %u has no place for its halves", last - 1);
}

/* For the core. */

static int
level_of(void *state, uint32_t node)
{
	return ((const HnswIndexCheck *) state)->levels[node];
}

static uint32_t
links_of(void *state, uint32_t number, int level, uint32_t *out)
{
	HnswIndexCheck *check = state;
	const HnswShape *shape = &check->map.shape;
	HnswSpace	space = level == 0 ? HNSW_SPACE_NODES : HNSW_SPACE_UPPER;
	uint32		count = 0;
	uint32		at = number;
	Slot		node;

	if (level > 0)
		at = read_node(check, number, &node) ? node.node.upper : HNSW_NO_SLOT;
	for (int l = Min(level, 1); l <= level; l++)
	{
		uint32		slot;
		Buffer		buffer = hnsw_check_slot(check, space, at, &slot);
		Page		page;

		if (!BufferIsValid(buffer))
			return 0;
		page = BufferGetPage(buffer);
		if (level == 0)
		{
			HnswNode   *head = hnsw_page_node(shape, page, slot);

			count = hnsw_node_nlinks(shape, head);
			memcpy(out, hnsw_node_links(head), count * sizeof(uint32));
		}
		else
		{
			HnswUpper  *upper = hnsw_page_upper(shape, page, slot);

			at = upper->next;
			count = upper->owner == number && upper->level == l
				? hnsw_upper_nlinks(shape, upper) : 0;
			memcpy(out, hnsw_upper_links(upper), count * sizeof(uint32));
		}
		UnlockReleaseBuffer(buffer);
	}
	return count;
}

static void
report_unreached(HnswIndexCheck *check, uint32 number)
{
	Slot		slot;

	if (!read_node(check, number, &slot))
		return;
	if (hnsw_bits_has(&check->dying, number))
		return;
	if (!row_is_visible(check, slot.node.tid))
		hnsw_check_warning(check, slot.block, "unlinked: node %u of a row that nobody sees", number);
	else if (check->map.unfinished)
		hnsw_check_warning(check, slot.block,
						   "no links lead to node %u, until a vacuum goes on where one has not ended",
						   number);
	else
		hnsw_check_fault(check, slot.block, "no links lead to node %u", number);
}

static void
report_fault(void *state, const HnswFault *fault)
{
	HnswIndexCheck *check = state;
	BlockNumber block = block_of(check, fault->node);

	switch (fault->kind)
	{
		case HNSW_FAULT_NO_ENTRY:
			hnsw_check_fault(check, HNSW_META_BLOCK, "the entry is not a node of its level");
			break;
		case HNSW_FAULT_ENTRY_LEVEL:

			/*
			 * A broken vacuum has moved the entry before it freed the old
			 * one.
			 */
			if (!hnsw_bits_has(&check->dying, fault->other))
				hnsw_check_fault(check, HNSW_META_BLOCK, "node %u is above the entry",
								 fault->other);
			break;
		case HNSW_FAULT_TOO_MANY:
			hnsw_check_fault(check, block, "node %u has %u links on level %d", fault->node,
							 fault->other, fault->level);
			break;
		case HNSW_FAULT_SELF:
			hnsw_check_fault(check, block, "node %u links to itself on level %d", fault->node,
							 fault->level);
			break;
		case HNSW_FAULT_DUPLICATE:
			hnsw_check_fault(check, block, "node %u links to node %u twice on level %d",
							 fault->node, fault->other, fault->level);
			break;
		case HNSW_FAULT_NOWHERE:

			/* A broken vacuum has freed some of those that led to each other. */
			if (!hnsw_bits_has(&check->dying, fault->node))
				hnsw_check_fault(check, block,
								 "node %u links to slot %u on level %d, which is not in the graph there",
								 fault->node, fault->other, fault->level);
			break;
		case HNSW_FAULT_UNREACHED:
			report_unreached(check, fault->node);
			break;
	}
}

static void
check_links(HnswIndexCheck *check)
{
	HnswCheck	core = {0};

	core.store.state = check;
	core.store.links = links_of;
	core.entry = check->map.entry;
	core.m = check->map.shape.m;
	core.nnodes = check->nnodes;
	core.level = level_of;
	core.report = report_fault;
	core.state = check;
	core.stop = core_interruptible;
	core_check(hnsw_check(&core, core_alloc_in(CurrentMemoryContext)));
}

static void
look_at_graph(HnswIndexCheck *check)
{
	uint32		ndying = 0;

	hnsw_map_read(check->index, &check->map);
	check->nnodes = hnsw_map_nodes(&check->map);
	check->levels = MemoryContextAllocHuge(CurrentMemoryContext, (Size) check->nnodes + 1);
	check->twins = hnsw_bits_make(check->nnodes);
	check->heads = hnsw_bits_make(check->nnodes);
	check->dying = hnsw_bits_make(check->nnodes);
	read_slots(check);
	check_refine(check);
	for (int space = 0; space < HNSW_SPACE_REFINE; space++)
		check_free_list(check, (HnswSpace) space);
	check_uppers(check);
	check_links(check);
	check_twins(check);
	for (uint32 node = hnsw_bits_next(&check->dying, 0); node < check->nnodes;
		 node = hnsw_bits_next(&check->dying, node + 1))
		ndying++;
	if (ndying > 0)
		hnsw_check_warning(check, InvalidBlockNumber,
						   "%u slots are marked by a vacuum that did not end", ndying);
}

void
hnsw_check_graph(HnswIndexCheck *check)
{
	uint64		before = check->nfaults;
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "sorted_hnsw check",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);

	check->silent = true;
	look_at_graph(check);
	check->silent = false;
	if (check->nfaults > before || check->nwarnings > 0)
	{
		check->nfaults = before;
		MemoryContextReset(work);
		LockPage(check->index, HNSW_INSERTS_LOCK, ExclusiveLock);
		look_at_graph(check);
		UnlockPage(check->index, HNSW_INSERTS_LOCK, ExclusiveLock);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}
