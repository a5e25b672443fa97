// Package storetest is the conformance suite of vector stores.
package storetest

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/vectorstore"
)

const (
	dim     = 24
	margin  = 1e-5 // between distances in single and in double precision
	queries = 20
)

// Conform opens a store, loads vectors twice and compares its answers with brute
// force: exact searches must be right, others nearly. A store that cannot run
// here skips the test.
func Conform(t *testing.T, s vectorstore.Store) {
	t.Helper()
	ctx := t.Context()
	err := s.Open(ctx)
	var missing *engine.UnavailableError
	if errors.As(err, &missing) {
		t.Skip(missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 2 {
			if err := s.Close(context.Background()); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	})
	if s.Name() == "" || s.Version() == "" {
		t.Errorf("name %q, version %q", s.Name(), s.Version())
	}
	// The second load must replace the first, which is smaller.
	for _, n := range []int{300, 2500} {
		rows := vectors(n, 1)
		build, err := s.Load(ctx, dim, overwritten(rows))
		if err != nil {
			t.Fatal(err)
		}
		if build.Rows != int64(n) || build.Seconds <= 0 {
			t.Errorf("build %+v, want %d rows", build, n)
		}
		search(t, s, rows)
	}
	if _, err := s.Search(ctx, make([]float32, dim-1), vectorstore.Search{K: 3, Ef: 10}); err == nil {
		t.Error("a vector of the wrong dimension is answered")
	}
	wrong := errors.New("the source breaks")
	if _, err := s.Load(ctx, dim, func(yield func([]float32, error) bool) { yield(nil, wrong) }); !errors.Is(err, wrong) {
		t.Errorf("load from a broken source: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Search(cancelled, vectors(1, 3)[0], vectorstore.Search{K: 3, Ef: 10}); !errors.Is(err, context.Canceled) {
		t.Errorf("search with a cancelled context: %v", err)
	}
}

func search(t *testing.T, s vectorstore.Store, rows [][]float32) {
	t.Helper()
	for _, shape := range []vectorstore.Search{{K: 10, Ef: 200}, {K: 7, Ef: 1, Exact: true}, {K: 1, Ef: 200}} {
		found := 0
		for _, query := range vectors(queries, 2) {
			got, err := s.Search(t.Context(), query, shape)
			if err != nil {
				t.Fatal(err)
			}
			want := nearest(rows, query)[:shape.K]
			if len(got.Hits) != shape.K {
				t.Fatalf("%+v: %d rows", shape, len(got.Hits))
			}
			for i, hit := range got.Hits {
				if hit.Row < 0 || hit.Row >= len(rows) {
					t.Fatalf("%+v: row %d of %d", shape, hit.Row, len(rows))
				}
				if math.Abs(hit.Distance-distance(rows[hit.Row], query)) > margin {
					t.Errorf("%+v: row %d has distance %g, want %g", shape, hit.Row, hit.Distance, distance(rows[hit.Row], query))
				}
				if i > 0 && hit.Distance < got.Hits[i-1].Distance {
					t.Errorf("%+v: hit %d is nearer than the one before", shape, i)
				}
				if slices.ContainsFunc(want, func(w vectorstore.Hit) bool { return w.Row == hit.Row }) {
					found++
				}
			}
		}
		least := queries * shape.K
		if !shape.Exact {
			least = least * 95 / 100
		}
		if found < least {
			t.Errorf("%+v: %d of %d true neighbours, want %d", shape, found, queries*shape.K, least)
		}
	}
}

func vectors(n int, seed uint64) [][]float32 {
	random := rand.New(rand.NewPCG(seed, seed))
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, dim)
		for d := range out[i] {
			out[i][d] = float32(random.NormFloat64())
		}
	}
	return out
}

// overwritten yields rows that are overwritten after each step, as a store must
// expect.
func overwritten(rows [][]float32) iter.Seq2[[]float32, error] {
	return func(yield func([]float32, error) bool) {
		shared := make([]float32, dim)
		for _, row := range rows {
			copy(shared, row)
			if !yield(shared, nil) {
				return
			}
		}
	}
}

func distance(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return 1 - dot/math.Sqrt(aa*bb)
}

func nearest(rows [][]float32, query []float32) []vectorstore.Hit {
	hits := make([]vectorstore.Hit, len(rows))
	for i, row := range rows {
		hits[i] = vectorstore.Hit{Row: i, Distance: distance(row, query)}
	}
	slices.SortFunc(hits, func(a, b vectorstore.Hit) int {
		if a.Distance < b.Distance {
			return -1
		}
		return 1
	})
	return hits
}
