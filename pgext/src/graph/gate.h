/*
 * gate.h
 *	  Who may read what: the one door to a table's rows.
 */
#ifndef GATE_H
#define GATE_H

#include "utils/relcache.h"

typedef enum RelGatePath
{
	RELGATE_PAGES,				/* the caller may see every row of the file */
	RELGATE_QUERY				/* policies or children: ask through a query */
} RelGatePath;

typedef struct RelGate
{
	Relation	rel;			/* open, AccessShareLock */
	bool		whole;			/* SELECT on the table, not only on columns */
	RelGatePath path;			/* set by relgate_admit */
} RelGate;

/*
 * Open a plain table that the current user may read at least in part. Errors:
 * no such relation, no privilege (said the same way whatever the relation is
 * like), then a relation that is not a plain heap-format table.
 */
extern void relgate_open(RelGate *gate, Oid relid);

/*
 * Check SELECT on the columns that will be read, and decide how they may be.
 * Raises core's error where row_security is off under a policy.
 */
extern void relgate_admit(RelGate *gate, const AttrNumber *columns,
						  int ncolumns);

/* Close; the lock stays until the transaction ends, as a query's would. */
extern void relgate_close(RelGate *gate);

/* Open a plain table that the current user owns, for graph registration. */
extern Relation relgate_open_owned(Oid relid);

#endif							/* GATE_H */
