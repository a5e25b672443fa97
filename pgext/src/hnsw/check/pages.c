/*
 * pages.c
 *	  Checks of single pages: each is what its place says, and its numbers fit.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/rel.h"

#include "hnsw/check/check.h"
#include "hnsw/columns.h"

static bool
check_meta(HnswIndexCheck *check)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(check->index);
	const char *fault;
	HnswShape	shape;
	Buffer		buffer;

	if (nblocks == 0)
	{
		hnsw_check_fault(check, InvalidBlockNumber, "the index has no metapage");
		return false;
	}
	buffer = ReadBuffer(check->index, HNSW_META_BLOCK);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	fault = hnsw_page_fault(BufferGetPage(buffer), HNSW_PAGE_META, 0);
	if (fault == NULL)
		fault = hnsw_meta_fault(hnsw_page_meta(BufferGetPage(buffer)));
	if (fault == NULL)
		hnsw_shape_of_meta(hnsw_page_meta(BufferGetPage(buffer)), &shape);
	UnlockReleaseBuffer(buffer);
	if (fault == NULL)
		fault = hnsw_shape_fault(check->index, &shape);
	if (fault != NULL)
	{
		hnsw_check_fault(check, HNSW_META_BLOCK, "the metapage is invalid: %s", fault);
		return false;
	}
	hnsw_map_read(check->index, &check->map);
	return true;
}

static void
check_node(HnswIndexCheck *check, BlockNumber block, HnswNode *node, uint32 number)
{
	HnswNodeState state = hnsw_node_state(node);

	if (state > HNSW_NODE_TWIN)
		hnsw_check_fault(check, block, "node %u has an unrecognized state: %d", number, (int) state);
	else if (state != HNSW_NODE_FREE && !ItemPointerIsValid(&node->tid))
		hnsw_check_fault(check, block, "node %u has no row", number);
	if (state != HNSW_NODE_FREE && node->nlinks > hnsw_max_links(check->map.shape.m, 0))
		hnsw_check_fault(check, block, "node %u has %u links on level 0", number, node->nlinks);
	if (state != HNSW_NODE_FREE)
	{
		const HnswShape *shape = &check->map.shape;
		int			column = hnsw_columns_fault(shape, hnsw_node_columns(shape, node),
												node->nulls);

		if (column >= 0)
			hnsw_check_fault(check, block, "node %u has no value of its type in column %d",
							 number, column + 2);
	}
}

static void
check_upper(HnswIndexCheck *check, BlockNumber block, const HnswUpper *upper, uint32 number)
{
	if (upper->owner == HNSW_NO_NODE)
		return;
	if (upper->level < 1 || upper->level > HNSW_MAX_LEVEL)
		hnsw_check_fault(check, block, "upper slot %u is of level %u", number, upper->level);
	if (upper->nlinks > hnsw_max_links(check->map.shape.m, 1))
		hnsw_check_fault(check, block, "node %u has %u links on level %u", upper->owner,
						 upper->nlinks, upper->level);
}

static void
check_space(HnswIndexCheck *check, HnswSpace space)
{
	const HnswShape *shape = &check->map.shape;
	uint32		per_page = shape->per_page[space];

	for (uint32 page = 0; page < check->map.npages[space]; page++)
	{
		BlockNumber block = hnsw_map_block(&check->map, space, page);
		const char *fault;
		Buffer		buffer;
		uint32		slot;

		CHECK_FOR_INTERRUPTS();
		if (block >= RelationGetNumberOfBlocks(check->index))
		{
			hnsw_check_fault(check, block, "the index ends before this page");
			continue;
		}
		buffer = ReadBufferExtended(check->index, MAIN_FORKNUM, block, RBM_NORMAL,
									check->strategy);
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		fault = hnsw_page_fault(BufferGetPage(buffer), hnsw_space_page_kind(space), page);
		if (fault != NULL)
			hnsw_check_fault(check, block, "the page is invalid: %s", fault);
		for (slot = 0; fault == NULL && slot < per_page; slot++)
		{
			uint32		number = page * per_page + slot;

			if (space == HNSW_SPACE_NODES)
				check_node(check, block, hnsw_page_node(shape, BufferGetPage(buffer), slot), number);
			else if (space == HNSW_SPACE_UPPER)
				check_upper(check, block, hnsw_page_upper(shape, BufferGetPage(buffer), slot), number);
		}
		UnlockReleaseBuffer(buffer);
	}
}

bool
hnsw_check_pages(HnswIndexCheck *check)
{
	if (!check_meta(check))
		return false;
	for (int space = 0; space < HNSW_NSPACES; space++)
		check_space(check, (HnswSpace) space);
	return true;
}
