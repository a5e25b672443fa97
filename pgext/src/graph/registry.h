/*
 * registry.h
 *	  Column names of facts tables that do not use the default ones.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include "graph/columns.h"

/*
 * Names registered for a table, or the defaults. `home` is the schema of the
 * extension. The caller has been admitted to the relation or owns it.
 */
extern void registry_names(FactNames *names, Oid relid, Oid home);

#endif							/* REGISTRY_H */
