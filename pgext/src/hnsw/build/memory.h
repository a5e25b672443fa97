/*
 * memory.h
 *	  Memory of a build, beyond maintenance_work_mem that of a temporary file.
 */
#ifndef HNSW_BUILD_MEMORY_H
#define HNSW_BUILD_MEMORY_H

typedef struct BuildMemory BuildMemory;

/* A part of the file, for other processes. */
typedef struct BuildFilePart
{
	char		path[MAXPGPATH];
	off_t		offset;
	Size		bytes;
} BuildFilePart;

/* Lives as long as the context, or until its end. */
extern BuildMemory *build_memory_make(MemoryContext context);

/* What is asked for from now on is of the file. */
extern void build_memory_use_file(BuildMemory *memory);
extern bool build_memory_on_file(const BuildMemory *memory);

/* Not cleared. */
extern void *build_memory_get(BuildMemory *memory, Size bytes);

/* What is of the file stays there until the end. */
extern void build_memory_release(BuildMemory *memory, void *block);

/* A block of the file for workers, and where in it they attach. Aligned to pages. */
extern char *build_memory_share(BuildMemory *memory, Size bytes, BuildFilePart *shared);
extern char *build_memory_attach(const BuildFilePart *shared);

extern void build_memory_end(BuildMemory *memory);

#endif							/* HNSW_BUILD_MEMORY_H */
