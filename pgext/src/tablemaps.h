/*
 * tablemaps.h
 *	  What the table access method asks of zone maps, without knowing them.
 *
 * The zone layer fills the structure in and module.c hands it over, so neither
 * layer includes the other.
 */
#ifndef SORTED_HEAP_TABLEMAPS_H
#define SORTED_HEAP_TABLEMAPS_H

#include "storage/block.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

/* How many heap blocks are in which state (src/zone/README.md). */
typedef struct MapBlocks
{
	int64		sealed;			/* or wide */
	int64		empty;
	int64		open;			/* or gathering */
	int64		loose;
	int64		tried;
} MapBlocks;

/*
 * Strays: rows that have to move for the table to be in order again, where
 * everything else stays. Kept blocks hold rows that stay.
 */
typedef struct StrayRows
{
	ItemPointerData *tids;		/* of the visible versions, ascending */
	uint64		nrows;
	BlockNumber *blocks;		/* those read, ascending: without the strays
								 * their bounds are others */
	BlockNumber nblocks;
	uint64		rows_read;
	BlockNumber kept_blocks;	/* the last kept block and one, or 0 */
	bool		overflow;		/* tids are not complete; nrows may count rows
								 * that could stay */
} StrayRows;

typedef struct TableMaps
{
	/*
	 * A bulk insert into the table has ended: seal what is new. The caller
	 * holds RowExclusiveLock or more.
	 */
	void		(*seal_new) (Relation rel);

	/*
	 * Create a map on the first two columns of an index where the table has
	 * none led by the first of them. The caller holds AccessExclusiveLock and
	 * has the table not open. Where that cannot be, a notice says why.
	 */
	void		(*create_missing) (Oid relid, Oid order_index);

	/*
	 * A valid map whose order is that of the index, as far as its columns go;
	 * else InvalidOid.
	 */
	Oid			(*find_map) (Relation rel, Oid order_index);

	void		(*count_blocks) (Relation rel, Oid map, MapBlocks *blocks);

	/* The rest is for a caller with a lock that keeps all writers away. */

	/* Seal what has changed since the last sealing, in one map. */
	void		(*seal_pending) (Relation rel, Oid map);

	void		(*find_strays) (Relation rel, Oid map, Snapshot snapshot,
								StrayRows *strays);

	/* Where rows in order may follow on the kept blocks. */
	BlockNumber (*next_run) (BlockNumber kept_blocks, BlockNumber heap_blocks);

	/*
	 * Strays have left their blocks for new ones, from old_blocks on: in all
	 * maps, open the old for the next sealing and seal the new.
	 */
	void		(*strays_moved) (Relation rel, const StrayRows *strays,
								 BlockNumber old_blocks);
} TableMaps;

#endif							/* SORTED_HEAP_TABLEMAPS_H */
