/*
 * worker.h
 *	  The background worker that makes shared versions.
 */
#ifndef HNSW_CACHE_WORKER_H
#define HNSW_CACHE_WORKER_H

/* Start one for this database; false when the server has no room for it. It makes
 * all that is wanted, and ends. */
extern bool hnsw_cache_launch_worker(void);

#endif							/* HNSW_CACHE_WORKER_H */
