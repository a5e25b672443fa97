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

#define BUFFERHINT_LINE 64

/* Start loading so many bytes of a page into the CPU's caches, when it is
 * where it was last time; to no effect but time when it is not. */
extern void bufferhint_prefetch(Relation rel, BlockNumber block, Size at, Size bytes);

#endif							/* BUFFERHINT_H */
