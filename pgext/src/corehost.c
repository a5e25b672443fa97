/*
 * corehost.c
 *	  What the core asks of its host: memory, and whether to go on.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "corehost.h"

static void *
alloc_in_context(void *state, size_t size)
{
	return MemoryContextAllocExtended((MemoryContext) state, size,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

CoreAlloc
core_alloc_in(MemoryContext context)
{
	CoreAlloc	alloc = {alloc_in_context, context};

	return alloc;
}

bool
core_interruptible(void *state)
{
	CHECK_FOR_INTERRUPTS();
	return false;
}
