/*
 * guc.h
 *	  Every setting of the extension.
 */
#ifndef SORTED_HEAP_GUC_H
#define SORTED_HEAP_GUC_H

extern bool guc_enable_graph_scan;

extern void guc_init(void);

#endif							/* SORTED_HEAP_GUC_H */
