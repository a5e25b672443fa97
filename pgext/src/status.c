/*
 * status.c
 *	  Core status codes become PostgreSQL errors here, in one place.
 */
#include "postgres.h"

#include "status.h"

void
core_check(CoreStatus status)
{
	switch (status)
	{
		case CORE_OK:
			return;
		case CORE_NO_MEMORY:
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY),
					 errmsg("out of memory")));
			break;
		case CORE_TOO_LARGE:
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("requested size is too large")));
			break;
		case CORE_STOPPED:
			ereport(ERROR,
					(errcode(ERRCODE_QUERY_CANCELED),
					 errmsg("canceling statement due to user request")));
			break;
	}
	elog(ERROR, "unrecognized core status: %d", (int) status);
}
