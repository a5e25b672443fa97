// Package pgvector is the rival in the same server: a heap table with a btree,
// a vector column and an hnsw index. Seeds, expansion and ranking are one
// statement, offered in both forms; the report compares with the faster.
package pgvector

import (
	"fmt"
	"strconv"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
)

// Name is the engine's name.
const Name = "pgvector"

const table = "facts_pgv"

// Options are the index parameters, the same as for every other vector index
// of a run.
type Options struct {
	M              int  // links per node, 2 to 100
	EfConstruction int  // at least 2 M
	EfSearch       int  // 1 to 1000
	NoSearch       bool // no case searches: the index, slow to build, is left out
}

// New returns the engine for a server. It does no I/O.
func New(dsn string, o Options) *postgres.Engine {
	index := fmt.Sprintf("CREATE INDEX %[1]s_ann ON %[1]s USING hnsw (embedding vector_cosine_ops) WITH (m = %d, ef_construction = %d)",
		table, o.M, o.EfConstruction)
	indexes := []string{index}
	if o.NoSearch {
		indexes = nil
	}
	return postgres.New(dsn, postgres.Config{
		Name: Name, Extension: "vector", VectorType: "vector", Table: table,
		Indexes: indexes,
		Settings: map[string]string{
			"jit":                  "off",
			"hnsw.ef_search":       strconv.Itoa(o.EfSearch),
			"maintenance_work_mem": "512MB", // the whole graph in memory while it is built
		},
		Tuned: tuned,
		Capabilities: engine.Capabilities{
			Forms:            []engine.Form{engine.FormIn, engine.FormJoin},
			Seedings:         []engine.Seeding{engine.SeedSearch, engine.SeedExact, engine.SeedGiven},
			ApproximateSeeds: true,
			MaxHops:          2,
		},
	})
}

func tuned(t engine.Tuning) map[string]string {
	if t.EfSearch == 0 {
		return nil
	}
	return map[string]string{"hnsw.ef_search": strconv.Itoa(t.EfSearch)}
}
