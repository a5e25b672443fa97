package zvecpython_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/vectorstore"
	"sortedheap/internal/harness/vectorstore/storetest"
	"sortedheap/internal/harness/vectorstore/zvecpython"
)

func TestConformance(t *testing.T) {
	python := os.Getenv("SORTED_HEAP_ZVEC_PYTHON")
	if python == "" {
		t.Skip("SORTED_HEAP_ZVEC_PYTHON names no Python with zvec; `make zvec` makes one")
	}
	storetest.Conform(t, zvecpython.New(python, vectorstore.Shape{M: 16, EfConstruction: 200}))
}

// Whatever keeps the child from starting is a reason, and nothing is left behind.
func TestUnavailable(t *testing.T) {
	deaf := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(deaf, []byte("#!/bin/sh\necho 'no module named zvec' >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Chdir(filepath.Dir(deaf))
	for python, want := range map[string]string{
		"":                  "no Python with zvec is given",
		"/no/such/python":   "start Python",
		deaf:                "no module named zvec",
		"./python":          "no module named zvec", // the caller's folder, not the child's
		zvecpython.MakeVenv: "make a Python with zvec",
	} {
		if python == zvecpython.MakeVenv {
			t.Setenv("PATH", "") // no python3 to make one with
		}
		s := zvecpython.New(python, vectorstore.Shape{})
		err := s.Open(t.Context())
		var missing *engine.UnavailableError
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--zvec-python") {
			t.Errorf("Python %q: %v", python, err)
		}
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
			t.Errorf("Python %q: left behind: %v (%v)", python, left, err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
