/*
 * arena.c
 *	  Where the shared memory of versions comes from, and who has which part.
 *
 * Versions are few and large, so the parts in use are sorted whenever one is
 * looked for, and the first gap that is wide enough is taken.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "guc.h"
#include "hnsw/cache/arena.h"

/* Parts start at pages of memory. */
#define PART 4096

/* Raised when what is in shared memory, versions and all, gets another form. */
#define LAYOUT 2

static HnswShared *table = NULL;
static char *mapped_arena = NULL;

static shmem_request_hook_type next_shmem_request = NULL;
static shmem_startup_hook_type next_shmem_startup = NULL;

static Size
wanted_bytes(void)
{
	return (Size) guc_hnsw_cache_size * 1024;
}

/* Room so that the arena itself starts at a page. */
static Size
table_bytes(void)
{
	return TYPEALIGN(PART, sizeof(HnswShared) + PART);
}

static void
init_table(void *memory)
{
	HnswShared *shared = memory;

	memset(shared, 0, sizeof(HnswShared));
	shared->tranche = LWLockNewTrancheId();
	LWLockInitialize(&shared->lock, shared->tranche);
	shared->arena = DSM_HANDLE_INVALID;
	for (int i = 0; i < HNSW_SHARED_SLOTS; i++)
	{
		pg_atomic_init_u32(&shared->slots[i].pins, 0);
		pg_atomic_init_u64(&shared->slots[i].scans, 0);
		pg_atomic_init_u64(&shared->slots[i].used, 0);
	}
}

static void
request_shmem(void)
{
	if (next_shmem_request != NULL)
		next_shmem_request();
	RequestAddinShmemSpace(add_size(table_bytes(), wanted_bytes()));
}

static void
startup_shmem(void)
{
	bool		found;

	if (next_shmem_startup != NULL)
		next_shmem_startup();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	table = ShmemInitStruct("sorted_hnsw cache", add_size(table_bytes(), wanted_bytes()),
							&found);
	if (!found)
	{
		init_table(table);
		table->in_place = true;
		table->arena_bytes = wanted_bytes();
	}
	LWLockRelease(AddinShmemInitLock);
	LWLockRegisterTranche(table->tranche, "sorted_hnsw_cache");
}

void
hnsw_shared_init(void)
{
	if (!process_shared_preload_libraries_in_progress || guc_hnsw_cache_size == 0)
		return;
	next_shmem_request = shmem_request_hook;
	shmem_request_hook = request_shmem;
	next_shmem_startup = shmem_startup_hook;
	shmem_startup_hook = startup_shmem;
}

HnswShared *
hnsw_arena_table(void)
{
#ifdef HAVE_DSM_REGISTRY
	if (table == NULL && guc_hnsw_cache_size > 0 && IsUnderPostmaster)
	{
		bool		found;
		char		name[NAMEDATALEN];

		/*
		 * Sessions that began before an upgrade of the library may have
		 * another table, until the server is started again.
		 */
		snprintf(name, sizeof(name), "sorted_hnsw cache %d %zu", LAYOUT, sizeof(HnswShared));
		table = GetNamedDSMSegment(name, sizeof(HnswShared), init_table, &found);
		LWLockRegisterTranche(table->tranche, "sorted_hnsw_cache");
	}
#endif
	return table;
}

bool
hnsw_shared_available(void)
{
	return hnsw_arena_table() != NULL && !table->refused;
}

/* Before there is an arena: what it will be. */
Size
hnsw_shared_room(void)
{
	return table->arena_bytes > 0 ? table->arena_bytes : wanted_bytes();
}

static char *
map_segment(dsm_segment *segment)
{
	dsm_pin_mapping(segment);
	mapped_arena = dsm_segment_address(segment);
	return mapped_arena;
}

char *
hnsw_arena_attach(HnswShared *shared)
{
	dsm_segment *segment;

	if (mapped_arena != NULL)
		return mapped_arena;
	if (shared->in_place)
	{
		mapped_arena = (char *) TYPEALIGN(PART, (char *) shared + sizeof(HnswShared));
		return mapped_arena;
	}
	if (shared->arena == DSM_HANDLE_INVALID)
		return NULL;
	segment = dsm_attach(shared->arena);
	return segment == NULL ? NULL : map_segment(segment);
}

char *
hnsw_arena_make(HnswShared *shared)
{
	char	   *arena = hnsw_arena_attach(shared);
	Size		bytes = wanted_bytes();
	dsm_segment *volatile segment = NULL;
	bool		first;

	if (arena != NULL)
		return arena;
	PG_TRY();
	{
		segment = dsm_create(bytes, 0);
	}
	PG_CATCH();
	{
		shared->refused = true;
		PG_RE_THROW();
	}
	PG_END_TRY();
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	first = shared->arena == DSM_HANDLE_INVALID;
	if (first)
	{
		shared->arena = dsm_segment_handle(segment);
		shared->arena_bytes = bytes;
	}
	LWLockRelease(&shared->lock);
	if (!first)
	{
		dsm_detach(segment);
		return hnsw_arena_attach(shared);
	}
	dsm_pin_segment(segment);
	return map_segment(segment);
}

static int
compare_offsets(const void *a, const void *b)
{
	const HnswSharedSlot *left = *(HnswSharedSlot *const *) a;
	const HnswSharedSlot *right = *(HnswSharedSlot *const *) b;

	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

bool
hnsw_arena_find(const HnswShared *shared, Size bytes, Size *offset)
{
	const HnswSharedSlot *parts[HNSW_SHARED_SLOTS];
	int			nparts = 0;
	Size		at = 0;

	for (int i = 0; i < shared->nslots; i++)
	{
		if (shared->slots[i].bytes > 0)
			parts[nparts++] = &shared->slots[i];
	}
	qsort(parts, nparts, sizeof(parts[0]), compare_offsets);
	for (int i = 0; i < nparts; i++)
	{
		if (parts[i]->offset - at >= bytes)
			break;
		at = TYPEALIGN(PART, parts[i]->offset + parts[i]->bytes);
	}
	*offset = at;
	return at <= shared->arena_bytes && shared->arena_bytes - at >= bytes;
}

HnswSharedSlot *
hnsw_arena_oldest(HnswShared *shared, const HnswCacheKey *renewed)
{
	HnswSharedSlot *oldest = NULL;

	for (int i = 0; i < shared->nslots; i++)
	{
		HnswSharedSlot *slot = &shared->slots[i];

		if (slot->state != HNSW_SLOT_READY || pg_atomic_read_u32(&slot->pins) > 0)
			continue;
		if (renewed != NULL && slot->key.database == renewed->database &&
			slot->key.relid == renewed->relid)
			return slot;
		if (oldest == NULL ||
			pg_atomic_read_u64(&slot->used) < pg_atomic_read_u64(&oldest->used))
			oldest = slot;
	}
	return oldest;
}
