/*
 * tablemaps.h
 *	  What the table access method asks of zone maps, without knowing them.
 *
 * The zone layer fills the structure in and module.c hands it over, so neither
 * layer includes the other.
 */
#ifndef SORTED_HEAP_TABLEMAPS_H
#define SORTED_HEAP_TABLEMAPS_H

#include "utils/relcache.h"

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
} TableMaps;

#endif							/* SORTED_HEAP_TABLEMAPS_H */
