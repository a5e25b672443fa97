/*
 * tableaccess.h
 *	  Who may ask about a table's zone maps, and who may maintain them.
 */
#ifndef ZONE_TABLEACCESS_H
#define ZONE_TABLEACCESS_H

#include "nodes/pg_list.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

typedef enum ZoneRight
{
	ZONE_MAY_MONITOR,			/* owner or pg_monitor: counts and places of
								 * rows are data of the table */
	ZONE_MAY_MAINTAIN			/* owner; since 17 also MAINTAIN */
} ZoneRight;

/*
 * Open a table or materialized view. Errors, in this order: no such relation,
 * no privilege, not a table with blocks of its own.
 */
extern Relation zone_open_table(Oid relid, ZoneRight right, LOCKMODE lockmode);

/* OIDs of the table's indexes that are zone maps. The table is locked. */
extern List *zone_indexes_of(Relation heap);

#endif							/* ZONE_TABLEACCESS_H */
