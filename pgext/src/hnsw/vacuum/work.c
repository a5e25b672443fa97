/*
 * work.c
 *	  Pages as VACUUM reads them.
 */
#include "postgres.h"

#include "commands/vacuum.h"

#include "compat.h"
#include "hnsw/vacuum/work.h"

Buffer
hnsw_vacuum_page(HnswVacuum *vacuum, HnswSpace space, uint32 page, int lock)
{
	BlockNumber block = hnsw_map_block(&vacuum->map, space, page);
	Buffer		buffer;

	vacuum_pause();
	buffer = ReadBufferExtended(vacuum->index, MAIN_FORKNUM, block, RBM_NORMAL,
								vacuum->strategy);
	LockBuffer(buffer, lock);
	hnsw_page_check(vacuum->index, block, BufferGetPage(buffer),
					hnsw_space_page_kind(space), page);
	return buffer;
}
