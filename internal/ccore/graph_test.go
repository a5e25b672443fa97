package ccore

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// clustered returns rows and queries around common centres, 50 rows to each.
func clustered(rng *rand.Rand, dim, nrows, nqueries int) (rows, queries []float32) {
	centers := make([]float64, (nrows/50+1)*dim)
	for i := range centers {
		centers[i] = rng.NormFloat64()
	}
	draw := func(n int) []float32 {
		m := make([]float32, 0, n*dim)
		for range n {
			center := rng.IntN(len(centers)/dim) * dim
			for d := range dim {
				m = append(m, float32(centers[center+d]+0.3*rng.NormFloat64()))
			}
		}
		return m
	}
	return draw(nrows), draw(nqueries)
}

// graphRecall is the share of the exact k nearest that walks with ef find, ties
// counted fairly.
func graphRecall(t *testing.T, g *Graph, queries []float32, exact [][]Neighbor, ef, k int) float64 {
	t.Helper()
	hits, wanted := 0, 0
	dim := g.options.Dim
	for q, want := range exact {
		found, _, err := g.Search(queries[q*dim:(q+1)*dim], ef, k)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]bool{}
		for _, n := range found {
			if seen[n.Row] {
				t.Fatalf("query %d: row %d comes twice", q, n.Row)
			}
			seen[n.Row] = true
			if n.Distance <= want[len(want)-1].Distance {
				hits++
			}
		}
		wanted += len(want)
	}
	return float64(hits) / float64(wanted)
}

// Walks against exact neighbours, for every metric and both forms of records.
// Floors are two points below what was first measured.
func TestGraphFindsNearest(t *testing.T) {
	const dim, nrows, nqueries, k = 32, 4000, 50, 10
	for _, metric := range allMetrics {
		for _, exactForm := range []bool{false, true} {
			name := metric.String() + map[bool]string{false: "/int8", true: "/float32"}[exactForm]
			t.Run(name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(5, 6))
				rows, queries := clustered(rng, dim, nrows, nqueries)
				exact, err := KNN{Metric: metric, Dim: dim, K: k}.Search(t.Context(), rows, queries)
				if err != nil {
					t.Fatal(err)
				}
				g := buildGraph(t, GraphOptions{
					Metric: metric, Dim: dim, M: 12, EfConstruction: 60, Seed: 1, Exact: exactForm,
				}, rows)
				if faults, err := g.Faults(); err != nil || faults != 0 {
					t.Errorf("%d faults, error %v", faults, err)
				}
				if recall := graphRecall(t, g, queries, exact, 64, k); recall < 0.97 {
					t.Errorf("recall %.4f at ef 64, want 0.97", recall)
				}
				// All nodes can be reached, so a walk as wide as the graph is exact.
				if recall := graphRecall(t, g, queries, exact, nrows, k); recall != 1 {
					t.Errorf("recall %.4f at ef %d, want 1", recall, nrows)
				}
			})
		}
	}
}

func TestGraphRefuses(t *testing.T) {
	sound := GraphOptions{Metric: Cosine, Dim: 2, M: 4, EfConstruction: 10}
	for _, test := range []struct {
		name   string
		change func(*GraphOptions)
		rows   []float32
		want   string
	}{
		{"m", func(o *GraphOptions) { o.M = 1 }, []float32{1, 2}, "m is 1, want 2 to 128"},
		{"ef_construction", func(o *GraphOptions) { o.EfConstruction = 0 }, []float32{1, 2}, "ef_construction is 0"},
		{"dimension", func(o *GraphOptions) { o.Dim = 16001 }, []float32{1, 2}, "dimension is 16001"},
		{"matrix", func(*GraphOptions) {}, []float32{1, 2, 3}, "multiple of 2"},
		{"no rows", func(*GraphOptions) {}, nil, "multiple of 2"},
		{"zero norm", func(*GraphOptions) {}, []float32{1, 2, 0, 0}, "row 1 has no cosine distance"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := sound
			test.change(&options)
			_, err := BuildGraph(t.Context(), options, test.rows)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestGraphZeroQuery(t *testing.T) {
	g := buildGraph(t, GraphOptions{Metric: Cosine, Dim: 2, M: 4, EfConstruction: 10}, []float32{1, 2, 3, 4})
	found, _, err := g.Search([]float32{0, 0}, 10, 10)
	if err != nil || len(found) != 0 {
		t.Errorf("got %v, error %v", found, err)
	}
}

func TestBuildGraphEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	_, err := BuildGraph(ctx, GraphOptions{Metric: L2, Dim: 1, M: 4, EfConstruction: 10}, []float32{1, 2})
	if !errors.Is(err, cause) {
		t.Errorf("got error %v, want %v", err, cause)
	}
}

func buildGraph(t *testing.T, options GraphOptions, rows []float32) *Graph {
	t.Helper()
	g, err := BuildGraph(t.Context(), options, rows)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}
