// Package heapsql is the plain engine: a heap table with a btree, an svec
// column and SQL. Given seeds, it also runs the extension's helpers on that
// same heap table, so that fusion is measured apart from physical order.
package heapsql

import (
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
)

// Name is the engine's name.
const Name = "heap"

// New returns the engine for a server. It does no I/O.
func New(dsn string) *postgres.Engine {
	return postgres.New(dsn, postgres.Config{
		Name: Name, Extension: "sorted_heap", VectorType: "svec", Table: "facts_heap",
		Settings: map[string]string{"jit": "off"},
		Capabilities: engine.Capabilities{
			Forms:      []engine.Form{engine.FormIn, engine.FormJoin},
			GivenForms: []engine.Form{engine.FormExpand, engine.FormTopK, engine.FormFused},
			Seedings:   []engine.Seeding{engine.SeedSearch, engine.SeedGiven},
			MaxHops:    2,
		},
	})
}
