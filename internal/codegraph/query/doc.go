// Package query answers questions over a code graph: who calls this, what does
// that implement, what breaks when it changes.
//
// A question becomes an Intent: a relation, a direction and a subject. The
// subject is resolved to nodes, a type stands for its members too, and the edges
// of the relation become answer rows, each with its sites and how sure it is.
// What is near follows. Nothing that the question's wording implies removes
// rows; it only orders them. Filters that a caller sets do, and the answer says
// how much they removed.
//
// The same steps over a published pipeline's rules are in package compat.
package query
