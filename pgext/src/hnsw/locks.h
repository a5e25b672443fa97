/*
 * locks.h
 *	  Heavyweight page locks of an index: who waits for whom.
 *
 * Inserts and walks hold theirs in share mode while they hold numbers of nodes
 * that they mean to follow or link to. VACUUM takes one exclusively for a
 * moment, as a barrier: what started before is over, what starts after sees
 * the pages as VACUUM has left them. They are not buffer locks, so nobody waits for them
 * while holding one.
 */
#ifndef HNSW_LOCKS_H
#define HNSW_LOCKS_H

#include "storage/lmgr.h"

#define HNSW_INSERTS_LOCK 0
#define HNSW_WALKS_LOCK 1

static inline void
hnsw_lock_shared(Relation index, BlockNumber which)
{
	LockPage(index, which, ShareLock);
}

static inline void
hnsw_unlock_shared(Relation index, BlockNumber which)
{
	UnlockPage(index, which, ShareLock);
}

static inline void
hnsw_barrier(Relation index, BlockNumber which)
{
	LockPage(index, which, ExclusiveLock);
	UnlockPage(index, which, ExclusiveLock);
}

/* The same for who does not want to wait; false where he would have to. */
static inline bool
hnsw_try_barrier(Relation index, BlockNumber which)
{
	if (!ConditionalLockPage(index, which, ExclusiveLock))
		return false;
	UnlockPage(index, which, ExclusiveLock);
	return true;
}

#endif							/* HNSW_LOCKS_H */
