/*
 * tableaccess.h
 *	  Who may ask about a table's indexes, and who may maintain them.
 */
#ifndef TABLEACCESS_H
#define TABLEACCESS_H

#include "storage/lockdefs.h"
#include "utils/relcache.h"

typedef enum TableRight
{
	TABLE_MAY_MONITOR,			/* owner or pg_monitor: counts and places of
								 * rows are data of the table */
	TABLE_MAY_MAINTAIN			/* owner; since 17 also MAINTAIN */
} TableRight;

/*
 * Open a table or materialized view. Errors, in this order: no such relation,
 * no privilege, not a table with blocks of its own.
 */
extern Relation table_open_for(Oid relid, TableRight right, LOCKMODE lockmode);

#endif							/* TABLEACCESS_H */
