/*
 * files.h
 *	  Which files the catalog has for an index.
 */
#ifndef HNSW_CACHE_FILES_H
#define HNSW_CACHE_FILES_H

/*
 * The number of the index's files, zero when the catalog does not know it. Within
 * a transaction.
 */
extern uint32 hnsw_cache_files(Oid relid);

#endif							/* HNSW_CACHE_FILES_H */
