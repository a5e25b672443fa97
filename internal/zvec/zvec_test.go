package zvec_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sortedheap/internal/zvec"
)

// library loads the library that SORTED_HEAP_ZVEC_LIB names, or skips.
func library(t testing.TB) *zvec.Library {
	t.Helper()
	path := os.Getenv("SORTED_HEAP_ZVEC_LIB")
	if path == "" {
		t.Skip("SORTED_HEAP_ZVEC_LIB names no zvec library; `make zvec` fetches one")
	}
	lib, err := zvec.Load(path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

const dim = 16

// vectors are random rows, one after the other.
func vectors(rows int) []float32 {
	random := rand.New(rand.NewPCG(1, 2))
	out := make([]float32, rows*dim)
	for i := range out {
		out[i] = float32(random.NormFloat64())
	}
	return out
}

func create(t testing.TB, lib *zvec.Library, rows []float32) *zvec.Collection {
	t.Helper()
	c, err := lib.Create(filepath.Join(t.TempDir(), "collection"), zvec.Options{Dim: dim, M: 16, EfConstruction: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 2 {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	// In two pieces: ids run on.
	half := len(rows) / dim / 2 * dim
	for _, part := range [][]float32{rows[:half], rows[half:]} {
		if err := c.Insert(part); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// nearest is the exact answer, distances in double precision.
func nearest(rows, query []float32, k int) []zvec.Hit {
	norm := func(v []float32) float64 {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		return math.Sqrt(sum)
	}
	var hits []zvec.Hit
	for i := 0; i < len(rows); i += dim {
		dot := 0.0
		for d := range dim {
			dot += float64(rows[i+d]) * float64(query[d])
		}
		hits = append(hits, zvec.Hit{ID: uint64(i / dim), Distance: float32(1 - dot/norm(rows[i:i+dim])/norm(query))})
	}
	slices.SortFunc(hits, func(a, b zvec.Hit) int {
		if a.Distance < b.Distance {
			return -1
		}
		return 1
	})
	return hits[:k]
}

func TestSearch(t *testing.T) {
	rows := vectors(2000)
	c := create(t, library(t), rows)
	queries := vectors(2020)[2000*dim:]
	check := func(when string, s zvec.Search, least int) {
		found := 0
		for q := 0; q < len(queries); q += dim {
			got, err := c.Search(queries[q:q+dim], s, nil)
			if err != nil {
				t.Fatalf("%s: %v", when, err)
			}
			want := nearest(rows, queries[q:q+dim], s.K)
			if len(got) != len(want) {
				t.Fatalf("%s: %d rows, want %d", when, len(got), len(want))
			}
			for i, hit := range got {
				if slices.ContainsFunc(want, func(w zvec.Hit) bool { return w.ID == hit.ID }) {
					found++
				}
				if i > 0 && hit.Distance < got[i-1].Distance {
					t.Errorf("%s: row %d is nearer than the one before", when, i)
				}
			}
			if math.Abs(float64(got[0].Distance-want[0].Distance)) > 1e-5 {
				t.Errorf("%s: nearest at %g, want cosine distance %g", when, got[0].Distance, want[0].Distance)
			}
		}
		if found < least {
			t.Errorf("%s: %d of %d rows found, want %d", when, found, 20*s.K, least)
		}
	}
	check("before the index", zvec.Search{K: 10, Ef: 100}, 200)
	if err := c.Optimize(); err != nil {
		t.Fatal(err)
	}
	if got := c.Completeness(); got != 1 {
		t.Errorf("index covers %g of the rows", got)
	}
	check("with the index", zvec.Search{K: 10, Ef: 100}, 190)
	check("exact", zvec.Search{K: 10, Ef: 10, Exact: true}, 200)
	if err := c.Reopen(); err != nil {
		t.Fatal(err)
	}
	check("opened again", zvec.Search{K: 10, Ef: 100}, 190)
}

// A collection opened again after it was built returns every key, whatever the
// number of rows. Without that, version 0.5.0 fails from 10,000 rows on.
func TestReopenFindsKeys(t *testing.T) {
	const n = 10_000
	rows := vectors(n)
	c := create(t, library(t), rows)
	if err := c.Optimize(); err != nil {
		t.Fatal(err)
	}
	if err := c.Reopen(); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < n; i += 50 {
		hits, err := c.Search(rows[i*dim:(i+1)*dim], zvec.Search{K: 10, Ef: 64}, nil)
		if err != nil {
			t.Fatalf("query %d: %v", i, err)
		}
		if hits[0].ID != uint64(i) {
			t.Errorf("the nearest row of row %d is %d", i, hits[0].ID)
		}
	}
}

func TestMistakes(t *testing.T) {
	lib := library(t)
	if lib.Version() == "" {
		t.Error("the library has no version")
	}
	c := create(t, lib, vectors(10))
	if _, err := c.Search(make([]float32, dim-1), zvec.Search{K: 1, Ef: 10}, nil); err == nil {
		t.Error("a query of the wrong dimension is answered")
	}
	if _, err := c.Search(make([]float32, dim), zvec.Search{K: 0, Ef: 10}, nil); err == nil {
		t.Error("a search for no rows is answered")
	}
	if err := c.Insert(make([]float32, dim+1)); err == nil {
		t.Error("half a row is inserted")
	}
	if _, err := lib.Create(t.TempDir(), zvec.Options{Dim: dim, M: 16, EfConstruction: 100}); err == nil {
		t.Error("a collection is created over an existing directory")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Search(make([]float32, dim), zvec.Search{K: 1, Ef: 10}, nil); err == nil {
		t.Error("a closed collection answers")
	}
}

func TestNoLibrary(t *testing.T) {
	if _, err := zvec.Load(filepath.Join(t.TempDir(), "libzvec_c_api.so"), t.TempDir()); !errors.Is(err, zvec.ErrNoLibrary) {
		t.Errorf("a library that is not there: %v", err)
	}
	// Every process has the C library, which lacks zvec's functions.
	if _, err := zvec.Load("libc.so.6", t.TempDir()); !errors.Is(err, zvec.ErrNoLibrary) {
		t.Errorf("a library without the functions: %v", err)
	}
}
