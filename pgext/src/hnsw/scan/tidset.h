/*
 * tidset.h
 *	  The set of TIDs that a scan has given out.
 */
#ifndef HNSW_TIDSET_H
#define HNSW_TIDSET_H

#include "storage/itemptr.h"

typedef struct tidset_hash TidSet;

/* In the current memory context. */
extern TidSet *tidset_make(void);

/* True when it was not there. */
extern bool tidset_add(TidSet *set, const ItemPointerData *tid);

#endif							/* HNSW_TIDSET_H */
