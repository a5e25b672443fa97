/*
 * settle.c
 *	  What a VACUUM that was broken off cannot say any more.
 *
 * `repairs` is odd while VACUUM marks or frees slots, and versions of the index are
 * neither made nor read meanwhile. Cancelled or crashed there, VACUUM leaves it odd,
 * and without help that would last until the next one. So whoever wants a version
 * looks whether there still is a VACUUM: who has its lock on the table for a moment
 * knows that there is none, and that none begins.
 *
 * Each slot was changed by one record, so nothing is halfway; marked slots that stay
 * are what a VACUUM leaves between its marks and its frees, too. The counter gets a
 * number that it never had, so no version from before is taken for right. As at the
 * end of VACUUM (vacuum.c, 4), inserts that know an older list of pages with free
 * slots have to end first. `unfinished` stays: the next VACUUM has work to do.
 *
 * Who compares counters for equality (seedscan.c) sees one more change than there
 * was. A crash before the record is on disk takes all versions with it, and a
 * standby gets the record after those of the inserts that were waited for.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "access/xact.h"
#include "storage/lmgr.h"
#include "utils/rel.h"

#include "hnsw/cache/block.h"
#include "hnsw/locks.h"
#include "hnsw/vacuum/settle.h"

static bool
is_in_change(Relation index)
{
	Buffer		buffer = hnsw_meta_read(index, BUFFER_LOCK_SHARE);
	bool		odd = (hnsw_page_meta(BufferGetPage(buffer))->repairs & 1) != 0;

	UnlockReleaseBuffer(buffer);
	return odd;
}

/* Nobody else makes it odd or even now. */
static void
end_change(Relation index)
{
	Buffer		buffer = hnsw_meta_read(index, BUFFER_LOCK_EXCLUSIVE);
	GenericXLogState *wal = GenericXLogStart(index);

	hnsw_page_meta(GenericXLogRegisterBuffer(wal, buffer, 0))->repairs++;
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
}

/* Inserts that began before have ended; false where that takes a wait that is not
 * wanted. */
static bool
inserts_are_over(Relation index, bool wait)
{
	if (!wait)
		return hnsw_try_barrier(index, HNSW_INSERTS_LOCK);
	hnsw_barrier(index, HNSW_INSERTS_LOCK);
	return true;
}

bool
hnsw_settle(Relation index, bool wait)
{
	Oid			heapid = index->rd_index->indrelid;
	bool		settled;

	if (!is_in_change(index))
		return true;
	if (RecoveryInProgress() || IsInParallelMode() ||
		!ConditionalLockRelationOid(heapid, ShareUpdateExclusiveLock))
		return false;
	settled = !is_in_change(index);
	if (!settled && inserts_are_over(index, wait))
	{
		end_change(index);
		settled = true;
	}
	UnlockRelationOid(heapid, ShareUpdateExclusiveLock);
	return settled;
}
