/*
 * vector_text.h
 *	  The text form of vectors, for every element type: "[1,2.5,-3]".
 */
#ifndef VECTOR_TEXT_H
#define VECTOR_TEXT_H

#include "nodes/nodes.h"

#include "types/vector.h"

/* Room that vector_text_read needs, in components: 1 to max_dim. */
extern int	vector_text_room(const VectorType *type, const char *lit);

/*
 * Read the components of a text into `values`, which has the room that
 * vector_text_room said; that is also how many there are. False after a soft
 * error.
 */
extern bool vector_text_read(const VectorType *type, const char *lit, float *values, int room,
							 Node *escontext);

/* The text of the components, each as short as reads back the same float. */
extern char *vector_text_write(const float *values, int dim);

#endif							/* VECTOR_TEXT_H */
