/*
 * rolecounts.h
 *	  Counts of what this backend did, kept for each role that did it.
 *
 * Backend-local, so there is nothing to lock. Counts are data: they are kept by
 * the role that read (else a SECURITY DEFINER function would betray what it
 * read) and shown to that role and to members of pg_read_all_stats.
 */
#ifndef ROLECOUNTS_H
#define ROLECOUNTS_H

#include "fmgr.h"
#include "utils/hsearch.h"

typedef struct RoleCounts
{
	/* What the module that counts says */
	const char *name;			/* of the hash table */
	Size		entry_size;		/* an entry starts with the role's Oid */

	HTAB	   *by_role;
	void	   *last;			/* entry of the role that counted last */
} RoleCounts;

/* The current user's entry; zeros at first, but for the role. */
extern void *rolecounts_mine(RoleCounts *counts);

/* The result of a set-returning function: a row for each entry that the
 * current user may see, with the columns that `put` makes of it. */
#define ROLECOUNTS_MAX_COLUMNS 16

extern Datum rolecounts_show(RoleCounts *counts, FunctionCallInfo fcinfo,
							 void (*put) (const void *entry, Datum *values));

extern void rolecounts_reset(RoleCounts *counts);

#endif							/* ROLECOUNTS_H */
