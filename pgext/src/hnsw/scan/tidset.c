/*
 * tidset.c
 *	  The set of TIDs that a scan has given out.
 */
#include "postgres.h"

#include "hnsw/scan/tidset.h"

/* In eight bytes: a scan may give out a hundred thousand. */
typedef struct TidEntry
{
	ItemPointerData tid;
	char		status;
} TidEntry;

static inline uint32
hash_tid(ItemPointerData tid)
{
	uint64		key = (uint64) ItemPointerGetBlockNumberNoCheck(&tid) << 16 |
		ItemPointerGetOffsetNumberNoCheck(&tid);

	return (key * UINT64CONST(0x9E3779B97F4A7C15)) >> 32;
}

#define SH_PREFIX tidset
#define SH_ELEMENT_TYPE TidEntry
#define SH_KEY_TYPE ItemPointerData
#define SH_KEY tid
#define SH_HASH_KEY(table, key) hash_tid(key)
#define SH_EQUAL(table, a, b) ItemPointerEquals(&(a), &(b))
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

	tidset_insert(set, *tid, &found);
	return !found;
}
