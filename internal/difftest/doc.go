// Package difftest looks for rows that a zone map loses.
//
// Twin tables get the same random transactions from several connections: one
// of them has an index sorted_zone, the other has none. Meanwhile the mapped
// twin is vacuumed, reindexed and rewritten, and the server may be killed. At
// any moment, one snapshot must find the same rows in both twins, whatever the
// predicate on the key, with a bitmap scan over the map and without; graph
// functions must expand to the same rows by map, by btree and in plain SQL; and
// sorted_heap_check must report no fault.
//
// Rows belong to the connection that made them, and only it changes them. So
// the twins do not depend on how connections interleave, and a transaction,
// which changes both or neither, may end in any way.
//
// What a seed decides is the sequence of each connection; their interleaving
// is not repeatable.
package difftest
