/*
 * pageio.c
 *	  Pages of one zone map: finding, creating and changing them.
 */
#include "postgres.h"

#include "access/xloginsert.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "bufferhint.h"
#include "compat.h"
#include "zone/pageio.h"

void
zone_key_of_index(Relation index, ZoneKey *key)
{
	memset(key, 0, sizeof(*key));
	key->ncolumns = Min(index->rd_index->indnkeyatts, ZONE_MAX_COLUMNS);
	for (int i = 0; i < key->ncolumns; i++)
	{
		key->attnums[i] = index->rd_index->indkey.values[i];
		key->kinds[i] = key_kind_of_type(index->rd_opcintype[i]);
	}
}

ZoneCache *
zone_cache(Relation index)
{
	ZoneCache  *cache;
	ZoneKey		key;
	Buffer		buffer;

	if (index->rd_amcache != NULL)
		return (ZoneCache *) index->rd_amcache;

	zone_key_of_index(index, &key);
	buffer = ReadBuffer(index, ZONE_META_BLOCK);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	zone_meta_check(index, BufferGetPage(buffer), &key);
	UnlockReleaseBuffer(buffer);

	cache = MemoryContextAlloc(index->rd_indexcxt, sizeof(ZoneCache));
	cache->key = key;
	cache->index_blocks = 0;
	index->rd_amcache = cache;
	return cache;
}

void
zone_cache_reset(Relation index)
{
	if (index->rd_amcache != NULL)
		pfree(index->rd_amcache);
	index->rd_amcache = NULL;
}

Buffer
zone_pin(Relation index, BlockNumber address)
{
	ZoneCache  *cache = zone_cache(index);

	if (address >= cache->index_blocks)
	{
		BlockNumber index_blocks = RelationGetNumberOfBlocks(index);

		/* Opening the file may have processed an invalidation. */
		cache = zone_cache(index);
		cache->index_blocks = index_blocks;
		if (address >= index_blocks)
			return InvalidBuffer;
	}

	return bufferhint_read(index, address);
}

Buffer
zone_extend(Relation index, ForkNumber fork, BlockNumber address,
			const ZoneKey *key, bool log)
{
	Buffer		buffer = ReadBufferExtended(index, fork, P_NEW, RBM_NORMAL, NULL);
	Page		page = BufferGetPage(buffer);

	if (BufferGetBlockNumber(buffer) != address)
		elog(ERROR, "unexpected end of index \"%s\": block %u instead of %u",
			 RelationGetRelationName(index), BufferGetBlockNumber(buffer),
			 address);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	START_CRIT_SECTION();
	zone_page_init(page, zone_page_id(address));
	if (address == ZONE_META_BLOCK)
		zone_meta_write(page, key);
	MarkBufferDirty(buffer);
	if (log)
		log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();

	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return buffer;
}

Buffer
zone_pin_or_create(Relation index, BlockNumber address)
{
	Buffer		buffer = zone_pin(index, address);
	ZoneKey		key = zone_cache(index)->key;
	BlockNumber end;

	if (BufferIsValid(buffer))
		return buffer;

	LockRelationForExtension(index, ExclusiveLock);
	for (end = RelationGetNumberOfBlocks(index); end <= address; end++)
	{
		CHECK_FOR_INTERRUPTS();
		ReleaseBuffer(zone_extend(index, MAIN_FORKNUM, end, &key,
								  RelationNeedsWAL(index)));
	}
	UnlockRelationForExtension(index, ExclusiveLock);
	return ReadBuffer(index, address);
}

/*
 * A page to edit: a generic WAL copy, or the page itself during a build. A page
 * of zeros becomes an empty one first, and is logged whole, since replay may
 * not have it.
 */
static Page
edit_page(ZoneChange *change, Buffer buffer)
{
	BlockNumber address = BufferGetBlockNumber(buffer);
	bool		is_new = !zone_page_check(change->index, address,
										  BufferGetPage(buffer));
	Page		page = BufferGetPage(buffer);

	if (change->wal != NULL)
		page = GenericXLogRegisterBuffer(change->wal, buffer,
										 is_new ? GENERIC_XLOG_FULL_IMAGE : 0);
	if (is_new)
		zone_page_init(page, zone_page_id(address));
	return page;
}

static Buffer
lock_page(ZoneChange *change, BlockNumber address)
{
	Buffer		buffer = ReadBuffer(change->index, address);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	return buffer;
}

void
zone_change_begin(ZoneChange *change, Relation index, uint32 zone,
				  Buffer leaf_buffer, ZoneChangeMode mode)
{
	change->index = index;
	change->zone = zone;
	change->leaf_buffer = leaf_buffer;
	change->wal = mode == ZONE_CHANGE_LOGGED ? GenericXLogStart(index) : NULL;

	LockBuffer(leaf_buffer, BUFFER_LOCK_EXCLUSIVE);
	change->leaf = zone_leaf(edit_page(change, leaf_buffer));
	change->directory_buffer =
		lock_page(change, zone_directory_address(zone / ZONE_FANOUT));
}

/*
 * Carry the summary of a child into its parent, if it changes anything there.
 * Returns the parent's page to go on with, or NULL.
 */
static ZoneDirectory *
change_parent(ZoneChange *change, Buffer parent, int child, ZoneSummary summary)
{
	Page		page = BufferGetPage(parent);
	ZoneDirectory *directory;

	if (zone_page_check(change->index, BufferGetBlockNumber(parent), page) &&
		!zone_directory_differs(zone_directory(page), child, &summary))
		return NULL;

	directory = zone_directory(edit_page(change, parent));
	zone_directory_set(directory, child, &summary);
	if (change->wal == NULL)
		MarkBufferDirty(parent);
	return directory;
}

void
zone_change_finish(ZoneChange *change)
{
	uint32		directory_number = change->zone / ZONE_FANOUT;
	Buffer		top_buffer = InvalidBuffer;
	ZoneDirectory *directory;

	directory = change_parent(change, change->directory_buffer,
							  change->zone % ZONE_FANOUT,
							  zone_leaf_summary(change->leaf));
	if (directory != NULL)
	{
		top_buffer = lock_page(change,
							   zone_top_address(directory_number / ZONE_FANOUT));
		(void) change_parent(change, top_buffer, directory_number % ZONE_FANOUT,
							 zone_directory_summary(directory));
	}

	if (change->wal != NULL)
		GenericXLogFinish(change->wal);
	else
		MarkBufferDirty(change->leaf_buffer);

	if (BufferIsValid(top_buffer))
		UnlockReleaseBuffer(top_buffer);
	UnlockReleaseBuffer(change->directory_buffer);
	LockBuffer(change->leaf_buffer, BUFFER_LOCK_UNLOCK);
}

void
zone_change_abandon(ZoneChange *change)
{
	if (change->wal != NULL)
		GenericXLogAbort(change->wal);
	UnlockReleaseBuffer(change->directory_buffer);
	LockBuffer(change->leaf_buffer, BUFFER_LOCK_UNLOCK);
}
