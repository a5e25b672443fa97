// Package difftest looks for rows that a zone map loses.
//
// Twin tables get the same random transactions from several connections: one
// of them has an index sorted_zone, the other a btree of core's. Meanwhile the
// mapped twin is vacuumed, reindexed, rewritten and moved, and the server may be
// killed. At any moment, one statement must find the same rows in both twins,
// whatever the predicate on the key, by map and by btree; so must a cursor that
// was opened before the map changed, graph functions and plain SQL; and
// sorted_heap_check must report no fault.
//
// Rows belong to the connection that made them, and only it changes them, but
// for TRUNCATE, which waits for all others. So the twins do not depend on how
// connections interleave, and a transaction, which changes both or neither, may
// end in any way.
//
// The tester itself is tested by mutants: libraries in which one rule of the map
// is broken. Each must be caught.
//
// What a seed decides is the sequence of each connection; their interleaving
// is not repeatable.
package difftest
