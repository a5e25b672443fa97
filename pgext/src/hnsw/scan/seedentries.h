/*
 * seedentries.h
 *	  What the index alone knows of the rows that a scan has found.
 */
#ifndef HNSW_SEEDENTRIES_H
#define HNSW_SEEDENTRIES_H

#include "hnsw/scan/candidates.h"

/* As seedscan_entry_column(). */
extern AttrNumber seedentries_column(Relation index, const HnswShape *shape,
									 AttrNumber column);

/* The entry of a candidate. The column is one of the index, 0 for none: then no value is
 * known. */
extern void seedentries_read(const Candidates *candidates, AttrNumber column,
							 const Candidate *item, SeedEntry *entry);

#endif							/* HNSW_SEEDENTRIES_H */
