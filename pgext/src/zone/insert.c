/*
 * insert.c
 *	  A row has been added: keep the entry of its block a cover.
 *
 * Most rows land on blocks whose entry is OPEN, and then one byte is read. To
 * make that cheap in bulk, the pin on the zone page is kept from row to row,
 * from the second row of a statement on.
 *
 * The kept pin hangs on the statement's IndexInfo, whose memory may outlive
 * the resource owner of the moment (COPY) or go before the transaction's end
 * is noticed (abort). So it has a resource owner of its own, given back by
 * whichever comes first: the end of the IndexInfo's memory, the end of the
 * transaction, or, where core calls it, aminsertcleanup.
 *
 * No pin may be kept when core discards the index's buffers inside of the
 * transaction, which it does in two cases. A subtransaction that created the
 * index aborts: core drops the file before it frees the statement's memory, so
 * any aborting subtransaction takes all pins; a statement that goes on gets its
 * pin anew. TRUNCATE of a table that the transaction created: the statement
 * before must have let go, which keeping_is_safe() is about.
 */
#include "postgres.h"

#include "access/xact.h"
#include "lib/ilist.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"

#include "zone/pageio.h"
#include "zone/widen.h"
#include "zone/zone.h"

/* Lives in the IndexInfo's memory, as ii_AmCache. */
typedef struct InsertState
{
	ResourceOwner owner;		/* NULL: no pin is kept */
	BlockNumber address;		/* of the pinned page */
	Buffer		leaf;			/* InvalidBuffer: none pinned */
	dlist_node	node;			/* in kept_pins, when owner is not NULL */
	MemoryContextCallback callback;
} InsertState;

/* States that the end of the transaction has to look after. */
static dlist_head kept_pins = DLIST_STATIC_INIT(kept_pins);

static bool keeping_is_safe(const IndexInfo *info);
static void start_keeping(Relation index, IndexInfo *info);
static void keep_pin(InsertState *state, Relation index, BlockNumber address);
static void drop_pin(InsertState *state);
static void stop_keeping(InsertState *state);
static void memory_ends(void *arg);
static void transaction_ends(XactEvent event, void *arg);
static void subtransaction_ends(SubXactEvent event, SubTransactionId mine,
								SubTransactionId parent, void *arg);
static void insert_row(Relation index, Buffer leaf, BlockNumber heap_block,
					   const Datum *values, const bool *isnull);

bool
zone_insert(Relation index, Datum *values, bool *isnull, ItemPointer tid,
			Relation heap, IndexUniqueCheck unique, bool unchanged,
			IndexInfo *info)
{
	BlockNumber heap_block = ItemPointerGetBlockNumber(tid);
	BlockNumber address = zone_leaf_address(zone_of_block(heap_block));
	InsertState *state = (InsertState *) info->ii_AmCache;

	if (state == NULL)
	{
		Buffer		leaf = zone_pin_or_create(index, address);

		insert_row(index, leaf, heap_block, values, isnull);
		ReleaseBuffer(leaf);
		if (keeping_is_safe(info))
			info->ii_AmCache = MemoryContextAllocZero(info->ii_Context,
													  sizeof(InsertState));
		return false;
	}

	if (state->owner == NULL)
		start_keeping(index, info);
	if (!BufferIsValid(state->leaf) || state->address != address)
		keep_pin(state, index, address);
	insert_row(index, state->leaf, heap_block, values, isnull);
	return false;
}

void
zone_insert_cleanup(Relation index, IndexInfo *info)
{
	if (info->ii_AmCache != NULL)
		stop_keeping((InsertState *) info->ii_AmCache);
}

static void
insert_row(Relation index, Buffer leaf, BlockNumber heap_block,
		   const Datum *values, const bool *isnull)
{
	uint8		state = zone_leaf_peek(BufferGetPage(leaf),
									   zone_entry_of_block(heap_block));
	ZoneRange	row;
	ZoneKey		key;

	if (zone_state_is_free(state))
		return;

	/* A copy: fetching a value may process invalidations. */
	key = zone_cache(index)->key;
	zone_row_range(&key, values, isnull, &row);
	zone_cover(index, leaf, heap_block, row);
}

/*
 * Will the pin be given back before the transaction's next statement? Where
 * core does not call aminsertcleanup, it is when the IndexInfo's memory ends
 * with the statement. For COPY in an SQL function that is not so: its memory is
 * the function's.
 */
static bool
keeping_is_safe(const IndexInfo *info)
{
#ifdef HAVE_AMINSERTCLEANUP
	return true;
#else
	const char *name = info->ii_Context->name;

	return info->ii_Context == PortalContext ||
		strcmp(name, "ExecutorState") == 0 || strcmp(name, "SPI Exec") == 0;
#endif
}

static void
start_keeping(Relation index, IndexInfo *info)
{
	static bool watching = false;
	InsertState *state = (InsertState *) info->ii_AmCache;

	if (!watching)
	{
		RegisterXactCallback(transaction_ends, NULL);
		RegisterSubXactCallback(subtransaction_ends, NULL);
		watching = true;
	}
	if (state->callback.func == NULL)
	{
		state->callback.func = memory_ends;
		state->callback.arg = state;
		MemoryContextRegisterResetCallback(info->ii_Context, &state->callback);
	}
	state->leaf = InvalidBuffer;
	state->owner = ResourceOwnerCreate(NULL, "sorted_zone insert");
	dlist_push_head(&kept_pins, &state->node);
}

static void
keep_pin(InsertState *state, Relation index, BlockNumber address)
{
	ResourceOwner save = CurrentResourceOwner;
	Buffer		leaf;

	drop_pin(state);

	/* Creating the page may raise an error; pin it for keeping afterwards. */
	leaf = zone_pin_or_create(index, address);
	CurrentResourceOwner = state->owner;
	IncrBufferRefCount(leaf);
	state->leaf = leaf;
	state->address = address;
	CurrentResourceOwner = save;
	ReleaseBuffer(leaf);
}

static void
drop_pin(InsertState *state)
{
	ResourceOwner save = CurrentResourceOwner;

	if (!BufferIsValid(state->leaf))
		return;
	CurrentResourceOwner = state->owner;
	ReleaseBuffer(state->leaf);
	CurrentResourceOwner = save;
	state->leaf = InvalidBuffer;
}

/* Idempotent; the state is as if no second row had come. */
static void
stop_keeping(InsertState *state)
{
	if (state->owner == NULL)
		return;
	drop_pin(state);
	dlist_delete(&state->node);
	ResourceOwnerDelete(state->owner);
	state->owner = NULL;
}

static void
memory_ends(void *arg)
{
	stop_keeping((InsertState *) arg);
}

static void
drop_all_pins(void)
{
	while (!dlist_is_empty(&kept_pins))
		stop_keeping(dlist_head_element(InsertState, node, &kept_pins));
}

static void
transaction_ends(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PARALLEL_ABORT:
			drop_all_pins();
			break;
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			break;
	}
}

/* The moment after the last chance of a statement to need its pin, and before
 * core drops the files that the subtransaction has created. */
static void
subtransaction_ends(SubXactEvent event, SubTransactionId mine,
					SubTransactionId parent, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		drop_all_pins();
}
