/*
 * vector.h
 *	  What the vector types share, whatever their components: a description of
 *	  the type, and the checks that need no more than it.
 */
#ifndef VECTOR_H
#define VECTOR_H

#include "fmgr.h"

/* A type of vectors. */
typedef struct VectorType
{
	const char *name;			/* for messages */
	int			max_dim;
	Size		component;		/* bytes of one */
	float		overflow;		/* smallest size that is out of range */
} VectorType;

/* The layout of every vector: varlena header, dim, zero, components. */
typedef struct VectorHead
{
	int32		vl_len_;
	int16		dim;
	int16		unused;
} VectorHead;

/* Error unless 1 <= dim <= the type's largest. */
extern void vector_check_dim(const VectorType *type, int dim);

/* Error unless the varlena is a well-formed vector (size matches dim). */
extern void vector_check_datum(const VectorType *type, const void *v);

/* Error unless dim is what the type modifier asks for (-1 asks nothing). */
extern void vector_check_typmod(int32 typmod, int dim);

/* Error, unless an operator's two vectors have the same dim. */
extern void vector_check_same_dim(int a, int b);

/* The SQL functions of type modifiers. */
extern Datum vector_typmod_in(FunctionCallInfo fcinfo, const VectorType *type);
extern Datum vector_typmod_out(FunctionCallInfo fcinfo);

#endif							/* VECTOR_H */
