/*
 * core.h
 *	  Vocabulary of the pure C core: status codes, allocator, stop callback.
 *
 * The core knows nothing of PostgreSQL. It includes no postgres.h, calls no
 * malloc, opens no file and sets no errno. A callback given by the host may
 * leave the core by a non-local jump (ereport in PostgreSQL), so the core owns
 * no resource: memory comes from the caller's allocator, and a call that never
 * returns leaves nothing to release.
 */
#ifndef CORE_H
#define CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CoreStatus
{
	CORE_OK = 0,
	CORE_NO_MEMORY,				/* the allocator returned NULL */
	CORE_TOO_LARGE,				/* a size computation would overflow */
	CORE_STOPPED				/* the stop callback asked to end */
} CoreStatus;

/* Memory from the host. `alloc` returns NULL when there is none. The host drops
 * the whole arena; `release` (or NULL) takes back earlier what has been outgrown. */
typedef struct CoreAlloc
{
	void	   *(*alloc) (void *state, size_t size);
	void	   *state;
	void		(*release) (void *state, void *block);
} CoreAlloc;

static inline void
core_release(const CoreAlloc *alloc, void *block)
{
	if (alloc->release != NULL && block != NULL)
		alloc->release(alloc->state, block);
}

/* Asked every few thousand steps of a long loop; true ends the call with
 * CORE_STOPPED. */
typedef bool (*CoreStopFn) (void *state);

#define CORE_ALWAYS_INLINE inline __attribute__((always_inline))

/* count * size, or false when the product does not fit. */
static inline bool
core_mul_size(size_t count, size_t size, size_t *result)
{
	return !__builtin_mul_overflow(count, size, result);
}

#endif							/* CORE_H */
