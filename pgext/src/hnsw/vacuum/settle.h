/*
 * settle.h
 *	  What a VACUUM that was broken off cannot say any more.
 */
#ifndef HNSW_VACUUM_SETTLE_H
#define HNSW_VACUUM_SETTLE_H

#include "utils/relcache.h"

/*
 * Where the metapage says that VACUUM is at marking or freeing slots, and there is
 * none, let it say that they change no more. True when they do not, now or before;
 * false while a VACUUM is under way, where nothing may be written, and where inserts
 * would have to be waited for and `wait` is false: no query waits, or fails by its
 * lock_timeout, for a version.
 */
extern bool hnsw_settle(Relation index, bool wait);

#endif							/* HNSW_VACUUM_SETTLE_H */
