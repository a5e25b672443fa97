// Package heaphnsw is a heap table with a btree and a sorted_hnsw index: the same
// search for seeds as the extension's engine has, and expansion in plain SQL over
// rows in the order of loading. It tells what the index alone brings; the one call
// runs on it, too, for graph functions take heap tables.
package heaphnsw

import (
	"fmt"
	"strconv"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
)

// Name is the engine's name.
const Name = "heap_hnsw"

const table = "facts_hh"

// Options are the index parameters, the same as for every other vector index
// of a run.
type Options struct {
	M              int    // links per node, 2 to 128
	EfConstruction int    // at least 2 M
	EfSearch       int    // 1 to 10000
	ScanMode       string // auto, flat or graph; empty: auto
}

// New returns the engine for a server. It does no I/O.
func New(dsn string, o Options) *postgres.Engine {
	cfg := postgres.Config{
		Name: Name, Extension: "sorted_heap", VectorType: "svec", Table: table,
		Indexes: []string{fmt.Sprintf("CREATE INDEX %[1]s_ann ON %[1]s USING sorted_hnsw (embedding svec_cosine_ops) INCLUDE (entity_id) WITH (m = %d, ef_construction = %d)",
			table, o.M, o.EfConstruction)},
		Settings: map[string]string{
			"jit":                   "off",
			"sorted_hnsw.ef_search": strconv.Itoa(o.EfSearch),
			"maintenance_work_mem":  "512MB", // the whole graph in memory while it is built
		},
		Capabilities: engine.Capabilities{
			Forms:            []engine.Form{engine.FormIn, engine.FormJoin, engine.FormOneCall},
			Seedings:         []engine.Seeding{engine.SeedSearch, engine.SeedExact},
			ApproximateSeeds: true,
			MaxHops:          2,
		},
	}
	cfg.Walk, cfg.Tuned = postgres.HnswWalk, postgres.TuneHnsw
	if o.ScanMode != "" {
		cfg.Settings["sorted_hnsw.scan_mode"] = o.ScanMode
	}
	return postgres.New(dsn, cfg)
}
