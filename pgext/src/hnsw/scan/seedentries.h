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

/* As seedscan_entries(), of the candidates of a scan; the column is counted from 0
 * for the first after the vector. They stay candidates, of
 * whom more is known. */
extern uint32 seedentries_make(Candidates *candidates, int column, uint32 count,
							   SeedEntry **entries, double *boundary);

#endif							/* HNSW_SEEDENTRIES_H */
