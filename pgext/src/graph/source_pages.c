/*
 * source_pages.c
 *	  Fact rows from pages: TIDs from the btree or candidate blocks from the
 *	  zone map, each heap page read once.
 *
 * Used when the gate found that the caller may see every row of the table and
 * that the table is all there is. Distances are computed on the pinned page
 * after its lock is released; payloads are read last, by TID, only for the
 * rows that end in the result.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/rel.h"
#include "utils/spccache.h"

#include "graph/keyscan.h"
#include "graph/zonescan.h"
#include "tableam/pageread.h"

/* Pages pinned ahead; few enough for the smallest shared_buffers. */
#define GROUP_PAGES 8

/* Tuples of a page that are worth a hint: the hardware sees the rest coming. */
#define HINT_TUPLES 4

/* Where entity, relation and target lie, as a rule. */
#define KEY_BYTES 64

typedef struct PageSource
{
	FactSource	base;
	const FactColumns *columns;
	FactIndexes indexes;
	KeyScan		keys;			/* where there is a btree */
	ZoneScan	zones;			/* where there is a zone map */
	bool		used_btree;
	bool		used_zone;
	PageReader	reader;
	int			io_window;		/* pages to prefetch once reads miss */
} PageSource;

/* Reads that missed the buffers, of either kind. */
static inline int64
missed_reads(void)
{
	return pgBufferUsage.shared_blks_read + pgBufferUsage.local_blks_read;
}

/* Fill what the hop wants of a visible tuple and hand it over. */
static void
emit(PageSource *source, HeapTuple tuple, const FactKey *key, FactWant want,
	 FactSink sink, void *state)
{
	FactRow		row;

	row.key = *key;
	row.ranked = false;
	row.distance = 0;
	row.ref = tid_pack(&tuple->t_self);
	row.embedding = row.payload = (Datum) 0;
	row.embedding_null = row.payload_null = true;
	if (want == FACT_WANT_DISTANCE)
	{
		struct varlena *value = facts_embedding(source->columns, tuple);

		row.ranked = value != NULL &&
			facts_distance(source->base.query, source->base.halves,
						   value, &row.distance);
	}
	else if (want == FACT_WANT_WHOLE)
	{
		row.embedding = heap_getattr(tuple,
									 source->columns->attno[FACT_EMBEDDING],
									 source->columns->desc,
									 &row.embedding_null);
		row.payload = heap_getattr(tuple,
								   source->columns->attno[FACT_PAYLOAD],
								   source->columns->desc,
								   &row.payload_null);
		if (source->base.halves && !row.embedding_null)
		{
			row.embedding = facts_widen(row.embedding);
			sink(state, &row);
			pfree(DatumGetPointer(row.embedding));
			return;
		}
	}
	sink(state, &row);
}

/* One page of an expansion: some of the TIDs found, all of its block. */
typedef struct PageVisit
{
	size_t		first;
	int			count;
	Buffer		buffer;
} PageVisit;

/*
 * The TIDs of the block at position `from`. At most a page's worth: should a
 * broken index hold more, the rest count as another visit.
 */
static int
tids_of_block(const KeyScan *keys, size_t from)
{
	uint64		block = keys->tids[from] >> 16;
	int			n = 1;

	while (n < MaxHeapTuplesPerPage && from + n < keys->ntids &&
		   keys->tids[from + n] >> 16 == block)
		n++;
	return n;
}

static inline OffsetNumber
tid_offset(const KeyScan *keys, size_t at)
{
	return (OffsetNumber) (keys->tids[at] & 0xFFFF);
}

/*
 * Hint at the pages after position `at`. Asked only after a read that missed:
 * while everything is in shared buffers, hints would cost a look-up each.
 */
static size_t
prefetch_after(PageSource *source, size_t at, size_t hinted)
{
	const KeyScan *keys = &source->keys;
	uint64		last = at > 0 ? keys->tids[at - 1] >> 16 : PG_UINT64_MAX;
	int			left = source->io_window;

	for (; at < keys->ntids && left > 0; at++)
	{
		uint64		block = keys->tids[at] >> 16;

		if (block == last)
			continue;
		last = block;
		left--;
		if (at >= hinted)
			pageread_prefetch(&source->reader, (BlockNumber) block);
	}
	return Max(at, hinted);
}

/*
 * Pin the next few pages and ask the CPU for what will be read of them, so
 * that its misses overlap. Returns the number of visits.
 */
static int
gather_visits(PageSource *source, PageVisit *visits, size_t *at,
			  size_t *hinted, FactWant want)
{
	const KeyScan *keys = &source->keys;
	Size		bytes = want == FACT_WANT_KEYS ? KEY_BYTES : BLCKSZ;
	int			n = 0;

	for (; n < GROUP_PAGES && *at < keys->ntids; n++)
	{
		int64		missed = missed_reads();

		visits[n].first = *at;
		visits[n].count = tids_of_block(keys, *at);
		visits[n].buffer = pageread_pin(&source->reader,
										(BlockNumber) (keys->tids[*at] >> 16));
		pageread_hint_item(visits[n].buffer, tid_offset(keys, *at));
		*at += visits[n].count;
		if (missed != missed_reads())
			*hinted = prefetch_after(source, *at, *hinted);
	}
	for (int i = 0; i < n; i++)
	{
		int			tuples = Min(visits[i].count, HINT_TUPLES);

		for (int j = 0; j < tuples; j++)
			pageread_hint_tuple(visits[i].buffer,
								tid_offset(keys, visits[i].first + j), bytes);
	}
	return n;
}

/* Give the rows of one page to the sink; true when the limit is reached. */
static bool
visit_page(PageSource *source, const PageVisit *visit, const FactHop *hop,
		   uint64 *emitted, FactSink sink, void *state)
{
	PageReader *reader = &source->reader;
	OffsetNumber offsets[MaxHeapTuplesPerPage];

	for (int i = 0; i < visit->count; i++)
		offsets[i] = tid_offset(&source->keys, visit->first + i);
	pageread_members(reader, visit->buffer, offsets, visit->count);
	for (int i = 0; i < reader->ntuples; i++)
	{
		FactKey		key;

		facts_key(source->columns, &reader->tuples[i], &key);
		if (!facts_passes(&hop->filter, &key))
			continue;
		emit(source, &reader->tuples[i], &key, hop->want, sink, state);
		if (++*emitted == hop->limit)
			return true;
	}
	return false;
}

/* Passes a row that the index answered to the hop's sink. */
typedef struct IndexAnswer
{
	const FactHop *hop;
	FactSink	sink;
	void	   *state;
} IndexAnswer;

static void
answer_from_index(void *arg, const FactKey *key)
{
	IndexAnswer *answer = (IndexAnswer *) arg;
	FactRow		row;

	if (!facts_passes(&answer->hop->filter, key))
		return;
	memset(&row, 0, sizeof(row));
	row.key = *key;
	row.embedding_null = row.payload_null = true;
	answer->sink(answer->state, &row);
}

static void
expand_btree(PageSource *source, const FactHop *hop, FactSink sink,
			 void *state)
{
	PageVisit	visits[GROUP_PAGES];
	IndexAnswer answer = {hop, sink, state};
	uint64		emitted = 0;
	size_t		at = 0;
	size_t		hinted = 0;
	bool		done = false;
	int			n;

	/* A limit counts in physical order, so it needs all TIDs first. */
	keyscan_search(&source->keys, hop,
				   hop->want == FACT_WANT_KEYS && hop->limit == 0 ?
				   answer_from_index : NULL, &answer);
	while (!done &&
		   (n = gather_visits(source, visits, &at, &hinted, hop->want)) > 0)
	{
		for (int i = 0; i < n; i++)
		{
			if (done)
				ReleaseBuffer(visits[i].buffer);
			else
				done = visit_page(source, &visits[i], hop, &emitted,
								  sink, state);
		}
	}
}

/* As prefetch_after, for blocks. */
static size_t
prefetch_blocks(PageSource *source, size_t at, size_t hinted)
{
	const ZoneScan *zones = &source->zones;
	size_t		end = Min(at + source->io_window, zones->nblocks);

	for (at = Max(at, hinted); at < end; at++)
		pageread_prefetch(&source->reader, zones->blocks[at]);
	return Max(at, hinted);
}

/*
 * Pin the next few candidates and ask the CPU for what the key test will look
 * at. Returns their number.
 */
static int
gather_blocks(PageSource *source, Buffer *buffers, size_t *at, size_t *hinted)
{
	const ZoneScan *zones = &source->zones;
	int			n = 0;

	for (; n < GROUP_PAGES && *at < zones->nblocks; n++)
	{
		int64		missed = missed_reads();

		buffers[n] = pageread_pin(&source->reader, zones->blocks[(*at)++]);
		pageread_hint_items(buffers[n]);
		if (missed != missed_reads())
			*hinted = prefetch_blocks(source, *at, *hinted);
	}
	for (int i = 0; i < n; i++)
		pageread_hint_keys(buffers[i]);
	return n;
}

/* Give the hop's rows on one page to the sink; true when the limit is reached. */
static bool
visit_block(PageSource *source, Buffer buffer, SeedTest *test,
			uint64 *emitted, FactSink sink, void *state)
{
	PageReader *reader = &source->reader;

	pageread_scan_pinned(reader, buffer, seed_test, test);
	for (int i = 0; i < reader->ntuples; i++)
	{
		FactKey		key;

		facts_key(source->columns, &reader->tuples[i], &key);
		emit(source, &reader->tuples[i], &key, test->hop->want, sink, state);
		if (++*emitted == test->hop->limit)
			return true;
	}
	return false;
}

/* Read the candidate blocks, keys first. */
static void
expand_zone(PageSource *source, const FactHop *hop, FactSink sink,
			void *state)
{
	SeedTest	test = {source->columns, hop, 0};
	Buffer		buffers[GROUP_PAGES];
	uint64		emitted = 0;
	size_t		at = 0;
	size_t		hinted = 0;
	bool		done = false;
	int			n;

	while (!done && (n = gather_blocks(source, buffers, &at, &hinted)) > 0)
	{
		for (int i = 0; i < n; i++)
		{
			if (done)
				ReleaseBuffer(buffers[i]);
			else
				done = visit_block(source, buffers[i], &test, &emitted,
								   sink, state);
		}
	}
}

/* The map where it is there and pays, else the btree. */
static void
pages_expand(FactSource *base, const FactHop *hop, FactSink sink, void *state)
{
	PageSource *source = (PageSource *) base;
	bool		has_btree = source->indexes.btree != NULL;

	if (source->indexes.zone != NULL &&
		zonescan_search(&source->zones, hop, has_btree))
	{
		source->used_zone = true;
		expand_zone(source, hop, sink, state);
	}
	else
	{
		source->used_btree = true;
		expand_btree(source, hop, sink, state);
	}
	base->access = !source->used_btree ? "zone" :
		!source->used_zone ? "btree" : "zone, btree";
	base->pages = source->reader.pages;
}

typedef struct FilterTest
{
	const FactColumns *columns;
	const FactFilter *filter;
} FilterTest;

static bool
passes_filter(void *state, HeapTuple tuple)
{
	FilterTest *test = (FilterTest *) state;
	FactKey		key;

	facts_key(test->columns, tuple, &key);
	return facts_passes(test->filter, &key);
}

static void
pages_scan(FactSource *base, const FactFilter *filter,
		   FactSink sink, void *state)
{
	PageSource *source = (PageSource *) base;
	PageReader *reader = &source->reader;
	FilterTest	test = {source->columns, filter};
	BlockNumber nblocks = pageread_start_scan(reader);

	for (BlockNumber block = 0; block < nblocks; block++)
	{
		pageread_scan(reader, block, filter->any ? NULL : passes_filter,
					  &test);
		for (int i = 0; i < reader->ntuples; i++)
		{
			FactKey		key;

			facts_key(source->columns, &reader->tuples[i], &key);
			emit(source, &reader->tuples[i], &key, FACT_WANT_DISTANCE,
				 sink, state);
		}
	}
	base->pages = reader->pages;
}

static uint64
pages_keep(FactSource *base, const FactRow *row)
{
	return row->ref;			/* the TID says where the row is */
}

static void
pages_drop(FactSource *base, uint64 ref)
{
}

static Datum
pages_payload(FactSource *base, uint64 ref, bool *isnull)
{
	PageSource *source = (PageSource *) base;
	ItemPointerData tid;
	HeapTuple	tuple;
	Datum		value;

	tid_unpack(ref, &tid);
	tuple = pageread_refetch(&source->reader, &tid);
	base->pages = source->reader.pages;
	value = heap_getattr(tuple, source->columns->attno[FACT_PAYLOAD],
						 source->columns->desc, isnull);
	if (*isnull)
		return (Datum) 0;
	if (VARATT_IS_EXTERNAL(DatumGetPointer(value)))
		return PointerGetDatum(detoast_external_attr((struct varlena *)
													 DatumGetPointer(value)));
	return datumCopy(value, false, -1);
}

static void
pages_close(FactSource *base)
{
	PageSource *source = (PageSource *) base;

	pageread_end(&source->reader);
	if (source->indexes.btree != NULL)
		keyscan_end(&source->keys);
	if (source->indexes.zone != NULL)
		zonescan_end(&source->zones);
	indexes_close(&source->indexes);
}

FactSource *
facts_open_pages(RelGate *gate, const FactColumns *columns, Snapshot snapshot,
				 const DistQuery *query)
{
	PageSource *source = (PageSource *) palloc(sizeof(PageSource));

	Assert(gate->path == RELGATE_PAGES);
	source->base.expand = pages_expand;
	source->base.scan = pages_scan;
	source->base.keep = pages_keep;
	source->base.drop = pages_drop;
	source->base.payload = pages_payload;
	source->base.close = pages_close;
	source->base.query = query;
	source->base.halves = columns->halves;
	source->base.pages = 0;
	source->columns = columns;
	source->io_window =
		get_tablespace_io_concurrency(gate->rel->rd_rel->reltablespace);
	source->used_btree = source->used_zone = false;
	indexes_open(&source->indexes, gate->rel, columns, snapshot);
	source->base.access = source->indexes.zone != NULL ? "zone" : "btree";
	if (source->indexes.btree != NULL)
		keyscan_begin(&source->keys, gate->rel, &source->indexes, columns,
					  snapshot);
	if (source->indexes.zone != NULL)
		zonescan_begin(&source->zones, gate->rel, source->indexes.zone,
					   columns, snapshot);
	pageread_begin(&source->reader, gate->rel, snapshot);
	return &source->base;
}
