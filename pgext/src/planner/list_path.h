/*
 * list_path.h
 *	  `column = ANY (list)` in an index scan by distance, where core keeps it out.
 */
#ifndef LIST_PATH_H
#define LIST_PATH_H

#include "nodes/pathnodes.h"

/* Offer scans with the lists of a base relation's conditions. */
extern void list_path_add(PlannerInfo *root, RelOptInfo *rel);

#endif							/* LIST_PATH_H */
