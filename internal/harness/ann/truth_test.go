package ann

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"sortedheap/internal/corpus"
)

type quiet struct{}

func (quiet) Step(string, int)    {}
func (quiet) Done(int)            {}
func (quiet) Note(string, ...any) {}

func newBench(t *testing.T, rows, dim, queries int) *bench {
	t.Helper()
	v, err := corpus.Clustered(t.Context(), corpus.ClusteredOptions{Rows: rows, Dim: dim, Clusters: 9, Queries: queries, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{params: Default(), env: Env{Progress: quiet{}}, vectors: v, buckets: corpus.Buckets(rows, 42)}
}

// cosine is the distance by its definition.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return 1 - dot/math.Sqrt(aa*bb)
}

// Truth among the rows that pass a filter is what sorting them all gives, also
// where the rows are gathered in more than one batch, and where fewer pass than
// are asked for.
func TestExactly(t *testing.T) {
	b := newBench(t, truthRows+2000, 4, 3)
	set := b.vectors.Queries[0]
	for name, c := range map[string]struct {
		keep   func(int) bool
		wanted int
	}{
		"all":      {nil, 10},
		"half":     {func(i int) bool { return b.buckets[i] < 500 }, 10},
		"few":      {func(i int) bool { return i%10_000 == 9999 }, 3},
		"none":     {func(int) bool { return false }, 0},
		"last row": {func(i int) bool { return i == b.vectors.Len()-1 }, 1},
	} {
		truth, err := b.exactly(t.Context(), set, c.keep)
		if err != nil {
			t.Fatal(err)
		}
		for q := range b.queries(set) {
			var all []float64
			for i := range b.vectors.Len() {
				if c.keep == nil || c.keep(i) {
					all = append(all, cosine(b.query(set, q), b.vectors.Row(i)))
				}
			}
			slices.Sort(all)
			if truth.wanted[q] != c.wanted {
				t.Errorf("%s, query %d: %d rows wanted, want %d", name, q, truth.wanted[q], c.wanted)
			}
			if c.wanted == 0 {
				continue
			}
			if last := all[c.wanted-1]; math.Abs(truth.limits[q]-last) > tolerance {
				t.Errorf("%s, query %d: the last row is at %g, want %g", name, q, truth.limits[q], last)
			}
		}
	}
}

// What came with the corpus is used where it is about the same question.
func TestOfCorpus(t *testing.T) {
	b := newBench(t, 300, 4, 2)
	set := b.vectors.Queries[0]
	for q := range 2 {
		order := make([]int32, 300)
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortFunc(order, func(x, y int32) int {
			return cmp.Compare(cosine(b.query(set, q), b.vectors.Row(int(x))), cosine(b.query(set, q), b.vectors.Row(int(y))))
		})
		set.Nearest = append(set.Nearest, order[:20])
	}
	given, err := b.ofCorpus(set)
	if err != nil {
		t.Fatal(err)
	}
	found, err := b.exactly(t.Context(), set, nil)
	if err != nil {
		t.Fatal(err)
	}
	for q := range 2 {
		if math.Abs(given.limits[q]-found.limits[q]) > tolerance || given.wanted[q] != 10 {
			t.Errorf("query %d: limit %g, found %g", q, given.limits[q], found.limits[q])
		}
	}
	b.params.TopK = 21
	if other, err := b.ofCorpus(set); other != nil || err != nil {
		t.Errorf("truth of 20 rows is used for 21: %v, %v", other, err)
	}
	b.params.TopK, b.params.Metric = 10, "l2"
	if other, err := b.ofCorpus(set); other != nil || err != nil {
		t.Errorf("truth by cosine is used for L2: %v, %v", other, err)
	}
}

// Rounding to halves keeps given truth where the vectors were halves already.
func TestRoundHalves(t *testing.T) {
	v := &corpus.Vectors{Dim: 2, Rows: []float32{1, 0.5}, Queries: []corpus.QuerySet{
		{Vectors: []float32{0.25, 2}, Nearest: [][]int32{{0}}}, {Vectors: []float32{0.1, 2}, Nearest: [][]int32{{0}}}}}
	roundHalves(v)
	if v.Queries[0].Nearest == nil || v.Queries[1].Nearest != nil || v.Queries[1].Vectors[0] != 0.0999755859375 {
		t.Errorf("queries %+v", v.Queries)
	}
	v.Rows[1] = 0.1
	roundHalves(v)
	if v.Queries[0].Nearest != nil {
		t.Error("truth over other rows is kept")
	}
}
