/*
 * report.c
 *	  The rows of sorted_hnsw_check()'s result, and slots read with care.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "hnsw/check/report.h"

static void add_row(HnswIndexCheck *check, BlockNumber block, const char *severity,
					const char *format, va_list arguments) pg_attribute_printf(4, 0);

static void
add_row(HnswIndexCheck *check, BlockNumber block, const char *severity,
		const char *format, va_list arguments)
{
	Datum		values[4];
	bool		nulls[4] = {false, block == InvalidBlockNumber, false, false};
	StringInfoData text;

	initStringInfo(&text);
	for (;;)
	{
		va_list		copy;
		int			needed;

		va_copy(copy, arguments);
		needed = appendStringInfoVA(&text, format, copy);
		va_end(copy);
		if (needed == 0)
			break;
		enlargeStringInfo(&text, needed);
	}
	values[0] = ObjectIdGetDatum(RelationGetRelid(check->index));
	values[1] = Int64GetDatum(block);
	values[2] = CStringGetTextDatum(text.data);
	values[3] = CStringGetTextDatum(severity);
	tuplestore_putvalues(check->result->setResult, check->result->setDesc, values, nulls);
	pfree(text.data);
}

void
hnsw_check_fault(HnswIndexCheck *check, BlockNumber block, const char *format,...)
{
	va_list		arguments;

	check->nfaults++;
	if (check->silent)
		return;
	va_start(arguments, format);
	add_row(check, block, "fault", format, arguments);
	va_end(arguments);
}

void
hnsw_check_warning(HnswIndexCheck *check, BlockNumber block, const char *format,...)
{
	va_list		arguments;

	check->nwarnings++;
	if (check->silent)
		return;
	va_start(arguments, format);
	add_row(check, block, "warning", format, arguments);
	va_end(arguments);
}

Buffer
hnsw_check_slot(HnswIndexCheck *check, HnswSpace space, uint32 number, uint32 *slot)
{
	uint32		per_page = check->map.shape.per_page[space];
	uint32		page = per_page > 0 ? number / per_page : HNSW_NO_PAGE;
	BlockNumber block = hnsw_map_block(&check->map, space, page);
	Buffer		buffer;

	CHECK_FOR_INTERRUPTS();
	if (block == InvalidBlockNumber || block >= RelationGetNumberOfBlocks(check->index))
		return InvalidBuffer;
	buffer = ReadBufferExtended(check->index, MAIN_FORKNUM, block, RBM_NORMAL, check->strategy);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	*slot = number % per_page;
	if (hnsw_page_fault(BufferGetPage(buffer), hnsw_space_page_kind(space), page) == NULL)
		return buffer;
	UnlockReleaseBuffer(buffer);
	return InvalidBuffer;
}
