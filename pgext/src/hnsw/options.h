/*
 * options.h
 *	  Storage options of an index: m, ef_construction, refine.
 */
#ifndef HNSW_OPTIONS_H
#define HNSW_OPTIONS_H

#include "utils/relcache.h"

typedef enum HnswRefineOption
{
	HNSW_REFINE_OPTION_AUTO,
	HNSW_REFINE_OPTION_HEAP,
	HNSW_REFINE_OPTION_F16
} HnswRefineOption;

/* Once, when the library is loaded. */
extern void hnsw_options_init(void);

/* amoptions */
extern bytea *hnsw_options(Datum reloptions, bool validate);

extern uint32 hnsw_options_m(Relation index);
extern uint32 hnsw_options_ef_construction(Relation index);
extern HnswRefineOption hnsw_options_refine(Relation index);

#endif							/* HNSW_OPTIONS_H */
