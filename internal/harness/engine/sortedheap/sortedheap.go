// Package sortedheap is our engine: a table of access method sorted_heap in
// key order with a sorted_hnsw index, asked in SQL and through the graph
// functions, which find seeds by that index, too.
package sortedheap

import (
	"fmt"
	"strconv"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
)

// Name is the engine's name, the extension's.
const Name = "sorted_heap"

const table = "facts_sh"

// Options are the index parameters, the same as for every other vector index
// of a run.
type Options struct {
	M              int    // links per node, 2 to 128
	EfConstruction int    // at least 2 M
	EfSearch       int    // 1 to 10000
	ScanMode       string // auto, flat or graph; empty: auto
	NoSearch       bool   // no case searches: the index is left out
}

// New returns the engine for a server. It does no I/O.
func New(dsn string, o Options) *postgres.Engine {
	cfg := postgres.Config{
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
	}
	if o.NoSearch {
		return postgres.New(dsn, cfg)
	}
	cfg.Capabilities.ApproximateSeeds = true
	cfg.Capabilities.Seedings = append(cfg.Capabilities.Seedings, engine.SeedExact)
	cfg.Indexes = []string{fmt.Sprintf("CREATE INDEX %[1]s_ann ON %[1]s USING sorted_hnsw (embedding svec_cosine_ops) INCLUDE (entity_id) WITH (m = %d, ef_construction = %d)",
		table, o.M, o.EfConstruction)}
	cfg.Tuned = postgres.TuneHnsw
	cfg.Settings["sorted_hnsw.ef_search"] = strconv.Itoa(o.EfSearch)
	cfg.Settings["maintenance_work_mem"] = "512MB" // the whole graph in memory while it is built
	cfg.Walk = postgres.HnswWalk
	if o.ScanMode != "" {
		cfg.Settings["sorted_hnsw.scan_mode"] = o.ScanMode
	}
	return postgres.New(dsn, cfg)
}
