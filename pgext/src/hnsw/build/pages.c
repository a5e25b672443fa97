/*
 * pages.c
 *	  A finished graph onto the pages of a new index.
 *
 * Nobody else sees the index. Pages are filled in shared buffers and logged
 * whole at the end; a crash before takes the file with it. Nodes get their
 * numbers in breadth-first order, twins those after them; the spaces follow each
 * other, each with the free pages of its last extent.
 */
#include "postgres.h"

#include "access/xloginsert.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "hnsw/build/build.h"
#include "hnsw/pageio.h"

typedef struct Upper
{
	uint32		owner;			/* number of the node */
	uint32		level;
} Upper;

typedef struct Writer
{
	Relation	index;
	const HnswShape *shape;
	const BuildRows *rows;
	const BuildGraph *graph;
	HnswStore	store;			/* of the graph */
	Upper	   *uppers;
	uint32		nuppers;
	uint32		next_upper;		/* of the nodes written so far */
	HnswMeta	meta;
} Writer;

typedef void (*FillSlot) (Writer *writer, Page page, uint32 slot, uint32 number);

/* The row behind a number. */
static const BuildRow *
row_of_number(const Writer *writer, uint32 number)
{
	uint32		nnodes = writer->graph->nnodes;

	if (number < nnodes)
		return build_list_item(&writer->rows->nodes, writer->graph->order[number]);
	return build_list_item(&writer->rows->twins, number - nnodes);
}

static int
compare_numbers(const void *a, const void *b)
{
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

/* Links as numbers, ascending: those of one page are read together. */
static uint16
write_links(const Writer *writer, uint32 node, int level, uint32 *to)
{
	uint32		links[HNSW_MAX_LINKS];
	uint32		count = writer->store.links(writer->store.state, node, level, links);

	Assert(count <= hnsw_max_links(writer->shape->m, level));
	for (uint32 i = 0; i < count; i++)
		to[i] = writer->graph->place[links[i]];
	qsort(to, count, sizeof(uint32), compare_numbers);
	return count;
}

static void
fill_node(Writer *writer, Page page, uint32 slot, uint32 number)
{
	const HnswShape *shape = writer->shape;
	const BuildGraph *graph = writer->graph;
	const BuildRow *row = row_of_number(writer, number);
	bool		twin = number >= graph->nnodes;
	uint32		node = twin ? row->head : graph->order[number];
	HnswNode   *head = hnsw_page_node(shape, page, slot);

	head->tid = row->tid;
	head->nulls = row->nulls;
	head->twin = row->twin == HNSW_NO_NODE ? HNSW_NO_NODE : graph->nnodes + row->twin;
	head->upper = HNSW_NO_SLOT;
	hnsw_node_set(head, twin ? HNSW_NODE_TWIN : HNSW_NODE_LIVE,
				  twin ? 0 : graph->arrays.levels[node]);
	if (!twin)
	{
		head->nlinks = write_links(writer, node, 0, hnsw_node_links(head));
		if (hnsw_node_level(head) > 0)
			head->upper = writer->next_upper;
		writer->next_upper += hnsw_node_level(head);
	}
	memcpy(hnsw_node_columns(shape, head), build_row_columns(row),
		   writer->rows->columns_bytes);
	memcpy(hnsw_node_record(shape, head),
		   graph->arrays.records + (Size) node * shape->record_bytes, shape->record_bytes);
}

static void
fill_upper(Writer *writer, Page page, uint32 slot, uint32 number)
{
	HnswUpper  *upper = hnsw_page_upper(writer->shape, page, slot);
	const Upper *us = &writer->uppers[number];
	bool		last = number + 1 == writer->nuppers || us[1].owner != us->owner;

	upper->owner = us->owner;
	upper->level = us->level;
	upper->next = last ? HNSW_NO_SLOT : number + 1;
	upper->nlinks = write_links(writer, writer->graph->order[us->owner], us->level,
								hnsw_upper_links(upper));
}

static void
fill_halves(Writer *writer, Page page, uint32 slot, uint32 number)
{
	memcpy(hnsw_page_halves(writer->shape, page, slot),
		   build_row_halves(writer->rows, row_of_number(writer, number)),
		   writer->shape->refine_bytes);
}

/* The levels above 0 of all nodes, in order. */
static void
list_uppers(Writer *writer)
{
	const BuildGraph *graph = writer->graph;
	uint64		count = 0;

	for (uint32 node = 0; node < graph->nnodes; node++)
		count += graph->arrays.levels[node];
	if (count > HNSW_MAX_NODES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("index \"%s\" has reached its largest size",
						RelationGetRelationName(writer->index))));
	writer->uppers = build_memory_get(writer->rows->memory, Max(count, 1) * sizeof(Upper));
	for (uint32 number = 0; number < graph->nnodes; number++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint32 level = 1; level <= graph->arrays.levels[graph->order[number]]; level++)
			writer->uppers[writer->nuppers++] = (Upper)
		{
			number, level
		};
	}
}

/* Extents for so many slots of a space, from `block` on; returns the first
 * block after them. */
static BlockNumber
lay_out(Writer *writer, HnswSpace space, uint64 nslots, BlockNumber block)
{
	HnswMeta   *meta = &writer->meta;
	uint32		per_page = writer->shape->per_page[space];
	uint64		npages = nslots == 0 ? 0 : (nslots - 1) / per_page + 1;
	uint32		nextents = 0;

	while (hnsw_extents_room(nextents) < npages)
	{
		if (nextents == HNSW_MAX_EXTENTS || block > MaxBlockNumber - hnsw_extent_pages(nextents))
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("index \"%s\" has reached its largest size",
							RelationGetRelationName(writer->index))));
		meta->extents[space][nextents] = block;
		block += hnsw_extent_pages(nextents);
		nextents++;
	}
	meta->npages[space] = npages;
	meta->nextents[space] = nextents;
	return block;
}

/* The next block of the index, of which the layout knows where it is. */
static Buffer
next_block(Writer *writer, BlockNumber expected)
{
	Buffer		buffer = hnsw_append_block(writer->index, MAIN_FORKNUM);

	if (BufferGetBlockNumber(buffer) != expected)
		elog(ERROR, "unexpected end of index \"%s\": block %u instead of %u",
			 RelationGetRelationName(writer->index), BufferGetBlockNumber(buffer), expected);
	return buffer;
}

static void
write_space(Writer *writer, HnswSpace space, uint64 nslots, FillSlot fill)
{
	uint32		npages = hnsw_extents_room(writer->meta.nextents[space]);
	uint32		per_page = writer->shape->per_page[space];
	uint64		number = 0;

	for (uint32 ordinal = 0; ordinal < npages; ordinal++)
	{
		Buffer		buffer;
		Page		page;

		CHECK_FOR_INTERRUPTS();
		buffer = next_block(writer, writer->meta.extents[space][0] + ordinal);
		page = BufferGetPage(buffer);
		hnsw_page_init(page, hnsw_space_page_kind(space), ordinal);
		for (uint32 slot = 0; slot < per_page && number < nslots; slot++)
			fill(writer, page, slot, number++);
		MarkBufferDirty(buffer);
		UnlockReleaseBuffer(buffer);
	}
}

static void
init_meta(HnswMeta *meta, const HnswShape *shape, uint64 nonce)
{
	memset(meta, 0, sizeof(*meta));
	hnsw_shape_store(shape, meta);
	meta->nonce = nonce;
	meta->entry = HNSW_NO_NODE;
	for (int space = 0; space < HNSW_NSPACES; space++)
		meta->free_page[space] = HNSW_NO_PAGE;
}

static void
write_meta(Buffer buffer, const HnswMeta *meta)
{
	Page		page = BufferGetPage(buffer);

	hnsw_page_init(page, HNSW_PAGE_META, 0);
	memcpy(hnsw_page_meta(page), meta, sizeof(*meta));
	MarkBufferDirty(buffer);
}

void
build_pages_write(Relation index, const BuildRows *rows, const BuildGraph *graph,
				  uint64 nonce)
{
	Writer	   *writer = palloc0(sizeof(Writer));
	uint64		nslots = (uint64) graph->nnodes + rows->twins.count;
	uint64		nrefined = rows->shape->refine == HNSW_REFINE_F16 ? nslots : 0;
	HnswArrays	arrays = graph->arrays;
	BlockNumber end;
	Buffer		buffer;

	writer->index = index;
	writer->shape = rows->shape;
	writer->rows = rows;
	writer->graph = graph;
	writer->store = hnsw_arrays_store(&arrays);
	init_meta(&writer->meta, rows->shape, nonce);
	if (graph->nnodes > 0)
	{
		HnswEntry	entry = hnsw_arrays_entry(&arrays);

		writer->meta.entry = graph->place[entry.node];
		writer->meta.entry_level = entry.level;
	}
	list_uppers(writer);
	end = lay_out(writer, HNSW_SPACE_NODES, nslots, HNSW_META_BLOCK + 1);
	end = lay_out(writer, HNSW_SPACE_UPPER, writer->nuppers, end);
	(void) lay_out(writer, HNSW_SPACE_REFINE, nrefined, end);

	buffer = next_block(writer, HNSW_META_BLOCK);
	write_meta(buffer, &writer->meta);
	UnlockReleaseBuffer(buffer);
	write_space(writer, HNSW_SPACE_NODES, nslots, fill_node);
	write_space(writer, HNSW_SPACE_UPPER, writer->nuppers, fill_upper);
	write_space(writer, HNSW_SPACE_REFINE, nrefined, fill_halves);

	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0, RelationGetNumberOfBlocks(index), true);
	build_memory_release(rows->memory, writer->uppers);
	pfree(writer);
}

void
build_pages_empty(Relation index, ForkNumber fork, const HnswShape *shape, uint64 nonce)
{
	Buffer		buffer = hnsw_append_block(index, fork);
	HnswMeta	meta;

	init_meta(&meta, shape, nonce);
	START_CRIT_SECTION();
	write_meta(buffer, &meta);

	/* Generic WAL ignores the fork of an unlogged relation: log the page. */
	log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}
