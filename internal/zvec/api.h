/*
 * api.h
 *	  The part of zvec's C interface that this package calls, bound at run time.
 *
 * Nothing here links with the library: every function is looked up by name in
 * a handle from dlopen, so a program without the library starts and can say so.
 *
 * The functions below make one crossing from Go do one piece of work. They own
 * every object that they create within a call, also when a call fails. Errors of
 * the library are kept per thread, so the text is fetched before returning.
 */
#ifndef SORTEDHEAP_ZVEC_API_H
#define SORTEDHEAP_ZVEC_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ids of rows whose key came back empty or is no number */
#define ZV_NO_ID UINT64_MAX

/* the longest error text that is handed on, with its end */
#define ZV_ERROR_SIZE 512

typedef struct zv_api zv_api;

/*
 * Look up all functions.  On failure NULL, and *missing names the function that
 * the library lacks.
 */
extern zv_api *zv_bind(void *library, const char **missing);
extern const char *zv_version(const zv_api *api);

/*
 * Prepare the library, once per process: warnings and errors go to files in
 * log_dir instead of the terminal.  Does nothing when it is prepared already.
 */
extern int	zv_initialize(const zv_api *api, const char *log_dir, char *error);

/* Create an empty collection in a directory that does not exist yet. */
extern int	zv_create(const zv_api *api, const char *path, uint32_t dim, int m,
					  int ef_construction, void **collection, char *error);

/* Open a collection that was closed. */
extern int	zv_open(const zv_api *api, const char *path, void **collection, char *error);

/* Insert rows; their keys are first_id, first_id + 1, ... in decimal. */
extern int	zv_insert(const zv_api *api, void *collection, uint64_t first_id,
					  const float *vectors, size_t rows, uint32_t dim, char *error);
extern int	zv_optimize(const zv_api *api, void *collection, char *error);
extern int	zv_close(const zv_api *api, void *collection, char *error);

/* How much of the index is built, 0 to 1; negative when the library does not tell. */
extern float zv_completeness(const zv_api *api, void *collection);

/*
 * A query that is kept for many searches of one shape.  linear makes it read
 * every row.
 */
extern int	zv_query_create(const zv_api *api, int k, int ef, bool linear, void **query,
							char *error);
extern void zv_query_destroy(const zv_api *api, void *query);

/*
 * Search; found and *empty tell how many rows came back and how many of them
 * without a key.  ids and distances have room for k.
 */
extern int	zv_search(const zv_api *api, void *collection, void *query, const float *vector,
					  uint32_t dim, size_t k, uint64_t *ids, float *distances,
					  size_t *found, size_t *empty, char *error);

#endif							/* SORTEDHEAP_ZVEC_API_H */
