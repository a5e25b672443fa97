// Package all is the explicit list of engines. Only it and tests import them.
package all

import (
	"fmt"
	"slices"
	"strings"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/heaphnsw"
	"sortedheap/internal/harness/engine/heapsql"
	"sortedheap/internal/harness/engine/mapsql"
	"sortedheap/internal/harness/engine/memory"
	"sortedheap/internal/harness/engine/outside"
	"sortedheap/internal/harness/engine/pgvector"
	"sortedheap/internal/harness/engine/postgres"
	"sortedheap/internal/harness/engine/sortedheap"
	"sortedheap/internal/harness/vectorstore"
	"sortedheap/internal/harness/vectorstore/qdrant"
	"sortedheap/internal/harness/vectorstore/zvecpython"
	"sortedheap/internal/harness/vectorstore/zvecstore"
)

// Options are what engines need to be made.
type Options struct {
	DSN            string // server of the engines inside PostgreSQL
	M              int
	EfConstruction int
	EfSearch       int
	ScanMode       string // of sorted_hnsw: auto, flat or graph; empty: auto
	ToastTarget    int    // toast_tuple_target of every facts table, 128 to 8160; 0: 8160
	NoSearch       bool   // no case searches for seeds, so vector indexes are left out
	ZvecLib        string // path of libzvec_c_api.so; empty: where the system looks
	ZvecAsBuilt    bool   // zvec's collection stays as its build left it, with its fault
	ZvecPython     string // a Python with the newest zvec, or zvecpython.MakeVenv
	Qdrant         string // as qdrant.Options.Where takes it
}

// Names lists the engines in the order of reports.
func Names() []string {
	return []string{heapsql.Name, heaphnsw.Name, sortedheap.Name, mapsql.Name, pgvector.Name, zvecstore.Name, zvecpython.Name, qdrant.Name}
}

// Inside lists the engines inside PostgreSQL that take given seeds.
func Inside() []string {
	return []string{heapsql.Name, sortedheap.Name, mapsql.Name, pgvector.Name}
}

// Contestants lists the engines that answer whole questions: all but those that
// only take an access path apart.
func Contestants() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return name == mapsql.Name })
}

// Oracle makes the exact engine that judges the others.
func Oracle() engine.Engine { return memory.New() }

// New makes the named engines in the order of Names; no name means all.
func New(names []string, o Options) ([]engine.Engine, error) {
	facts := outside.NewFacts(o.DSN, o.ToastTarget)
	makers := map[string]func() engine.Engine{
		heapsql.Name: func() engine.Engine { return heapsql.New(o.DSN) },
		heaphnsw.Name: func() engine.Engine {
			return heaphnsw.New(o.DSN, heaphnsw.Options{M: o.M, EfConstruction: o.EfConstruction, EfSearch: o.EfSearch, ScanMode: o.ScanMode})
		},
		sortedheap.Name: func() engine.Engine {
			return sortedheap.New(o.DSN, sortedheap.Options{M: o.M, EfConstruction: o.EfConstruction, EfSearch: o.EfSearch,
				ScanMode: o.ScanMode, NoSearch: o.NoSearch})
		},
		mapsql.Name: func() engine.Engine { return mapsql.New(o.DSN) },
		pgvector.Name: func() engine.Engine {
			return pgvector.New(o.DSN, pgvector.Options{M: o.M, EfConstruction: o.EfConstruction, EfSearch: o.EfSearch, NoSearch: o.NoSearch})
		},
	}
	for name, store := range stores(o) {
		makers[name] = func() engine.Engine { return outside.New(store(), facts, o.EfSearch) }
	}
	for _, name := range names {
		if makers[name] == nil {
			return nil, fmt.Errorf("unknown engine %q, the engines are %s", name, strings.Join(Names(), ", "))
		}
	}
	var engines []engine.Engine
	for _, name := range Names() {
		if len(names) == 0 || slices.Contains(names, name) {
			made := makers[name]()
			if server, inside := made.(*postgres.Engine); inside {
				server.SetToastTarget(o.ToastTarget)
			}
			engines = append(engines, made)
		}
	}
	return engines, nil
}

// stores makes vector stores outside of PostgreSQL by the names of their engines.
func stores(o Options) map[string]func() vectorstore.Store {
	shape := vectorstore.Shape{M: o.M, EfConstruction: o.EfConstruction}
	return map[string]func() vectorstore.Store{
		zvecstore.Name: func() vectorstore.Store {
			store := zvecstore.New(o.ZvecLib, shape)
			if o.ZvecAsBuilt {
				store.KeepAsBuilt()
			}
			return store
		},
		zvecpython.Name: func() vectorstore.Store { return zvecpython.New(o.ZvecPython, shape) },
		qdrant.Name:     func() vectorstore.Store { return qdrant.New(qdrant.Options{Where: o.Qdrant, Shape: shape}) },
	}
}

// Stores makes the vector stores among the named engines, in the order of Names.
func Stores(names []string, o Options) []vectorstore.Store {
	var out []vectorstore.Store
	for _, name := range Names() {
		if store := stores(o)[name]; store != nil && slices.Contains(names, name) {
			out = append(out, store())
		}
	}
	return out
}
