/*
 * memory.c
 *	  Memory of a build: the process's own up to what it may have, then a
 *	  temporary file that is mapped.
 *
 * A build goes through its arrays in no order, so what has no place in memory has
 * to be reached like memory. Pages of a file are the system's cache, which it
 * writes back and drops when it needs room; they are not the process's, so
 * maintenance_work_mem bounds what it was meant to. Where the cache holds the file,
 * a build is as fast as in memory; where it does not, each miss is a read.
 *
 * The file is core's (fd.c): made in temp_tablespaces, bounded by temp_file_limit,
 * logged, and removed at the end of the statement, of the transaction, and after a
 * crash. Its blocks are written before they are mapped, so that a full disk is an
 * error of a write, not a fault of an access. Mappings go with the memory context.
 * Workers map parts of the file by its name.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "commands/tablespace.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "hnsw/build/memory.h"

/* Small pieces come from parts, each a share of the file so far: mappings stay few,
 * for the system counts them, and so does what a small build leaves unused. */
#define PART_SHARE 8
#define LEAST_PART ((Size) 2 * 1024 * 1024) /* a multiple of any page */
#define LARGEST_PART ((Size) 1024 * 1024 * 1024)

/* Written at once where the file grows. */
#define ZEROS_BYTES (256 * 1024)

typedef struct Part
{
	struct Part *next;
	char	   *address;
	Size		bytes;
	Size		used;
	off_t		offset;
} Part;

struct BuildMemory
{
	MemoryContext context;
	MemoryContextCallback callback;
	bool		on_file;		/* from here on */
	File		file;			/* 0 where there is none */
	off_t		size;
	Part	   *parts;			/* the newest first */
};

static void
unmap_parts(void *state)
{
	BuildMemory *memory = state;

	for (Part *part = memory->parts; part != NULL; part = part->next)
		(void) munmap(part->address, part->bytes);
	memory->parts = NULL;
}

BuildMemory *
build_memory_make(MemoryContext context)
{
	BuildMemory *memory = MemoryContextAllocZero(context, sizeof(BuildMemory));

	memory->context = context;
	memory->callback.func = unmap_parts;
	memory->callback.arg = memory;
	MemoryContextRegisterResetCallback(context, &memory->callback);
	return memory;
}

void
build_memory_use_file(BuildMemory *memory)
{
	memory->on_file = true;
}

bool
build_memory_on_file(const BuildMemory *memory)
{
	return memory->on_file;
}

static void
extend_file(BuildMemory *memory, Size bytes)
{
	char	   *zeros = MemoryContextAllocZero(memory->context, ZEROS_BYTES);

	if (memory->file == 0)
	{
		PrepareTempTablespaces();
		memory->file = OpenTemporaryFile(false);
	}
	for (Size done = 0; done < bytes; done += ZEROS_BYTES)
	{
		int			written;

		CHECK_FOR_INTERRUPTS();
		errno = 0;
		written = FileWrite(memory->file, zeros, ZEROS_BYTES, memory->size,
							WAIT_EVENT_BUFFILE_WRITE);
		if (written != ZEROS_BYTES)
		{
			/* fewer bytes without an error are those of a full disk */
			if (errno == 0)
				errno = ENOSPC;
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not write to file \"%s\": %m",
							FilePathName(memory->file))));
		}
		memory->size += written;
	}
	pfree(zeros);
}

static char *
map_file(int descriptor, Size bytes, off_t offset)
{
	char	   *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
							   offset);

	if (address == MAP_FAILED)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("could not map %zu bytes of a temporary file: %m", bytes)));
	return address;
}

/* A new part of the file, for at least so many bytes. */
static Part *
add_part(BuildMemory *memory, Size bytes)
{
	Part	   *part = MemoryContextAllocZero(memory->context, sizeof(Part));

	if (!AllocHugeSizeIsValid(bytes))
		elog(ERROR, "invalid memory request size %zu", bytes);
	bytes = Max(bytes, Min((Size) memory->size / PART_SHARE, LARGEST_PART));
	part->bytes = Max(TYPEALIGN(LEAST_PART, bytes), LEAST_PART);
	part->offset = memory->size;
	extend_file(memory, part->bytes);
	part->address = map_file(FileGetRawDesc(memory->file), part->bytes, part->offset);
	part->next = memory->parts;
	memory->parts = part;
	return part;
}

void *
build_memory_get(BuildMemory *memory, Size bytes)
{
	Part	   *part = memory->parts;
	char	   *block;

	if (!memory->on_file)
		return MemoryContextAllocHuge(memory->context, bytes);
	bytes = MAXALIGN(bytes);
	if (part == NULL || part->bytes - part->used < bytes)
		part = add_part(memory, bytes);
	block = part->address + part->used;
	part->used += bytes;
	return block;
}

void
build_memory_release(BuildMemory *memory, void *block)
{
	for (const Part *part = memory->parts; part != NULL; part = part->next)
	{
		if ((char *) block >= part->address && (char *) block < part->address + part->bytes)
			return;
	}
	pfree(block);
}

char *
build_memory_share(BuildMemory *memory, Size bytes, BuildFilePart *shared)
{
	Part	   *part = add_part(memory, bytes);

	Assert(memory->on_file);
	part->used = part->bytes;
	strlcpy(shared->path, FilePathName(memory->file), sizeof(shared->path));
	shared->offset = part->offset;
	shared->bytes = part->bytes;
	return part->address;
}

char *
build_memory_attach(const BuildFilePart *shared)
{
	int			descriptor = OpenTransientFile(shared->path, O_RDWR | PG_BINARY);
	char	   *address;

	if (descriptor < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", shared->path)));
	address = map_file(descriptor, shared->bytes, shared->offset);
	if (CloseTransientFile(descriptor) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not close file \"%s\": %m", shared->path)));
	return address;
}

void
build_memory_end(BuildMemory *memory)
{
	unmap_parts(memory);
	if (memory->file != 0)
		FileClose(memory->file);
	memory->file = 0;
}
