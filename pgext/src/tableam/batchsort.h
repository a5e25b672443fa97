/*
 * batchsort.h
 *	  Sort the rows of a batch by the order index.
 */
#ifndef BATCHSORT_H
#define BATCHSORT_H

#include "executor/tuptable.h"
#include "utils/relcache.h"

/*
 * A sorted copy of the array (not of the slots), to be freed by the caller, or
 * NULL if the rows are in order already, as in a load of sorted data. Rows with
 * equal keys keep the order they came in. The index is open, a btree, and all
 * its key columns are plain columns of the table.
 */
extern TupleTableSlot **batch_sorted_copy(Relation index,
										  TupleTableSlot **slots, int nslots);

#endif							/* BATCHSORT_H */
