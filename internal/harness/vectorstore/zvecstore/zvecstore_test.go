package zvecstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/vectorstore"
	"sortedheap/internal/harness/vectorstore/storetest"
	"sortedheap/internal/harness/vectorstore/zvecstore"
)

func TestConformance(t *testing.T) {
	path := os.Getenv("SORTED_HEAP_ZVEC_LIB")
	if path == "" {
		t.Skip("SORTED_HEAP_ZVEC_LIB names no zvec library; `make zvec` fetches one")
	}
	storetest.Conform(t, zvecstore.New(path, vectorstore.Shape{M: 16, EfConstruction: 200}))
}

// Without the library there is a reason and a hint, and nothing is left behind.
func TestNoLibrary(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := zvecstore.New(filepath.Join(t.TempDir(), "libzvec_c_api.so"), vectorstore.Shape{})
	err := s.Open(t.Context())
	var missing *engine.UnavailableError
	if !errors.As(err, &missing) || missing.Engine != "zvec" || !strings.Contains(err.Error(), "--zvec-lib") {
		t.Errorf("open without the library: %v", err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
