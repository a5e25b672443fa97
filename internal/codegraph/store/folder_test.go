package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/graph/graphtest"
	"sortedheap/internal/codegraph/packed"
)

func TestFolderBackend(t *testing.T) {
	graphtest.Run(t, func(t *testing.T, g *graph.Graph) graph.Backend {
		dir := filepath.Join(t.TempDir(), "new", "graph")
		if _, err := SaveFolder(dir, g); err != nil {
			t.Fatal(err)
		}
		loaded, err := LoadFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		return loaded
	})
}

func TestFolderDamage(t *testing.T) {
	dir := t.TempDir()
	if _, err := LoadFolder(dir); !errors.Is(err, ErrNoGraph) {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := SaveFolder(dir, graphtest.Random(t, 3, 12, 20)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, GraphFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole); i += 7 {
		broken := append([]byte(nil), whole...)
		broken[i] ^= 0x55
		if err := os.WriteFile(name, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadFolder(dir); !errors.Is(err, packed.ErrDamaged) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	// Behind a right checksum too, nothing is believed.
	body := whole[len(magic) : len(whole)-4]
	for i := range body {
		broken := append([]byte(nil), body...)
		broken[i] ^= 0x15
		if _, err := decodeGraph(broken); err != nil && !errors.Is(err, packed.ErrDamaged) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("files left in the folder: %v, %v", left, err)
	}
}
