/*
 * tidset.c
 *	  The set of TIDs that a scan has given out.
 */
#include "postgres.h"

#include "hnsw/scan/tidset.h"

typedef struct TidEntry
{
	uint64		tid;
	char		status;
} TidEntry;

#define SH_PREFIX tidset
#define SH_ELEMENT_TYPE TidEntry
#define SH_KEY_TYPE uint64
#define SH_KEY tid
#define SH_HASH_KEY(table, key) \
	((uint32) (((key) * UINT64CONST(0x9E3779B97F4A7C15)) >> 32))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

TidSet *
tidset_make(void)
{
	return tidset_create(CurrentMemoryContext, 64, NULL);
}

bool
tidset_add(TidSet *set, const ItemPointerData *tid)
{
	bool		found;

	tidset_insert(set, (uint64) ItemPointerGetBlockNumberNoCheck(tid) << 16 |
				  ItemPointerGetOffsetNumberNoCheck(tid), &found);
	return !found;
}
