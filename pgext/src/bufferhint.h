/*
 * bufferhint.h
 *	  Pin a block without asking the buffer table, where it was last time.
 */
#ifndef BUFFERHINT_H
#define BUFFERHINT_H

#include "storage/bufmgr.h"
#include "utils/relcache.h"

/* ReadBuffer() of a main fork's existing block. */
extern Buffer bufferhint_read(Relation rel, BlockNumber block);

#endif							/* BUFFERHINT_H */
