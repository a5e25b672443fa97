/*
 * build.c
 *	  Building the map of a heap that has rows already.
 *
 * The build reads pages, not a snapshot: the map has to cover every tuple
 * anyway, and so it has no opinion on broken HOT chains and never asks for
 * indcheckxmin. Nobody else sees the new index, so pages are changed in place
 * and logged whole at the end; a crash before takes the file with it.
 *
 * CREATE INDEX CONCURRENTLY builds while writers do not call this index yet.
 * Bounds read now would miss their rows, so all blocks stay OPEN until
 * validation (vacuum.c).
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/xact.h"
#include "access/xloginsert.h"
#include "catalog/index.h"
#include "commands/defrem.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "compat.h"
#include "types/keyimage.h"
#include "zone/pageio.h"
#include "zone/seal.h"
#include "zone/zone.h"

typedef struct Build
{
	Relation	heap;
	Relation	index;
	ZoneKey		key;
	BlockNumber heap_blocks;
	TransactionId oldest_xmin;
	BufferAccessStrategy strategy;
	double		live_tuples;
	BlockKeys	keys[ZONE_ENTRIES];
} Build;

static void check_definition(Relation heap, Relation index, IndexInfo *info);
static void check_column(Relation index, int column);
static void create_pages(Build *build);
static void build_zone(Build *build, uint32 zone);
static void count_live(HeapTuple tuple, Buffer buffer, void *arg);

IndexBuildResult *
zone_build(Relation heap, Relation index, IndexInfo *info)
{
	IndexBuildResult *result = palloc0(sizeof(IndexBuildResult));
	Build	   *build = palloc0(sizeof(Build));

	check_definition(heap, index, info);
	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(index));

	zone_cache_reset(index);
	zone_key_of_index(index, &build->key);
	build->heap = heap;
	build->index = index;
	build->heap_blocks = RelationGetNumberOfBlocks(heap);
	create_pages(build);

	if (info->ii_Concurrent)
	{
		/* Row counts of the table are not known; leave them as they are. */
		result->heap_tuples = -1;
		result->index_tuples = -1;
	}
	else
	{
		build->oldest_xmin = GetOldestNonRemovableTransactionId(heap);
		build->strategy = GetAccessStrategy(BAS_BULKREAD);
		pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_TOTAL,
									 build->heap_blocks);
		for (uint32 zone = 0; zone < zone_count(build->heap_blocks); zone++)
			build_zone(build, zone);
		FreeAccessStrategy(build->strategy);
		result->heap_tuples = build->live_tuples;
		result->index_tuples = build->live_tuples;
	}

	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0,
						  RelationGetNumberOfBlocks(index), true);
	pfree(build);
	return result;
}

void
zone_build_empty(Relation index)
{
	ZoneKey		key;

	zone_key_of_index(index, &key);

	/* Generic WAL ignores the fork of an unlogged relation: log the page. */
	ReleaseBuffer(zone_extend(index, INIT_FORKNUM, ZONE_META_BLOCK, &key, true));
}

/* Refuse what the map cannot promise anything about. */
static void
check_definition(Relation heap, Relation index, IndexInfo *info)
{
	if (!block_keys_supported(heap))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" does not support tables with access method \"%s\"",
						"sorted_zone", get_am_name(heap->rd_rel->relam)),
				 errdetail("The zone map reads heap pages.")));
	if (info->ii_Expressions != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" does not support expressions",
						"sorted_zone")));
	if (info->ii_Predicate != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" does not support partial indexes",
						"sorted_zone")));
	if (info->ii_NumIndexKeyAttrs > ZONE_MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("access method \"%s\" supports at most %d columns",
						"sorted_zone", ZONE_MAX_COLUMNS)));
	for (int i = 0; i < info->ii_NumIndexKeyAttrs; i++)
		check_column(index, i);
}

static void
check_column(Relation index, int column)
{
	Oid			type = index->rd_opcintype[column];
	Oid			collation = index->rd_indcollation[column];
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(index), column);

	if (key_kind_of_type(type) == KEY_KIND_NONE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" does not support type %s",
						"sorted_zone", format_type_be(type))));
	if (!key_collation_supported(collation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" does not support the collation of column \"%s\"",
						"sorted_zone", NameStr(attribute->attname)),
				 errdetail("The zone map keeps text in byte order."),
				 errhint("Declare the column, or the column in the index, with COLLATE \"C\".")));
}

/* All pages for the heap as it is, with every block OPEN. */
static void
create_pages(Build *build)
{
	uint32		nzones = zone_count(build->heap_blocks);
	BlockNumber end = nzones > 0 ? zone_leaf_address(nzones - 1) + 1 : 1;

	for (BlockNumber address = 0; address < end; address++)
	{
		CHECK_FOR_INTERRUPTS();
		ReleaseBuffer(zone_extend(build->index, MAIN_FORKNUM, address,
								  &build->key, false));
	}
}

static void
build_zone(Build *build, uint32 zone)
{
	int			nentries = zone_entries_within(zone, build->heap_blocks);
	BlockNumber first = zone_first_block(zone);
	Buffer		leaf_buffer;
	ZoneChange	change;

	for (int i = 0; i < nentries; i++)
	{
		CHECK_FOR_INTERRUPTS();
		build->keys[i] = block_keys_read(build->heap, first + i, &build->key,
										 build->strategy, count_live, build);
	}

	leaf_buffer = ReadBuffer(build->index, zone_leaf_address(zone));
	zone_change_begin(&change, build->index, zone, leaf_buffer,
					  ZONE_CHANGE_BUILD);
	memset(change.leaf->states, ZONE_GATHERING, nentries);
	zone_form_chain(change.leaf, build->keys);
	zone_change_finish(&change);
	ReleaseBuffer(leaf_buffer);

	pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE, first + nentries);
}

/* Core keeps the table's row count from index builds; count as heap's build
 * scan does. */
static void
count_live(HeapTuple tuple, Buffer buffer, void *arg)
{
	Build	   *build = (Build *) arg;

	switch (HeapTupleSatisfiesVacuum(tuple, build->oldest_xmin, buffer))
	{
		case HEAPTUPLE_LIVE:
			build->live_tuples++;
			break;
		case HEAPTUPLE_INSERT_IN_PROGRESS:
			if (TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)))
				build->live_tuples++;
			break;
		case HEAPTUPLE_DELETE_IN_PROGRESS:
			if (!TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(tuple->t_data)))
				build->live_tuples++;
			break;
		case HEAPTUPLE_DEAD:
		case HEAPTUPLE_RECENTLY_DEAD:
			break;
	}
}
