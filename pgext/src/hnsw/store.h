/*
 * store.h
 *	  The graph on pages as an HnswStore of the core.
 *
 * The caller holds the page lock of walks (locks.h) from the first use until
 * the walk is over, and so keeps vacuum from freeing slots under it. That does
 * not bind replay on a standby: whatever does not fit is left out.
 */
#ifndef HNSW_STORE_H
#define HNSW_STORE_H

#include "utils/snapshot.h"

#include "hnsw/pageio.h"
#include "hnsw_image.h"
#include "hnsw_visited.h"

typedef struct HnswPageStore HnswPageStore;

/* In the current memory context. The map must outlive it; it may be read again
 * in between, and hnsw_store_lock_linked writes where pages are. */
extern HnswPageStore *hnsw_store_make(Relation index, HnswMap *map);

/*
 * Fail where a page of links or heads has changed since a snapshot that
 * old_snapshot_threshold has made too old: VACUUM may have taken rows out that
 * it sees. Each of them had a link to it from a page that has changed since, so
 * a walk that would have found it meets one.
 */
extern void hnsw_store_watch(HnswPageStore *store, Snapshot snapshot);

/*
 * Read slots from an image where it has them, but for those of `filled`, which
 * were free when it was made. Both must outlive the store. What is on pages leads
 * to nodes of the image alone.
 */
extern void hnsw_store_use(HnswPageStore *store, const HnswImage *image,
						   const HnswVisited *filled);

/* For the core. Vectors stay valid until hnsw_store_forget. */
extern HnswStore hnsw_store_of(HnswPageStore *store);

/* Give back the pins and copies that the store keeps. */
extern void hnsw_store_forget(HnswPageStore *store);

/*
 * What a walk asks about a node besides: is it in the graph and living, and
 * what are its row, twin and columns? A copy of the head, under the page's share lock;
 * false when there is no such node in the graph.
 */
extern bool hnsw_store_node(HnswPageStore *store, uint32 number, HnswNode *head,
							char *columns);

/*
 * A slot of the space of nodes where it lies, whatever its state, under the
 * page's share lock; NULL when there is no such number. The lock is kept until
 * hnsw_store_unlock or a slot of another page is asked for, so slots of one page
 * share it. Nothing else of the store may be called meanwhile.
 */
extern HnswNode *hnsw_store_lock(HnswPageStore *store, uint32 number);

/* The same for a slot that a chain of twins leads to: newer ones come first, and may be
 * in slots that the map does not know. It learns where pages are, then. */
extern HnswNode *hnsw_store_lock_linked(HnswPageStore *store, uint32 number);
extern void hnsw_store_unlock(HnswPageStore *store);

/* The same of all slots of a page of the space, one that the map has. Returns how
 * many there are, HNSW_MAX_SLOTS at most. */
#define HNSW_MAX_SLOTS (BLCKSZ / (sizeof(HnswNode) + 2 * HNSW_MIN_M * sizeof(uint32)))

extern uint32 hnsw_store_lock_page(HnswPageStore *store, uint32 page, HnswNode **slots);

/* The image that has all slots of a page, or NULL. */
extern const HnswImage *hnsw_store_image_of(const HnswPageStore *store, uint32 page);

/* A node's halves where they lie, under a pin that lasts until the next call
 * or hnsw_store_forget; NULL when there are none. */
extern const DistHalf *hnsw_store_halves(HnswPageStore *store, uint32 number);

/*
 * Halves of a row's slot may be another's when no lock of walks is held, for VACUUM
 * moves rows from twins to heads. They were not, if this is true after they were
 * read: nothing was marked or freed since the map was read.
 */
extern bool hnsw_store_is_current(const HnswPageStore *store);

/* Ask the CPU for the head of a node that is in the image; of others nothing. */
extern void hnsw_store_hint(const HnswPageStore *store, uint32 number);

/* They will be asked for soon. */
extern void hnsw_store_prefetch_halves(HnswPageStore *store, uint32 number);

extern const HnswMap *hnsw_store_map(const HnswPageStore *store);

/* Since the store was made: distances to records, and pages read. */
extern uint64 hnsw_store_evaluated(const HnswPageStore *store);
extern uint64 hnsw_store_pages(const HnswPageStore *store);

#endif							/* HNSW_STORE_H */
