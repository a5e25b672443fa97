/*
 * validate.h
 *	  What operator classes of sorted_hnsw must look like.
 *
 * Classes of vectors: strategy 1 orders by one of our distance functions, which
 * support function 1 is, too. Classes of filter columns: strategies 1 to 5 are
 * btree's operators, which images of values obey, and nothing else.
 */
#ifndef HNSW_VALIDATE_H
#define HNSW_VALIDATE_H

/*
 * Do the family's operators on the type compare its values as btree does? Says
 * nothing about its operators on other types.
 */
extern bool hnsw_filter_family_is_btrees(Oid opfamily, Oid type);

/* Does the family's ordering operator compute what its support function does,
 * one of our distances, on one of our types? */
extern bool hnsw_vector_family_is_ours(Oid opfamily, Oid type);

#endif							/* HNSW_VALIDATE_H */
