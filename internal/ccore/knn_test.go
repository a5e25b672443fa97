package ccore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naiveKNN sorts all rows by distance and number, in Go alone.
func naiveKNN(s KNN, rows, queries []float32) [][]Neighbor {
	var results [][]Neighbor
	for query := range slices.Chunk(queries, s.Dim) {
		all := []Neighbor{}
		for i := 0; i < len(rows)/s.Dim; i++ {
			d, _ := reference(s.Metric, query, rows[i*s.Dim:(i+1)*s.Dim])
			if !math.IsNaN(d) {
				all = append(all, Neighbor{Row: i, Distance: d})
			}
		}
		slices.SortFunc(all, func(a, b Neighbor) int {
			return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
		})
		results = append(results, all[:min(s.K, len(all))])
	}
	return results
}

// Whole numbers make the sums exact, so that rows tie where they should and
// rank and distance must agree with the oracle. Cosine is tested by itself.
func TestKNNMatchesOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, metric := range []Metric{L2, InnerProduct, L1} {
		for _, size := range []struct{ dim, rows, queries, k int }{
			{1, 1, 1, 1}, {1, 50, 3, 7}, {3, 2000, 9, 100}, {8, 100, 70, 100},
			{17, 500, 40, 5}, {384, 900, 33, 10}, {5, 30, 4, 1000}, {40000, 5, 2, 3},
		} {
			t.Run(fmt.Sprintf("%v/%dx%d", metric, size.rows, size.dim), func(t *testing.T) {
				s := KNN{Metric: metric, Dim: size.dim, K: size.k}
				rows := matrix(rng, size.rows*size.dim, 2)
				queries := matrix(rng, size.queries*size.dim, 2)
				got, err := s.Search(t.Context(), rows, queries)
				if err != nil {
					t.Fatal(err)
				}
				want := naiveKNN(s, rows, queries)
				for i := range want {
					if !slices.Equal(got[i], want[i]) {
						t.Fatalf("query %d: got %v, want %v", i, got[i], want[i])
					}
				}
			})
		}
	}
}

// The quotient of cosine rounds differently in the oracle, so distances are
// compared rank by rank, and each is checked against its own row.
func TestKNNCosine(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := KNN{Metric: Cosine, Dim: 24, K: 20}
	rows := matrix(rng, 700*s.Dim, 3)
	queries := matrix(rng, 37*s.Dim, 3)
	clear(rows[5*s.Dim : 6*s.Dim])
	clear(queries[2*s.Dim : 3*s.Dim])
	got, err := s.Search(t.Context(), rows, queries)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range naiveKNN(s, rows, queries) {
		if len(got[i]) != len(want) {
			t.Fatalf("query %d: %d neighbours, want %d", i, len(got[i]), len(want))
		}
		for rank, n := range got[i] {
			query := queries[i*s.Dim : (i+1)*s.Dim]
			own, _ := reference(Cosine, query, rows[n.Row*s.Dim:(n.Row+1)*s.Dim])
			if math.Abs(n.Distance-own) > tolerance(1, s.Dim) ||
				math.Abs(n.Distance-want[rank].Distance) > tolerance(1, s.Dim) {
				t.Errorf("query %d rank %d: %v, its row is at %v, the oracle has %v",
					i, rank, n, own, want[rank])
			}
		}
	}
	if len(got[2]) != 0 {
		t.Errorf("a zero query has neighbours %v", got[2])
	}
}

func TestKNNTiesGoByRow(t *testing.T) {
	s := KNN{Metric: Cosine, Dim: 2, K: 3}
	rows := slices.Repeat([]float32{1, 1}, 1000)
	got, err := s.Search(t.Context(), rows, []float32{2, 2})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Neighbor{{0, 0}, {1, 0}, {2, 0}}; !slices.Equal(got[0], want) {
		t.Errorf("got %v, want %v", got[0], want)
	}
}

func TestKNNEmpty(t *testing.T) {
	s := KNN{Metric: L2, Dim: 2, K: 3}
	got, err := s.Search(t.Context(), nil, []float32{1, 2, 3, 4})
	if err != nil || len(got) != 2 || len(got[0]) != 0 || len(got[1]) != 0 {
		t.Errorf("no rows: got %v, %v", got, err)
	}
	got, err = s.Search(t.Context(), []float32{1, 2}, nil)
	if err != nil || len(got) != 0 {
		t.Errorf("no queries: got %v, %v", got, err)
	}
}

func TestKNNRefuses(t *testing.T) {
	nan := float32(math.NaN())
	good := KNN{Metric: L2, Dim: 2, K: 1}
	for _, test := range []struct {
		name          string
		search        KNN
		rows, queries []float32
		want          string
	}{
		{"k 0", KNN{Metric: L2, Dim: 2}, nil, nil, "k is 0"},
		{"k too large", KNN{Metric: L2, Dim: 2, K: 1 << 40}, nil, nil, "k is 1099511627776"},
		{"dim 0", KNN{Metric: L2, K: 1}, nil, nil, "dimension is 0"},
		{"metric", KNN{Metric: 7, Dim: 2, K: 1}, nil, nil, "invalid metric 7"},
		{"rows", good, []float32{1}, nil, "row matrix has 1 components"},
		{"queries", good, nil, []float32{1, 2, 3}, "query matrix has 3 components"},
		{"NaN", good, []float32{1, 2, 3, nan}, nil, "row 1 component 1 is NaN"},
		{"infinity", good, nil, []float32{float32(math.Inf(-1)), 0}, "query 0 component 0 is -Inf"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.search.Search(t.Context(), test.rows, test.queries)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestKNNProgressAndCancel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rows, queries := matrix(rng, 4*500, 9), matrix(rng, 4*300, 9)
	var heard []int
	s := KNN{Metric: L2, Dim: 4, K: 2, Progress: func(done, total int) {
		if total != 300 {
			t.Errorf("total is %d, want 300", total)
		}
		heard = append(heard, done)
	}}
	if _, err := s.Search(t.Context(), rows, queries); err != nil {
		t.Fatal(err)
	}
	if len(heard) < 2 || !slices.IsSorted(heard) || heard[len(heard)-1] != 300 {
		t.Errorf("progress was %v", heard)
	}

	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	s.Progress = func(int, int) { cancel(cause) }
	if _, err := s.Search(ctx, rows, queries); !errors.Is(err, cause) {
		t.Errorf("got error %v, want %v", err, cause)
	}
}

func BenchmarkKNN(b *testing.B) {
	const dim, nrows, nqueries = 384, 10000, 64
	rng := rand.New(rand.NewPCG(7, 8))
	rows, queries := matrix(rng, nrows*dim, 100), matrix(rng, nqueries*dim, 100)
	for _, metric := range []Metric{Cosine, L2} {
		b.Run("metric="+metric.String(), func(b *testing.B) {
			s := KNN{Metric: metric, Dim: dim, K: 10}
			for b.Loop() {
				if _, err := s.Search(b.Context(), rows, queries); err != nil {
					b.Fatal(err)
				}
			}
			products := float64(b.N) * nrows * nqueries
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/products, "ns/product")
		})
	}
}
