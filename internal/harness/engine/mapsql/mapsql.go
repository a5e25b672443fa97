// Package mapsql is plain SQL through the zone map alone: the same sorted_heap
// table as the extension's engine, but without its btree, so that the planner
// must take the bitmap scan over the map. It shows the cost of that scan where
// the planner would choose the btree.
package mapsql

import (
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
)

// Name is the engine's name.
const Name = "map"

const table = "facts_map"

// New returns the engine for a server. It does no I/O.
func New(dsn string) *postgres.Engine {
	return postgres.New(dsn, postgres.Config{
		Name: Name, Extension: "sorted_heap", VectorType: "svec", Table: table,
		AccessMethod: "sorted_heap", KeyOrder: true,
		// Compaction sorts by the primary key and makes the map.
		AfterCopy: []string{
			"SELECT sorted_heap_compact('" + table + "'::regclass)",
			"ALTER TABLE " + table + " DROP CONSTRAINT " + table + "_pkey",
		},
		Settings: map[string]string{"jit": "off", "enable_seqscan": "off"},
		Capabilities: engine.Capabilities{
			Forms:    []engine.Form{engine.FormIn},
			Seedings: []engine.Seeding{engine.SeedGiven},
			MaxHops:  1,
		},
	})
}
