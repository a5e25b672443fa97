// Package graph is the vocabulary of a code graph and its exact in-memory form.
//
// A code graph is a directed multigraph. A Node is something that has a name: a
// file, a type, a function, a method, a field, a constant, a package, a section
// of a document, a piece of prose, or something outside of the tree (external).
// An Edge is one place in a source that relates two nodes: two calls of one
// function from another are two edges with two sites. A call that could not be
// bound to one node is no edge but an Unresolved with its candidates.
//
// Nodes have numbers from 0 without gaps, in the order of their ids, and every
// list that comes out of a graph is in a fixed order, so that equal graphs give
// equal answers. Numbers hold for one graph; ids hold between graphs.
//
// Backend is what traversal needs. Graph answers it from memory and is the
// oracle; other backends pass the suite in graphtest.
package graph
