// Package store keeps code graphs: in a folder as one file, or in the tables of a
// database with extension sorted_heap.
//
// A graph in a folder is read into memory and answers from there. A graph in
// tables is read edge by edge: each edge is a fact (entity_id, relation_id,
// target_id) of a sorted_heap table and is expanded by the extension's graph
// functions; see Tables.
package store
