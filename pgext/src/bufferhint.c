/*
 * bufferhint.c
 *	  Pin a block without asking the buffer table, where it was last time.
 *
 * The buffer table is the coldest memory on the way to a page: its partition
 * lock, bucket and entry miss the CPU's caches nearly every time. A lookup that
 * reads a page for one row feels it. So a backend remembers in which buffers
 * it found blocks, in a small array that is indexed by block. Nothing in it is
 * believed: core compares the buffer's tag before it pins.
 *
 * Core pins such a buffer without counting the use, so pages reached by hints
 * alone would look idle to the clock sweep. Every few reads go the long way.
 *
 * Not for temporary tables: a permanent relation may have the same file number,
 * which is what a local buffer's tag would be compared by.
 */
#include "postgres.h"

#include "pgstat.h"
#include "storage/buf_internals.h"
#include "utils/rel.h"

#include "bufferhint.h"
#include "compat.h"

#define HINTS 65536				/* 256 kB where all are in use; a power of two */
#define COUNTED_EVERY 32		/* reads, one of them the long way */

static Buffer hints[HINTS];

/* Neighbouring blocks are neighbours here, of each relation elsewhere. */
static inline Buffer *
hint_of(Relation rel, BlockNumber block)
{
	uint32		start = RelationGetRelid(rel) * UINT32_C(2654435769);

	return &hints[(start + block) % HINTS];
}

Buffer
bufferhint_read(Relation rel, BlockNumber block)
{
	static uint32 reads;
	Buffer	   *hint;

	if (RelationUsesLocalBuffers(rel))
		return ReadBuffer(rel, block);

	hint = hint_of(rel, block);
	if (BufferIsValid(*hint) && ++reads % COUNTED_EVERY != 0 &&
		ReadRecentBuffer(relation_locator(rel), MAIN_FORKNUM, block, *hint))
	{
		pgstat_count_buffer_read(rel);
		pgstat_count_buffer_hit(rel);
		return *hint;
	}
	*hint = ReadBuffer(rel, block);
	return *hint;
}

void
bufferhint_prefetch(Relation rel, BlockNumber block, Size at, Size bytes)
{
	Buffer		buffer = *hint_of(rel, block);
	const char *from;

	if (!BufferIsValid(buffer) || BufferIsLocal(buffer) ||
		RelationUsesLocalBuffers(rel))
		return;
	__builtin_prefetch(GetBufferDescriptor(buffer - 1));
	from = (const char *) BufferGetBlock(buffer) + at;
	for (Size line = 0; line < bytes; line += BUFFERHINT_LINE)
		__builtin_prefetch(from + line);
}
