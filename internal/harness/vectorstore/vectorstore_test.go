package vectorstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sortedheap/internal/harness/vectorstore"
)

func TestBatches(t *testing.T) {
	for n, want := range map[int][]int{0: nil, 2: {2}, 3: {3}, 7: {3, 3, 1}} {
		rows := func(yield func([]float32, error) bool) {
			for i := range n {
				if !yield([]float32{float32(i), -1}, nil) {
					return
				}
			}
		}
		var sizes []int
		next := float32(0)
		for batch, err := range vectorstore.Batches(rows, 3) {
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(batch)/2)
			for i := 0; i < len(batch); i += 2 {
				if batch[i] != next || batch[i+1] != -1 {
					t.Errorf("%d rows: row %g is %v", n, next, batch[i:i+2])
				}
				next++
			}
		}
		if !slices.Equal(sizes, want) {
			t.Errorf("%d rows: batches of %v, want %v", n, sizes, want)
		}
	}
}

func TestBatchesHandErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	rows := func(yield func([]float32, error) bool) {
		_ = yield([]float32{1}, nil) && yield(nil, broken)
	}
	var got error
	for batch, err := range vectorstore.Batches(rows, 2) {
		if err == nil {
			t.Errorf("a batch %v before the error", batch)
		}
		got = err
	}
	if !errors.Is(got, broken) {
		t.Errorf("error %v", got)
	}
}

func TestDirBytes(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"x": 10, "a/b/y": 32} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := vectorstore.DirBytes(dir); err != nil || got != 42 {
		t.Errorf("%d bytes, %v", got, err)
	}
	// Room that is set aside and not written is not there yet.
	if err := os.Truncate(filepath.Join(dir, "x"), 1<<20); err != nil {
		t.Fatal(err)
	}
	if got, err := vectorstore.DirBytes(dir); err != nil || got > 1<<19 || got < 32 {
		t.Errorf("%d bytes with a file that has a hole, %v", got, err)
	}
	if got, err := vectorstore.DirBytes(dir, "b"); err != nil || got >= 1<<19 {
		t.Errorf("%d bytes without a folder, %v", got, err)
	}
	if _, err := vectorstore.DirBytes(filepath.Join(dir, "gone")); err == nil {
		t.Error("a folder that is not there has a size")
	}
}
