/*
 * resolved.c
 *	  The five columns of facts tables, remembered from call to call.
 *
 * To find them takes a comparison of names for each column of the table and
 * look-ups of types. What is found follows from the table's definition, from the
 * names looked for and from the schema of our types. The definition cannot change
 * unnoticed: a call holds a lock on the table, and whoever takes one first takes
 * in all invalidations. Names and schema are compared. Privileges are none of
 * this, they are checked at each call (gate.c).
 */
#include "postgres.h"

#include "utils/inval.h"
#include "utils/rel.h"

#include "graph/resolved.h"

#define TABLES 16				/* remembered; a power of two */

typedef struct Resolved
{
	Oid			relid;			/* InvalidOid where nothing is remembered */
	Oid			home;
	FactNames	names;
	FactColumns columns;		/* but for its tuple descriptor */
} Resolved;

static Resolved tables[TABLES];
static bool watching = false;
static uint64 changes;			/* that we were told of */

static Resolved *
place_of(Oid relid)
{
	return &tables[relid % TABLES];
}

/* The definition of a relation has changed, or of any (InvalidOid). */
static void
forget(Datum arg, Oid relid)
{
	changes++;
	if (OidIsValid(relid))
	{
		if (place_of(relid)->relid == relid)
			place_of(relid)->relid = InvalidOid;
		return;
	}
	for (int i = 0; i < TABLES; i++)
		tables[i].relid = InvalidOid;
}

void
resolved_columns(FactColumns *columns, Relation rel, const FactNames *names,
				 Oid home)
{
	Oid			relid = RelationGetRelid(rel);
	Resolved   *known = place_of(relid);
	uint64		before;

	if (known->relid == relid && known->home == home &&
		memcmp(known->names.name, names->name, sizeof(names->name)) == 0)
	{
		*columns = known->columns;
		columns->desc = RelationGetDescr(rel);
		return;
	}
	if (!watching)
		CacheRegisterRelcacheCallback(forget, (Datum) 0);
	watching = true;

	/* Look-ups may take in an invalidation. */
	before = changes;
	facts_resolve(columns, rel, names, home);
	known->relid = changes == before ? relid : InvalidOid;
	known->home = home;
	known->names = *names;
	known->columns = *columns;
	known->columns.desc = NULL;
}
