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
 * false while a VACUUM is under way, and where nothing may be written.
 */
extern bool hnsw_settle(Relation index);

#endif							/* HNSW_VACUUM_SETTLE_H */
