/*
 * maintain.h
 *	  Who may rewrite or merge a table, and which tables.
 */
#ifndef TABLEAM_MAINTAIN_H
#define TABLEAM_MAINTAIN_H

#include "utils/relcache.h"

/*
 * Errors unless the caller may maintain the table (its owner; since 17 also a
 * holder of MAINTAIN) and it is a sorted_heap table with blocks of its own.
 * Takes no lock. verb is a word for messages.
 */
extern void maintain_check(Oid relid, const char *verb);

/*
 * The same, then open the table under AccessExclusiveLock, which stays until
 * the transaction ends. Nothing in this session may be using the table.
 */
extern Relation maintain_open(Oid relid, const char *verb);

/* The order index; an error when there is none. */
extern Oid	maintain_order(Relation rel);

#endif							/* TABLEAM_MAINTAIN_H */
