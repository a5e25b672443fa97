// Package vectorstore is what the harness needs of a vector database outside of
// PostgreSQL: rows go in, the nearest rows of a vector come out.
//
// A store knows nothing of facts: it is given vectors, and names a row by its
// place in the order of loading. engine/outside makes a whole engine of it.
package vectorstore

import (
	"context"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"syscall"
)

// Shape is the shape of a store's hnsw index, the same for every engine of a run.
type Shape struct {
	M              int // links per node
	EfConstruction int // candidates while the index is built
}

// Search is the shape of a search.
type Search struct {
	K     int  // rows to return, at least 1
	Ef    int  // candidates, at least 1; stores use no fewer than K
	Exact bool // the true nearest rows, whatever it costs
}

// Hit is one row of an answer.
type Hit struct {
	Row      int     // its place in the order of loading, from 0
	Distance float64 // cosine distance, in the store's precision
}

// Answer is what a search found.
type Answer struct {
	Hits []Hit // nearest first; valid until the next search
	// InsideMS is how long the store itself says that the search took, without
	// the way to it and back; 0 where it lies in this process.
	InsideMS float64
}

// Build is what loading and indexing cost.
type Build struct {
	Rows    int64
	Seconds float64 // rows in and index built, wall clock
	Bytes   int64   // files of the store; 0 where it does not tell
}

// Store is one vector database. One goroutine at a time uses it.
type Store interface {
	// Name is the name of the engine made of it.
	Name() string
	// Open finds or starts the store. It returns an *engine.UnavailableError
	// when it cannot run here.
	Open(ctx context.Context) error
	// Version describes what Open found, e.g. "zvec 0.5.0".
	Version() string
	// Settings are choices that a result records, beside shape and search.
	Settings() map[string]string
	// Load stores vectors of dim components, replacing all former ones, and
	// builds the index; it returns when the index covers every row. A yielded
	// vector is valid until the next.
	Load(ctx context.Context, dim int, rows iter.Seq2[[]float32, error]) (Build, error)
	// Search finds the nearest rows. An *engine.FaultError means that the
	// store spoiled this answer but goes on.
	Search(ctx context.Context, vector []float32, s Search) (Answer, error)
	// Close ends what Open started and removes its files; a second call does
	// nothing.
	Close(ctx context.Context) error
}

// DirBytes adds up the files below a folder, each with no more than it takes on disk:
// a file with room set aside counts by what was written. Folders called without are left out, such as a
// log that an index does not consist of.
func DirBytes(dir string, without ...string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(without, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		const blockBytes = 512 // of the kernel's count, whatever the file system's are
		size := info.Size()
		if taken, ok := info.Sys().(*syscall.Stat_t); ok {
			size = min(size, taken.Blocks*blockBytes)
		}
		sum += size
		return nil
	})
	return sum, err
}

// Batches gathers rows for stores that take many at once: up to size rows at a
// time, one after the other in one slice, which is valid until the next.
func Batches(rows iter.Seq2[[]float32, error], size int) iter.Seq2[[]float32, error] {
	return func(yield func([]float32, error) bool) {
		var batch []float32
		held := 0
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			batch = append(batch, row...)
			if held++; held == size {
				if !yield(batch, nil) {
					return
				}
				batch, held = batch[:0], 0
			}
		}
		if held > 0 {
			yield(batch, nil)
		}
	}
}
