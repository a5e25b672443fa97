/*
 * vector_template.h
 *	  All functions of a vector type, made for its component. Included once by
 *	  svec.c and once by hsvec.c, so that the loops over components are compiled
 *	  for each.
 *
 * Parameters, macros:
 *	 VECTOR				the type's name, which is the prefix of its functions
 *	 DISTANCE(metric, a, b, n), NORM(a, n)	core's functions for the component
 *	 DATUM_TO_VECTOR(datum)	detoasts and looks at the size
 * typedefs:
 *	 Vector, Component	the struct, and what it holds
 * and definitions:
 *	 type				the VectorType
 *	 value_of(c)		a component as a float, exactly
 *	 rounded(value)		the component nearest to a float; not finite where that
 *						is out of range
 *	 is_finite(c)
 *	 unsigned_zero(c)	c, or 0 where it is -0
 *	 receive(buf), transmit(buf, c)	a component on the wire; refuses NaN and infinity
 *	 fill(v, values)	sets all components; refuses what they cannot hold
 *	 values_of(v)		all components as floats: its own, or a palloc'd array
 *	 of_quotient(value)	the component for a result of avg or sum, or its error
 *
 * Beside the functions under SQL it defines VECTOR_new, VECTOR_check_dim and
 * VECTOR_check_datum, which the type's header declares.
 */
#include "types/vector.h"

#define PASTE2(a, b) a##b
#define NAME2(a, b) PASTE2(a, b)
#define FN(name) NAME2(NAME2(VECTOR, _), name)

#define VECTOR_SIZE(dim) (sizeof(VectorHead) + sizeof(Component) * (dim))
#define GETARG_VECTOR(n) DATUM_TO_VECTOR(PG_GETARG_DATUM(n))

StaticAssertDecl(offsetof(Vector, x) == sizeof(VectorHead), "layout is vector.h's");
StaticAssertDecl(offsetof(Vector, dim) == offsetof(VectorHead, dim), "layout is vector.h's");

Vector *
FN(new) (int dim)
{
	Vector	   *v;

	Assert(dim >= 1 && dim <= type.max_dim);
	v = (Vector *) palloc0(VECTOR_SIZE(dim));
	SET_VARSIZE(v, VECTOR_SIZE(dim));
	v->dim = (int16) dim;
	return v;
}

void
FN(check_dim) (int dim)
{
	vector_check_dim(&type, dim);
}

void
FN(check_datum) (const Vector *v)
{
	vector_check_datum(&type, v);
}

#include "types/io_template.h"
#include "types/compare_template.h"
#include "types/distance_template.h"
#include "types/arith_template.h"
#include "types/cast_template.h"
#include "types/agg_template.h"
