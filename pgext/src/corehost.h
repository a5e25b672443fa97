/*
 * corehost.h
 *	  What the core asks of its host: memory, and whether to go on.
 */
#ifndef COREHOST_H
#define COREHOST_H

#include "core.h"

/* Memory of a context, of any size; NULL where there is none. */
extern CoreAlloc core_alloc_in(MemoryContext context);

/* A CoreStopFn: processes interrupts, which may not come back, and lets the
 * core go on. */
extern bool core_interruptible(void *state);

#endif							/* COREHOST_H */
