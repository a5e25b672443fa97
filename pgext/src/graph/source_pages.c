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

#include "graph/indexonly.h"
#include "graph/keyscan.h"
#include "graph/nearest.h"
#include "graph/zonescan.h"
#include "tableam/pageread.h"

/* Pages pinned ahead, and of how many buffers each may be one: an expansion at
 * the caller's pace keeps its pins, and a plan may have many. With that of the reader
 * they are eight: so many pins core counts in an array, and more in a hash table. */
#define GROUP_PAGES 7
#define BUFFERS_PER_PIN 64

/* Tuples of a page that are worth a hint: the hardware sees the rest coming. */
#define HINT_TUPLES 4

/* Rows of the vector index that are read at a time, at most and where some of
 * them may not pass, and how many that tie with the last one are looked at. */
#define NEAREST_BATCH 256
#define NEAREST_TRIAL 64
#define MAX_TIES 10000

/* Where entity, relation and target lie, as a rule. */
#define KEY_BYTES 64

/* A page of an expansion, pinned ahead. */
typedef struct PageVisit
{
	Buffer		buffer;
	size_t		first;			/* by the btree: its TIDs */
	int			count;
} PageVisit;

/* An expansion under way. */
typedef struct PageCursor
{
	FactHop		hop;
	bool		by_zone;
	SeedTest	test;			/* by the zone map */
	const uint64 *tids;			/* else: ascending */
	size_t		ntids;
	size_t		at;				/* next TID or candidate block */
	size_t		hinted;			/* up to here reads were asked for */
	uint64		emitted;
	bool		done;
	int			nvisits;
	int			visit;			/* next of these */
	PageVisit	visits[GROUP_PAGES];
} PageCursor;

typedef struct PageSource
{
	FactSource	base;
	Relation	rel;
	Snapshot	snapshot;
	const FactColumns *columns;
	FactIndexes indexes;
	KeyScan		keys;			/* where there is a btree */
	ZoneScan	zones;			/* where there is a zone map */
	bool		used_btree;
	bool		used_zone;
	PageReader	reader;
	int			io_window;		/* pages to prefetch once reads miss */
	PageCursor	cursor;
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
	row.halves = source->base.halves;
	if ((want & FACT_WANT_DISTANCE) != 0)
	{
		struct varlena *value = facts_embedding(source->columns, tuple);

		row.ranked = value != NULL &&
			facts_distance(source->base.query, source->base.halves,
						   value, &row.distance);
	}
	if ((want & FACT_WANT_EMBEDDING) != 0)
	{
		row.embedding =
			PointerGetDatum(facts_embedding(source->columns, tuple));
		row.embedding_null = row.embedding == (Datum) 0;
	}
	if ((want & FACT_WANT_PAYLOAD) != 0)
		row.payload = facts_payload(source->columns, tuple,
									&row.payload_null);
	sink(state, &row);
}

/*
 * The TIDs of the block at position `from`. At most a page's worth: should a
 * broken index hold more, the rest count as another visit.
 */
static int
tids_of_block(const PageCursor *cursor, size_t from)
{
	uint64		block = cursor->tids[from] >> 16;
	int			n = 1;

	while (n < MaxHeapTuplesPerPage && from + n < cursor->ntids &&
		   cursor->tids[from + n] >> 16 == block)
		n++;
	return n;
}

static inline OffsetNumber
tid_offset(const PageCursor *cursor, size_t at)
{
	return (OffsetNumber) (cursor->tids[at] & 0xFFFF);
}

/*
 * Hint at the pages after the ones at hand. Asked only after a read that missed:
 * while everything is in shared buffers, hints would cost a look-up each.
 */
static size_t
prefetch_after(PageSource *source, const PageCursor *cursor)
{
	size_t		at = cursor->at;
	uint64		last = at > 0 ? cursor->tids[at - 1] >> 16 : PG_UINT64_MAX;
	int			left = source->io_window;

	for (; at < cursor->ntids && left > 0; at++)
	{
		uint64		block = cursor->tids[at] >> 16;

		if (block == last)
			continue;
		last = block;
		left--;
		if (at >= cursor->hinted)
			pageread_prefetch(&source->reader, (BlockNumber) block);
	}
	return Max(at, cursor->hinted);
}

/* Pages that may be pinned ahead with so many buffers. */
static int
group_size(const PageSource *source)
{
	int			buffers = RelationUsesLocalBuffers(source->reader.rel) ?
		NLocBuffer : NBuffers;

	return Min(Max(buffers / BUFFERS_PER_PIN, 1), GROUP_PAGES);
}

/* Ask the CPU for the pages that will be pinned next. */
static void
hint_tids_ahead(PageSource *source, const PageCursor *cursor, int count)
{
	size_t		at = cursor->at;

	for (; count > 0 && at < cursor->ntids; count--)
	{
		pageread_hint_block(&source->reader, (BlockNumber) (cursor->tids[at] >> 16));
		at += tids_of_block(cursor, at);
	}
}

/*
 * Pin the next few pages and ask the CPU for what will be read of them, so
 * that its misses overlap.
 */
static void
gather_tids(PageSource *source, PageCursor *cursor)
{
	Size		bytes = cursor->hop.want == FACT_WANT_KEYS ? KEY_BYTES : BLCKSZ;
	PageVisit  *visit = cursor->visits;
	int			size = group_size(source);

	if (cursor->at == 0)
		hint_tids_ahead(source, cursor, size);
	for (; cursor->nvisits < size && cursor->at < cursor->ntids; visit++)
	{
		int64		missed = missed_reads();

		visit->first = cursor->at;
		visit->count = tids_of_block(cursor, cursor->at);
		visit->buffer =
			pageread_pin(&source->reader,
						 (BlockNumber) (cursor->tids[cursor->at] >> 16));
		cursor->nvisits++;
		pageread_hint_item(visit->buffer, tid_offset(cursor, cursor->at));
		cursor->at += visit->count;
		if (missed != missed_reads())
			cursor->hinted = prefetch_after(source, cursor);
	}
	for (int i = 0; i < cursor->nvisits; i++)
	{
		int			tuples;

		visit = &cursor->visits[i];
		tuples = Min(visit->count, HINT_TUPLES);
		for (int j = 0; j < tuples; j++)
			pageread_hint_tuple(visit->buffer,
								tid_offset(cursor, visit->first + j), bytes);
	}
	hint_tids_ahead(source, cursor, size);
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

/* Ask the CPU for the candidate blocks that will be pinned next. */
static void
hint_blocks_ahead(PageSource *source, const PageCursor *cursor, int count)
{
	const ZoneScan *zones = &source->zones;
	size_t		end = Min(cursor->at + count, zones->nblocks);

	for (size_t at = cursor->at; at < end; at++)
		pageread_hint_block(&source->reader, zones->blocks[at]);
}

/* The same of candidate blocks: hints at what the key test will look at. */
static void
gather_blocks(PageSource *source, PageCursor *cursor)
{
	const ZoneScan *zones = &source->zones;
	int			size = group_size(source);

	if (cursor->at == 0)
		hint_blocks_ahead(source, cursor, size);
	while (cursor->nvisits < size && cursor->at < zones->nblocks)
	{
		int64		missed = missed_reads();
		Buffer		buffer = pageread_pin(&source->reader,
										  zones->blocks[cursor->at++]);

		cursor->visits[cursor->nvisits++].buffer = buffer;
		pageread_hint_items(buffer);
		if (missed != missed_reads())
			cursor->hinted = prefetch_blocks(source, cursor->at,
											 cursor->hinted);
	}
	for (int i = 0; i < cursor->nvisits; i++)
		pageread_hint_keys(cursor->visits[i].buffer);
	if (cursor->hop.want != FACT_WANT_KEYS)
	{
		for (int i = 0; i < cursor->nvisits; i++)
			seed_hint(&cursor->test, cursor->visits[i].buffer);
	}
	hint_blocks_ahead(source, cursor, size);
}

/* Read one page into the reader; it takes over the pin. */
static void
read_visit(PageSource *source, PageCursor *cursor, const PageVisit *visit)
{
	OffsetNumber offsets[MaxHeapTuplesPerPage];

	if (cursor->by_zone)
	{
		pageread_scan_pinned(&source->reader, visit->buffer, seed_test,
							 &cursor->test);
		return;
	}
	for (int i = 0; i < visit->count; i++)
		offsets[i] = tid_offset(cursor, visit->first + i);
	pageread_members(&source->reader, visit->buffer, offsets, visit->count);
}

/* Give back the pins of pages that will not be read after all. */
static void
end_cursor(PageCursor *cursor)
{
	while (cursor->visit < cursor->nvisits)
		ReleaseBuffer(cursor->visits[cursor->visit++].buffer);
	cursor->done = true;
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

/*
 * Find candidates: the map where it is there and pays, else the btree. That one
 * gives the rows it can answer itself to `answer`, where there is one.
 */
static void
start_cursor(PageSource *source, const FactHop *hop, KeyScanRow answer,
			 void *state)
{
	PageCursor *cursor = &source->cursor;
	bool		has_btree = source->indexes.btree != NULL;

	end_cursor(cursor);
	memset(cursor, 0, offsetof(PageCursor, visits));
	cursor->hop = *hop;
	cursor->by_zone = source->indexes.zone != NULL &&
		zonescan_search(&source->zones, hop, has_btree);
	if (cursor->by_zone)
	{
		cursor->test.columns = source->columns;
		cursor->test.hop = &cursor->hop;
		source->used_zone = true;
	}
	else
	{
		keyscan_search(&source->keys, hop, answer, state);
		cursor->tids = source->keys.tids;
		cursor->ntids = source->keys.ntids;
		source->used_btree = true;
	}
	source->base.access = !source->used_btree ? "zone" :
		!source->used_zone ? "btree" : "zone, btree";
}

static void
pages_start(FactSource *base, const FactHop *hop)
{
	start_cursor((PageSource *) base, hop, NULL, NULL);
}

/* The rows of the next page; the last one may be cut short by the limit. */
static bool
pages_next(FactSource *base, FactSink sink, void *state)
{
	PageSource *source = (PageSource *) base;
	PageCursor *cursor = &source->cursor;
	PageReader *reader = &source->reader;

	if (cursor->done)
		return false;
	if (cursor->visit == cursor->nvisits)
	{
		cursor->visit = cursor->nvisits = 0;
		if (cursor->by_zone)
			gather_blocks(source, cursor);
		else
			gather_tids(source, cursor);
		base->pages = reader->pages;
		if (cursor->nvisits == 0)
		{
			cursor->done = true;
			return false;
		}
	}

	read_visit(source, cursor, &cursor->visits[cursor->visit++]);
	for (int i = 0; i < reader->ntuples; i++)
	{
		FactKey		key;

		facts_key(source->columns, &reader->tuples[i], &key);
		if (!facts_passes(&cursor->hop.filter, &key))
			continue;
		emit(source, &reader->tuples[i], &key, cursor->hop.want, sink, state);
		if (++cursor->emitted == cursor->hop.limit)
		{
			end_cursor(cursor);
			break;
		}
	}
	return true;
}

static void
pages_expand(FactSource *base, const FactHop *hop, FactSink sink, void *state)
{
	IndexAnswer answer = {hop, sink, state};

	/* A limit counts in physical order, so it needs all TIDs first. */
	start_cursor((PageSource *) base, hop,
				 hop->want == FACT_WANT_KEYS && hop->limit == 0 ?
				 answer_from_index : NULL, &answer);
	while (pages_next(base, sink, state))
		;
}

typedef struct FilterTest
{
	const FactColumns *columns;
	const FactFilter *filter;
} FilterTest;

static int
filter_test(void *state, Page page, OffsetNumber last, OffsetNumber *matches)
{
	FilterTest *test = (FilterTest *) state;
	int			n = 0;

	for (OffsetNumber offset = FirstOffsetNumber; offset <= last; offset++)
	{
		HeapTupleData tuple;
		FactKey		key;

		if (!pageread_tuple_at(page, offset, &tuple))
			continue;
		facts_key(test->columns, &tuple, &key);
		if (facts_passes(test->filter, &key))
			matches[n++] = offset;
	}
	return n;
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
		pageread_scan(reader, block, filter->any ? NULL : filter_test,
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

/* Rows that the vector index found, on their way to the sink. */
typedef struct NearestRows
{
	PageSource *source;
	FactHop		hop;
	FactColumn	id;				/* of rows that are certain */
	FactSink	sink;
	FactSure	sure;
	void	   *state;
	uint32		certain;		/* such rows passed */
	NearestBound bound;
	int			ntids;
	ItemPointerData tids[NEAREST_BATCH];
	uint64		sorted[NEAREST_BATCH];
} NearestRows;

static void
pass_nearest(void *state, const FactRow *row)
{
	NearestRows *rows = (NearestRows *) state;

	rows->sink(rows->state, row);
	nearest_bound_saw(&rows->bound, row);
}

static void
pass_certain(void *state, const FactRow *row)
{
	NearestRows *rows = (NearestRows *) state;

	rows->certain++;
	rows->sure(rows->state, (row->key.nulls & FACT_NULL(rows->id)) != 0,
			   rows->id == FACT_TARGET ? row->key.target : row->key.entity);
}

/* Read what was collected, page by page. */
static void
read_nearest(NearestRows *rows, FactWant want, FactSink sink)
{
	PageSource *source = rows->source;
	PageCursor *cursor = &source->cursor;

	for (int i = 0; i < rows->ntids; i++)
		rows->sorted[i] = tid_pack(&rows->tids[i]);
	tids_sort(rows->sorted, rows->ntids);
	end_cursor(cursor);
	memset(cursor, 0, offsetof(PageCursor, visits));
	cursor->hop = rows->hop;
	cursor->hop.want = want;
	cursor->tids = rows->sorted;
	cursor->ntids = rows->ntids;
	rows->ntids = 0;
	while (pages_next(&source->base, sink, rows))
		;
}

/* Rows that the index is certain of: it may know what is wanted of them, and else
 * nothing but their keys is read. Returns how many there are. */
static uint32
pass_all_certain(NearestRows *rows, NearestScan *nearest, const FactNearest *want)
{
	PageSource *source = rows->source;
	AttrNumber	column = 0;
	SeedEntry  *entries;
	int			left;

	if (want->filter->any || nearest->by_index)
		column = seedscan_entry_column(nearest->scan, source->columns->attno[want->id]);
	left = seedscan_take_certain(nearest->scan, want->count, column, &entries);
	rows->certain = indexonly_tell(nearest, source->rel, source->snapshot, want, entries, &left);
	seedscan_count_read(nearest->scan, left);
	while (left > 0)
	{
		CHECK_FOR_INTERRUPTS();
		while (left > 0 && rows->ntids < NEAREST_BATCH)
			rows->tids[rows->ntids++] = entries[--left].tid;
		read_nearest(rows, FACT_WANT_KEYS, pass_certain);
	}
	pfree(entries);
	return rows->certain;
}

/* So many more rows are asked for at a time. */
static int
wanted_rows(const NearestRows *rows, const NearestScan *nearest, uint32 count)
{
	uint64		wanted = NEAREST_BATCH;

	if (rows->bound.passed < count)
	{
		wanted = count - rows->bound.passed;
		if (!rows->hop.filter.any && !nearest->by_index)
			wanted = Max(wanted, NEAREST_TRIAL);
	}
	return (int) Min(wanted, NEAREST_BATCH);
}

/*
 * First as many rows as are wanted, then those that may be as near as the
 * farthest of the nearest so far: as many as a scan in exact order would have to
 * look at. Which relation a row has, the index may not know; then more are asked
 * for until enough of the right one have come. True when that was all.
 */
static bool
read_found(NearestRows *rows, NearestScan *nearest, uint32 count)
{
	bool		beyond = false;

	while (!beyond)
	{
		CHECK_FOR_INTERRUPTS();
		rows->ntids = seedscan_take(nearest->scan, nearest_bound(&rows->bound), rows->tids,
									wanted_rows(rows, nearest, count), &beyond);
		if (rows->ntids == 0)
			break;
		read_nearest(rows, FACT_WANT_DISTANCE, pass_nearest);
	}
	return beyond;
}

/* What is left: rows in order, of long chains of twins and farther away. */
static void
read_in_order(NearestRows *rows, NearestScan *nearest, uint32 count)
{
	uint32		ties = 0;
	bool		more = true;
	SeedRow		row;

	while (more)
	{
		int			wanted = wanted_rows(rows, nearest, count);

		while (more && rows->ntids < wanted)
		{
			more = nearest_next(nearest, &row) &&
				row.distance <= nearest_bound(&rows->bound) &&
				(rows->bound.passed < count || ties++ < MAX_TIES);
			if (more)
				rows->tids[rows->ntids++] = row.tid;
		}
		read_nearest(rows, FACT_WANT_DISTANCE, pass_nearest);
	}
}

static const char *
pages_nearest(FactSource *base, const FactNearest *want)
{
	PageSource *source = (PageSource *) base;
	const FactFilter *filter = want->filter;
	uint32		count = want->count;
	FactHop		hop = {.filter = *filter};
	NearestRows *rows;
	NearestScan nearest;
	const char *method;
	Relation	index = nearest_index_open(source->rel, source->columns, filter,
										   base->query, source->snapshot);

	if (index == NULL)
		return NULL;
	nearest_begin(&nearest, source->rel, index, source->columns, filter,
				  base->query, source->snapshot, count);
	rows = (NearestRows *) palloc(sizeof(NearestRows));
	rows->source = source;
	rows->hop = hop;
	rows->id = want->id;
	rows->sink = want->sink;
	rows->sure = want->sure;
	rows->state = want->state;
	rows->ntids = 0;
	if (want->sure != NULL)
		count -= pass_all_certain(rows, &nearest, want);
	nearest_bound_init(&rows->bound, count);
	if (!read_found(rows, &nearest, count))
		read_in_order(rows, &nearest, count);
	base->pages = source->reader.pages;
	nearest_search(&nearest, &base->search);
	method = rows->bound.passed < count && nearest_bounded(&nearest) ? NULL :
		nearest_method(&nearest);
	nearest_end(&nearest);
	pfree(rows);
	return method;
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

	end_cursor(&source->cursor);
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
	source->base.start = pages_start;
	source->base.next = pages_next;
	source->base.scan = pages_scan;
	source->base.nearest = pages_nearest;
	source->base.keep = pages_keep;
	source->base.drop = pages_drop;
	source->base.payload = pages_payload;
	source->base.close = pages_close;
	source->base.query = query;
	source->base.halves = columns->halves;
	source->base.pages = 0;
	memset(&source->base.search, 0, sizeof(source->base.search));
	source->rel = gate->rel;
	source->snapshot = snapshot;
	source->columns = columns;
	source->io_window =
		get_tablespace_io_concurrency(gate->rel->rd_rel->reltablespace);
	source->used_btree = source->used_zone = false;
	source->cursor.nvisits = source->cursor.visit = 0;
	source->cursor.done = true;
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
