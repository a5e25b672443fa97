/*
 * status.h
 *	  Core status codes become PostgreSQL errors here, in one place.
 */
#ifndef STATUS_H
#define STATUS_H

#include "core.h"

/* ereport(ERROR) unless status is CORE_OK. */
extern void core_check(CoreStatus status);

#endif							/* STATUS_H */
