/*
 * zonescan.c
 *	  Entities -> candidate blocks, through the zone map led by the entity.
 *
 * The caller's snapshot is older than anything read here: first the predicate
 * lock, then the size of the table, then the map from shared buffers. One size
 * serves all hops of a call, because they share the snapshot and the lock that
 * keeps the table from being truncated.
 *
 * Blocks are candidates: rows are tested by seed_test(), key first, and only
 * then for visibility.
 *
 * When to decline (docs/decisions/0043 has the measurements): with everything
 * in shared buffers, a full block of narrow rows of which nothing is known costs
 * some two thirds of what the map saves on one seed's way through the btree,
 * and a lookup in the map saves two or three of them however small it is. The
 * same goes for candidates that lie apart: rows of an entity are together in an
 * ordered table, so many more runs than seeds mean that the chains of
 * neighbouring zone pages overlap.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/predicate.h"
#include "utils/rel.h"

#include "graph/zonescan.h"

#define SEARCHED_FREE 2			/* blocks nothing is known of: these, and */
#define SEARCHED_PER_SEED 1		/* so many a seed */
#define RUNS_FREE 4				/* runs of blocks: these, and */
#define RUNS_PER_SEED 3			/* so many a seed */

void
zonescan_begin(ZoneScan *zs, Relation rel, Relation index,
			   const FactColumns *columns, Snapshot snapshot)
{
	memset(zs, 0, sizeof(*zs));
	zs->rel = rel;
	zs->index = index;
	zs->snapshot = snapshot;
	zs->columns = columns;
}

static void
open_map(ZoneScan *zs)
{
	const ZoneKey *key;

	zs->map = zonemap_open(zs->rel, zs->index, zs->snapshot);
	key = zonemap_key(zs->map);
	if (key->attnums[0] != zs->columns->attno[FACT_ENTITY] ||
		key->kinds[0] != KEY_KIND_INT4)
		elog(ERROR, "zone map \"%s\" is not led by the entity column",
			 RelationGetRelationName(zs->index));
	zs->relation_key = key->ncolumns > 1 &&
		key->attnums[1] == zs->columns->attno[FACT_RELATION] &&
		key->kinds[1] == KEY_KIND_INT2;
}

/* The ranges of a hop's seeds: ascending, as the seeds are. */
static ZoneRange *
seed_ranges(const ZoneScan *zs, const FactHop *hop)
{
	Datum		relation = Int16GetDatum(hop->filter.relation);
	const Datum *second =
		zs->relation_key && !hop->filter.any ? &relation : NULL;
	ZoneRange  *ranges = (ZoneRange *)
		palloc_extended(Max(hop->nseeds, 1) * sizeof(ZoneRange),
						MCXT_ALLOC_HUGE);

	for (size_t i = 0; i < hop->nseeds; i++)
		ranges[i] = zonemap_equal_range(zs->map, Int32GetDatum(hop->seeds[i]),
										INT4OID, second, INT2OID);
	return ranges;
}

static void
list_blocks(ZoneScan *zs, const ZoneBlocks *found)
{
	size_t		total = (size_t) found->bounded_blocks + found->searched_blocks;

	zs->blocks = (BlockNumber *)
		palloc_extended(Max(total, 1) * sizeof(BlockNumber), MCXT_ALLOC_HUGE);
	for (int i = 0; i < found->nruns; i++)
		for (BlockNumber n = 0; n < found->runs[i].count; n++)
			zs->blocks[zs->nblocks++] = found->runs[i].first + n;
	Assert(zs->nblocks == total);
}

/*
 * A writer who finds no lock to conflict with must not then add a row to a block
 * that the map, looked at earlier, left out. So what was asked before the lock
 * is asked again.
 */
static void
lock_rows(ZoneScan *zs)
{
	PredicateLockRelation(zs->rel, zs->snapshot);
	zs->locked = true;
	zonescan_end(zs);
	open_map(zs);
}

static bool
look_up(ZoneScan *zs, const FactHop *hop, bool may_decline)
{
	uint64		limit = SEARCHED_FREE + SEARCHED_PER_SEED * (uint64) hop->nseeds;
	uint64		max_runs = RUNS_FREE + RUNS_PER_SEED * (uint64) hop->nseeds;
	ZoneRange  *ranges;
	ZoneBlocks	found;
	bool		answered;

	if (zs->blocks != NULL)
		pfree(zs->blocks);
	zs->blocks = NULL;
	zs->nblocks = 0;
	if (hop->nseeds > INT_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many entities to expand: %zu", hop->nseeds)));

	ranges = seed_ranges(zs, hop);
	answered = zonemap_lookup(zs->map, ranges,
							  zone_ranges_normalize(ranges, (int) hop->nseeds),
							  may_decline && limit < ZONE_SEARCH_ANY ?
							  (BlockNumber) limit : ZONE_SEARCH_ANY, &found);
	if (answered && !(may_decline && found.nruns > max_runs))
		list_blocks(zs, &found);
	if (found.runs != NULL)
		pfree(found.runs);
	pfree(ranges);
	return zs->blocks != NULL;
}

/* A hop that is declined takes no lock here: the btree has its own. */
bool
zonescan_search(ZoneScan *zs, const FactHop *hop, bool may_decline)
{
	if (zs->map == NULL)
		open_map(zs);
	if (!zs->locked)
	{
		if (IsolationIsSerializable() && may_decline &&
			!look_up(zs, hop, may_decline))
			return false;
		lock_rows(zs);
	}
	return look_up(zs, hop, may_decline);
}

void
zonescan_end(ZoneScan *zs)
{
	if (zs->map != NULL)
		zonemap_close(zs->map);
	zs->map = NULL;
}

/* Position of the last seed at or below an entity, or of the first of all. */
static size_t
seed_position(const FactHop *hop, int32 entity)
{
	size_t		low = 0;
	size_t		high = hop->nseeds;

	while (low < high)
	{
		size_t		middle = (low + high) / 2;

		if (hop->seeds[middle] <= entity)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? low - 1 : 0;
}

/*
 * On ordered pages an entity is as a rule where the one before was: at the
 * seed last found, `at`, or in the gap behind it.
 */
static inline bool
is_seed(const FactHop *hop, int32 entity, size_t *at)
{
	size_t		next = *at + 1;

	if (entity == hop->seeds[*at])
		return true;
	if (entity > hop->seeds[*at] && (next == hop->nseeds || entity < hop->seeds[next]))
		return false;
	*at = seed_position(hop, entity);
	return entity == hop->seeds[*at];
}

int
seed_test(void *state, Page page, OffsetNumber last, OffsetNumber *matches)
{
	SeedTest   *test = (SeedTest *) state;
	const FactHop *hop = test->hop;
	const FactColumns *columns = test->columns;
	size_t		at = test->at;
	int			n = 0;

	if (hop->nseeds == 0)
		return 0;
	for (OffsetNumber offset = FirstOffsetNumber; offset <= last; offset++)
	{
		HeapTupleData tuple;
		FactKey		key;

		if (!pageread_tuple_at(page, offset, &tuple))
			continue;
		facts_key(columns, &tuple, &key);
		if (is_seed(hop, key.entity, &at) && facts_passes(&hop->filter, &key) &&
			(key.nulls & FACT_NULL(FACT_ENTITY)) == 0)
			matches[n++] = offset;
	}
	test->at = at;
	return n;
}

/* Pages of more rows than this have short ones, which need no hint. */
#define LONG_ROWS 16

/* The keys of a tuple at some place of a page, should it be one without nulls. */
static inline bool
guess_key(const FactColumns *columns, const char *page, Size from, FactKey *key)
{
	Size		data = from + MAXALIGN(SizeofHeapTupleHeader);
	Size		entity = data + columns->offset[FACT_ENTITY];
	Size		relation = data + columns->offset[FACT_RELATION];

	if (Max(entity, relation) > BLCKSZ - sizeof(int32))
		return false;
	memcpy(&key->entity, page + entity, sizeof(key->entity));
	memcpy(&key->relation, page + relation, sizeof(key->relation));
	key->nulls = 0;
	return true;
}

void
seed_hint(SeedTest *test, Buffer buffer)
{
	const char *page = (const char *) BufferGetPage(buffer);
	Size		lower = ((const PageHeaderData *) page)->pd_lower;
	const FactHop *hop = test->hop;
	int			nitems = 0;

	if (lower > SizeOfPageHeaderData)
		nitems = (lower - SizeOfPageHeaderData) / sizeof(ItemIdData);
	if (!test->columns->fixed_keys || hop->nseeds == 0 || nitems > LONG_ROWS)
		return;
	for (int i = 0; i < nitems; i++)
	{
		ItemIdData	item = ((const PageHeaderData *) page)->pd_linp[i];
		FactKey		key;

		if (guess_key(test->columns, page, ItemIdGetOffset(&item), &key) &&
			is_seed(hop, key.entity, &test->hinted) && facts_passes(&hop->filter, &key))
			pageread_hint_tuple(buffer, FirstOffsetNumber + i, BLCKSZ);
	}
}
