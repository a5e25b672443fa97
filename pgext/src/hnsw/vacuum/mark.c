/*
 * mark.c
 *	  VACUUM, first part: find dead rows, unlink and promote twins, mark the rest.
 *
 * Inserts put twins between a head and its chain meanwhile, and nobody else
 * changes chains; so only a head's `twin` may be another than was read. Rows
 * added to a chain since are not dead.
 *
 * A slot taken out of a chain becomes DYING like a node and keeps its `twin`, so
 * whoever is at it goes on; a walk that finds the slot DYING may still have a
 * use for its row, if that has moved to the head.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/rel.h"

#include "hnsw/vacuum/vacuum.h"

bool
hnsw_vacuum_find_dead(HnswVacuum *vacuum, IndexBulkDeleteCallback callback,
					  void *callback_state)
{
	const HnswShape *shape = &vacuum->map.shape;
	uint32		per_page = shape->per_page[HNSW_SPACE_NODES];
	uint32		npages = vacuum->map.npages[HNSW_SPACE_NODES];
	bool		found = false;

	for (uint32 page = 0; page < npages; page++)
	{
		Buffer		buffer = hnsw_vacuum_page(vacuum, HNSW_SPACE_NODES, page, BUFFER_LOCK_SHARE);

		for (uint32 slot = 0; slot < per_page; slot++)
		{
			HnswNode   *node = hnsw_page_node(shape, BufferGetPage(buffer), slot);
			HnswNodeState state = hnsw_node_state(node);
			uint32		number = page * per_page + slot;

			if (state == HNSW_NODE_DYING)
				hnsw_bits_add(&vacuum->dying, number);
			found |= state == HNSW_NODE_DYING;
			if (state != HNSW_NODE_LIVE && state != HNSW_NODE_TWIN)
				continue;
			if (state == HNSW_NODE_LIVE && node->twin != HNSW_NO_NODE)
				hnsw_bits_add(&vacuum->heads, number);
			if (!callback(&node->tid, callback_state))
			{
				vacuum->remaining++;
				continue;
			}
			hnsw_bits_add(&vacuum->dead, number);
			vacuum->removed++;
			found = true;
		}
		UnlockReleaseBuffer(buffer);
	}
	return found;
}

/* The twin after a slot of a chain, or HNSW_NO_NODE; and the slot's state. */
static uint32
next_twin(HnswVacuum *vacuum, uint32 number, HnswNodeState *state)
{
	uint32		slot;
	const HnswNode *node;
	uint32		twin;
	Buffer		buffer;

	/* Others may have added pages. */
	if (number >= hnsw_map_nodes(&vacuum->map))
		hnsw_map_read(vacuum->index, &vacuum->map);
	buffer = hnsw_slot_read(vacuum->index, &vacuum->map, HNSW_SPACE_NODES, number,
							BUFFER_LOCK_SHARE, &slot);
	*state = HNSW_NODE_FREE;
	if (!BufferIsValid(buffer))
		return HNSW_NO_NODE;
	node = hnsw_page_node(&vacuum->map.shape, BufferGetPage(buffer), slot);
	*state = hnsw_node_state(node);
	twin = node->twin;
	UnlockReleaseBuffer(buffer);
	return twin;
}

/* The slot before a twin in the chain of a head; HNSW_NO_NODE when the chain
 * does not lead to it. */
static uint32
previous_of(HnswVacuum *vacuum, uint32 head, uint32 twin)
{
	uint32		at = head;

	for (uint32 steps = 0; at != HNSW_NO_NODE && steps <= hnsw_map_nodes(&vacuum->map); steps++)
	{
		HnswNodeState state;
		uint32		next = next_twin(vacuum, at, &state);

		CHECK_FOR_INTERRUPTS();
		if (next == twin)
			return at;
		at = next;
	}
	return HNSW_NO_NODE;
}

/* Take a dead twin out of a chain; false when something is between it and
 * `previous`. */
static bool
unlink_twin(HnswVacuum *vacuum, uint32 previous, uint32 twin)
{
	const HnswShape *shape = &vacuum->map.shape;
	HnswPagePair pair;
	HnswNode   *before;
	HnswNode   *node;
	uint32		before_slot;
	uint32		slot;
	bool		linked;

	if (!hnsw_pair_open(vacuum->index, &vacuum->map, previous, twin, &pair, &before_slot, &slot))
		return false;
	before = hnsw_page_node(shape, pair.pages[0], before_slot);
	node = hnsw_page_node(shape, pair.pages[1], slot);
	linked = before->twin == twin && hnsw_node_state(node) == HNSW_NODE_TWIN;
	if (linked)
	{
		before->twin = node->twin;
		hnsw_node_set(node, HNSW_NODE_DYING, 0);
	}
	hnsw_pair_close(&pair, linked);
	return linked;
}

/* The halves of a twin, to take its row's place in the head's. */
static void
copy_halves(HnswVacuum *vacuum, uint32 number, char *halves)
{
	uint32		per_page = vacuum->map.shape.per_page[HNSW_SPACE_REFINE];
	uint32		slot;
	Buffer		buffer;

	/* Pages of nodes come before those of halves: a map may have one alone. */
	if (number / per_page >= vacuum->map.npages[HNSW_SPACE_REFINE])
		hnsw_map_read(vacuum->index, &vacuum->map);
	buffer = hnsw_slot_read(vacuum->index, &vacuum->map, HNSW_SPACE_REFINE, number,
							BUFFER_LOCK_SHARE, &slot);
	if (!BufferIsValid(buffer))
		hnsw_report_corrupted(vacuum->index, HNSW_META_BLOCK,
							  "nodes have no place for their halves");
	memcpy(halves, hnsw_page_halves(&vacuum->map.shape, BufferGetPage(buffer), slot),
		   vacuum->map.shape.refine_bytes);
	UnlockReleaseBuffer(buffer);
}

/*
 * Put the first twin's row in the place of the head's, which is dead. One record
 * for the two slots and the head's halves. False when the chain has changed;
 * `twin` is what was read to be the first.
 */
static bool
promote(HnswVacuum *vacuum, uint32 head, uint32 twin)
{
	const HnswShape *shape = &vacuum->map.shape;
	bool		refine = shape->refine == HNSW_REFINE_F16;
	PGAlignedBlock halves;
	Buffer		refine_buffer = InvalidBuffer;
	HnswPagePair pair;
	uint32		head_slot;
	uint32		twin_slot;
	uint32		refine_slot;
	bool		linked;

	if (refine)
		copy_halves(vacuum, twin, halves.data);
	if (!hnsw_pair_open(vacuum->index, &vacuum->map, head, twin, &pair, &head_slot, &twin_slot))
		return false;
	if (refine)
		refine_buffer = hnsw_slot_read(vacuum->index, &vacuum->map, HNSW_SPACE_REFINE, head,
									   BUFFER_LOCK_EXCLUSIVE, &refine_slot);
	{
		HnswNode   *first = hnsw_page_node(shape, pair.pages[0], head_slot);
		HnswNode   *second = hnsw_page_node(shape, pair.pages[1], twin_slot);

		linked = first->twin == twin && hnsw_node_state(first) == HNSW_NODE_LIVE &&
			hnsw_node_state(second) == HNSW_NODE_TWIN;
		if (linked)
		{
			first->tid = second->tid;
			first->nulls = second->nulls;
			first->twin = second->twin;
			memcpy(hnsw_node_columns(shape, first), hnsw_node_columns(shape, second),
				   shape->record_at - shape->columns_at);
			hnsw_node_set(second, HNSW_NODE_DYING, 0);
		}
	}
	if (linked && BufferIsValid(refine_buffer))
		memcpy(hnsw_page_halves(shape, GenericXLogRegisterBuffer(pair.wal, refine_buffer, 0),
								refine_slot),
			   halves.data, shape->refine_bytes);
	hnsw_pair_close(&pair, linked);
	if (BufferIsValid(refine_buffer))
		UnlockReleaseBuffer(refine_buffer);
	return linked;
}

static void
note_dying(HnswVacuum *vacuum, uint32 number)
{
	/* One that came after the beginning was put in a head's place. */
	if (number < vacuum->dying.count)
	{
		hnsw_bits_add(&vacuum->dying, number);
		hnsw_bits_remove(&vacuum->dead, number);
	}
}

/* A dead head takes the row of its first twin, if there is one: what is left of
 * the chain is not dead. */
static void
replace_head(HnswVacuum *vacuum, uint32 head)
{
	for (;;)
	{
		HnswNodeState state;
		uint32		twin = next_twin(vacuum, head, &state);

		CHECK_FOR_INTERRUPTS();
		if (twin == HNSW_NO_NODE)
			return;
		(void) next_twin(vacuum, twin, &state);
		if (promote(vacuum, head, twin))
		{
			note_dying(vacuum, twin);
			hnsw_bits_remove(&vacuum->dead, head);
			return;
		}
		if (state != HNSW_NODE_TWIN)
			return;				/* not a chain: the check tells more */
	}
}

static void
clean_chain(HnswVacuum *vacuum, uint32 head)
{
	HnswNodeState state;
	uint32		previous = head;
	uint32		at = next_twin(vacuum, head, &state);

	/* A longer chain is a circle. */
	for (uint32 steps = 0; at != HNSW_NO_NODE && steps <= hnsw_map_nodes(&vacuum->map); steps++)
	{
		uint32		next = next_twin(vacuum, at, &state);

		CHECK_FOR_INTERRUPTS();
		if (state != HNSW_NODE_TWIN)
			break;
		if (!hnsw_bits_has(&vacuum->dead, at))
			previous = at;
		else
		{
			while (previous != HNSW_NO_NODE && !unlink_twin(vacuum, previous, at))
				previous = previous_of(vacuum, head, at);
			if (previous == HNSW_NO_NODE)
				break;
			note_dying(vacuum, at);
		}
		at = next;
	}
	if (hnsw_bits_has(&vacuum->dead, head))
		replace_head(vacuum, head);
}

/*
 * Mark the dead of a page. A head that got a twin meanwhile stays, and is
 * returned in `heads`; twins that no chain leads to come from inserts that were
 * broken off.
 */
static uint32
mark_page(HnswVacuum *vacuum, uint32 page, uint32 *heads)
{
	const HnswShape *shape = &vacuum->map.shape;
	uint32		first = page * shape->per_page[HNSW_SPACE_NODES];
	Buffer		buffer = hnsw_vacuum_page(vacuum, HNSW_SPACE_NODES, page, BUFFER_LOCK_EXCLUSIVE);
	GenericXLogState *wal = GenericXLogStart(vacuum->index);
	Page		copy = GenericXLogRegisterBuffer(wal, buffer, 0);
	uint32		nheads = 0;

	for (uint32 slot = 0; slot < shape->per_page[HNSW_SPACE_NODES]; slot++)
	{
		HnswNode   *node = hnsw_page_node(shape, copy, slot);

		if (!hnsw_bits_has(&vacuum->dead, first + slot))
			continue;
		if (hnsw_node_state(node) == HNSW_NODE_LIVE && node->twin != HNSW_NO_NODE)
		{
			heads[nheads++] = first + slot;
			continue;
		}
		hnsw_node_set(node, HNSW_NODE_DYING, hnsw_node_level(node));
		note_dying(vacuum, first + slot);
	}
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
	return nheads;
}

void
hnsw_vacuum_mark(HnswVacuum *vacuum)
{
	uint32		per_page = vacuum->map.shape.per_page[HNSW_SPACE_NODES];
	uint32	   *heads = palloc(per_page * sizeof(uint32));

	for (uint32 head = hnsw_bits_next(&vacuum->heads, 0); head < vacuum->heads.count;
		 head = hnsw_bits_next(&vacuum->heads, head + 1))
		clean_chain(vacuum, head);
	for (uint32 number = hnsw_bits_next(&vacuum->dead, 0); number < vacuum->dead.count;
		 number = hnsw_bits_next(&vacuum->dead, number + 1))
	{
		uint32		page = number / per_page;
		uint32		nheads;

		while ((nheads = mark_page(vacuum, page, heads)) > 0)
		{
			uint32		nreplaced = 0;

			for (uint32 i = 0; i < nheads; i++)
			{
				replace_head(vacuum, heads[i]);
				nreplaced += !hnsw_bits_has(&vacuum->dead, heads[i]);
			}
			if (nreplaced < nheads)
				hnsw_report_corrupted(vacuum->index,
									  hnsw_map_block(&vacuum->map, HNSW_SPACE_NODES, page),
									  "a node leads to a twin that is none");
		}
		number = (page + 1) * per_page - 1;
	}
	pfree(heads);
}
