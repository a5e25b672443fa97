/*
 * rolecounts.c
 *	  Counts of what this backend did, kept for each role that did it.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"

#include "rolecounts.h"

static inline Oid
role_of(const void *entry)
{
	return *(const Oid *) entry;
}

void *
rolecounts_mine(RoleCounts *counts)
{
	Oid			role = GetUserId();
	bool		found;

	if (counts->last != NULL && role_of(counts->last) == role)
		return counts->last;
	if (counts->by_role == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(Oid);
		control.entrysize = counts->entry_size;
		counts->by_role = hash_create(counts->name, 8, &control, HASH_ELEM | HASH_BLOBS);
	}
	counts->last = hash_search(counts->by_role, &role, HASH_ENTER, &found);
	if (!found)
	{
		memset(counts->last, 0, counts->entry_size);
		*(Oid *) counts->last = role;
	}
	return counts->last;
}

Datum
rolecounts_show(RoleCounts *counts, FunctionCallInfo fcinfo,
				void (*put) (const void *entry, Datum *values))
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	bool		sees_all = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);
	HASH_SEQ_STATUS status;
	const void *entry;

	InitMaterializedSRF(fcinfo, 0);
	Assert(result->setDesc->natts <= ROLECOUNTS_MAX_COLUMNS);
	if (counts->by_role == NULL)
		return (Datum) 0;
	hash_seq_init(&status, counts->by_role);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		Datum		values[ROLECOUNTS_MAX_COLUMNS];
		bool		nulls[ROLECOUNTS_MAX_COLUMNS] = {false};

		if (!sees_all && role_of(entry) != GetUserId())
			continue;
		put(entry, values);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

void
rolecounts_reset(RoleCounts *counts)
{
	if (counts->by_role != NULL)
		hash_destroy(counts->by_role);
	counts->by_role = NULL;
	counts->last = NULL;
}
