/*
 * check.h
 *	  The parts of sorted_hnsw_check(), in the order in which they run.
 */
#ifndef HNSW_CHECK_PARTS_H
#define HNSW_CHECK_PARTS_H

#include "hnsw/check/report.h"

/* Metapage and all pages; reads the map. False when there is no sound metapage. */
extern bool hnsw_check_pages(HnswIndexCheck *check);

/* Slots: levels, states, upper lists, twins, free lists, links, reach. */
extern void hnsw_check_graph(HnswIndexCheck *check);

/* Rows that are missing, that are there twice, that are other than indexed. */
extern void hnsw_check_rows(HnswIndexCheck *check);

#endif							/* HNSW_CHECK_PARTS_H */
