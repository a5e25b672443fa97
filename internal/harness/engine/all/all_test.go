package all_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/engine/enginetest"
	"sortedheap/internal/pgtest"
)

// engines makes all engines on a server of the test's own.
func engines(t *testing.T) []engine.Engine {
	t.Helper()
	server := pgtest.Start(t)
	list, err := all.New(nil, all.Options{DSN: server.DSN(""), M: 8, EfConstruction: 32, EfSearch: 64,
		ZvecLib: os.Getenv("SORTED_HEAP_ZVEC_LIB"), ZvecPython: os.Getenv("SORTED_HEAP_ZVEC_PYTHON"), Qdrant: os.Getenv("SORTED_HEAP_QDRANT")})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestConformance(t *testing.T) {
	for _, e := range engines(t) {
		t.Run(e.Name(), func(t *testing.T) { enginetest.Conform(t, e, all.Oracle()) })
	}
}

func TestNames(t *testing.T) {
	list, err := all.New([]string{"pgvector", "heap"}, all.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"heap", "pgvector"}) {
		t.Errorf("engines %v, want them in report order", names)
	}
	if _, err := all.New([]string{"oracle"}, all.Options{}); err == nil || !strings.Contains(err.Error(), "heap, heap_hnsw, sorted_heap, map, pgvector, zvec, zvec-latest, qdrant") {
		t.Errorf("unknown engine: %v, want an error that lists the engines", err)
	}
}
