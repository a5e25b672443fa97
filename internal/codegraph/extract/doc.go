// Package extract turns one source file into facts: what it defines, which types
// it names, and what its functions do in terms that another stage can bind to
// definitions of other files. Facts depend on nothing but the file, so they are
// kept between runs under the hash of its content.
//
// A function's body becomes a list of operations over expressions (Op, Expr): an
// assignment gives a variable the type of an expression, a call is a site to
// bind. Closures belong to the named function around them. Operations keep the
// order of the source; control flow is reduced to branches that may happen or not.
//
// Types are written in a small language of their own, see Type.
package extract
