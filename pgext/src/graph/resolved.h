/*
 * resolved.h
 *	  The five columns of facts tables, remembered from call to call.
 */
#ifndef RESOLVED_H
#define RESOLVED_H

#include "graph/columns.h"

/* As facts_resolve(), of a table that is open and locked. */
extern void resolved_columns(FactColumns *columns, Relation rel,
							 const FactNames *names, Oid home);

#endif							/* RESOLVED_H */
