// Package sortedheap is our engine: a table of access method sorted_heap in
// key order, asked in SQL and through the graph functions.
//
// Its seeds come from a sorted_hnsw index where the table has one, else from an
// exact scan.
package sortedheap

import (
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
)

// Name is the engine's name.
const Name = "sortedheap"

const table = "facts_sh"

// New returns the engine for a server. It does no I/O.
func New(dsn string) *postgres.Engine {
	return postgres.New(dsn, postgres.Config{
		Name: Name, Extension: "sorted_heap", VectorType: "svec", Table: table,
		AccessMethod: "sorted_heap", KeyOrder: true,
		AfterCopy: []string{"SELECT sorted_heap_compact('" + table + "'::regclass)"},
		Settings:  map[string]string{"jit": "off"},
		Capabilities: engine.Capabilities{
			Forms: []engine.Form{engine.FormIn, engine.FormJoin, engine.FormExpand,
				engine.FormTopK, engine.FormFused, engine.FormOneCall},
			Seedings: []engine.Seeding{engine.SeedSearch, engine.SeedGiven},
			MaxHops:  2,
		},
	})
}
