package exact_test

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/corpus/exact"
)

const every = exact.AnyRelation

// small is the acceptance fixture of the graph functions.
func small(t *testing.T) *exact.Graph {
	return graph(t, []corpus.Fact{
		{Entity: 1, Relation: 1, Target: 2, Embedding: []float32{1, 0, 0, 0}, Payload: "a"},
		{Entity: 1, Relation: 2, Target: 3, Embedding: []float32{.9, .1, 0, 0}, Payload: "b"},
		{Entity: 2, Relation: 1, Target: 4, Embedding: []float32{0, 1, 0, 0}, Payload: "c"},
		{Entity: 3, Relation: 1, Target: 1, Embedding: []float32{0, 0, 1, 0}, Payload: "d"},
		{Entity: 3, Relation: 2, Target: 5, Embedding: []float32{0, 0, .9, .1}, Payload: "e"},
		{Entity: 4, Relation: 1, Target: 6, Embedding: []float32{0, 0, 0, 1}, Payload: "f"},
	}, 4)
}

func graph(t *testing.T, rows []corpus.Fact, dim int) *exact.Graph {
	t.Helper()
	g, err := exact.New(rows, dim)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestExpandSmall(t *testing.T) {
	g := small(t)
	for _, c := range []struct {
		filter int32
		want   string
	}{{every, "abde"}, {1, "ad"}, {2, "be"}, {3, ""}} {
		var got strings.Builder
		for _, row := range g.Expand([]int32{3, 1, 3, 99}, c.filter) {
			got.WriteString(g.Fact(row).Payload)
		}
		if got.String() != c.want {
			t.Errorf("filter %d: got %q, want %q", c.filter, got.String(), c.want)
		}
	}
}

type ranked struct {
	payload string
	score   float64
}

func check(t *testing.T, name string, g *exact.Graph, got []exact.Result, err error, want ...ranked) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = g.Fact(got[i].Row).Payload == want[i].payload && math.Abs(got[i].Score-want[i].score) < 5e-7
	}
	if !ok {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

func TestSearchSmall(t *testing.T) {
	g := small(t)
	x, z := []float32{1, 0, 0, 0}, []float32{0, 0, 1, 0}
	seeds := []int32{1, 3}

	got, err := g.Rank(x, g.Expand(seeds, every), 2)
	check(t, "rerank", g, got, err, ranked{"a", 0}, ranked{"b", 0.006116})
	got, err = g.Rank(x, g.Expand(seeds, 2), 2)
	check(t, "rerank, relation 2", g, got, err, ranked{"b", 0.006116}, ranked{"e", 1})

	got, err = g.Hops(x, seeds, []int32{1, 1}, exact.Endpoint, 2)
	check(t, "two hops", g, got, err, ranked{"a", 0}, ranked{"c", 1})
	got, err = g.Hops(x, seeds, []int32{1, 2}, exact.Path, 2)
	check(t, "two hops, path", g, got, err, ranked{"b", 1.006116})

	one := exact.Search{AnnK: 2, TopK: 2, Seeds: exact.ByTarget, Hops: []int32{every}}
	got, err = g.Answer(x, one)
	check(t, "one call by target", g, got, err, ranked{"c", 1}, ranked{"d", 1})
	one.Hops = []int32{2}
	got, err = g.Answer(x, one)
	check(t, "one call by target, relation 2", g, got, err, ranked{"e", 1})

	for _, score := range []exact.Score{exact.Endpoint, exact.Path} {
		two := exact.Search{AnnK: 2, TopK: 2, Score: score, Hops: []int32{1, 2}}
		got, err = g.Answer(z, two)
		check(t, "one call, two hops", g, got, err, ranked{"b", 1})
		got, err = g.Answer(x, exact.Search{AnnK: 2, TopK: 1, Score: score, Hops: []int32{2}})
		check(t, "one call, one hop", g, got, err, ranked{"b", 0.006116})
	}

	filtered := exact.Search{AnnK: 1, TopK: 2, Hops: []int32{2}}
	got, err = g.Answer(z, filtered)
	check(t, "unfiltered seed d", g, got, err, ranked{"e", 0.006116})
	got, err = g.Answer(x, filtered)
	check(t, "unfiltered seed a", g, got, err, ranked{"b", 0.006116})
	filtered.FilterSeed, filtered.Seeds, filtered.Hops = true, exact.ByTarget, []int32{2, every}
	got, err = g.Answer(x, filtered)
	check(t, "seed b by target", g, got, err)
	filtered.FilterSeed = false
	got, err = g.Answer([]float32{0, 0, 1, 0}, filtered)
	check(t, "seed d by target", g, got, err, ranked{"d", 0}, ranked{"e", 0.006116})

	got, err = g.Seeds(x, 1, 2)
	check(t, "filtered seeds", g, got, err, ranked{"b", 0.006116})
	got, err = g.Seeds(x, 0, every)
	check(t, "no seeds", g, got, err)
	got, err = g.Hops(x, nil, []int32{1}, exact.Path, 5)
	check(t, "no seeds to expand", g, got, err)
}

// A zero vector has no distance: its row expands but is neither seed nor
// result, and lends no path a score.
func TestZeroNorm(t *testing.T) {
	g := graph(t, []corpus.Fact{
		{Entity: 1, Relation: 1, Target: 2, Embedding: []float32{0, 0}, Payload: "blank"},
		{Entity: 2, Relation: 1, Target: 3, Embedding: []float32{0, 1}, Payload: "behind"},
		{Entity: 2, Relation: 1, Target: 4, Embedding: []float32{0, 0}, Payload: "blank too"},
	}, 2)
	q := []float32{0, 1}
	got, err := g.Seeds(q, 10, every)
	check(t, "seeds", g, got, err, ranked{"behind", 0})
	got, err = g.Hops(q, []int32{1}, []int32{every, every}, exact.Endpoint, 10)
	check(t, "endpoint", g, got, err, ranked{"behind", 0})
	got, err = g.Hops(q, []int32{1}, []int32{every, every}, exact.Path, 10)
	check(t, "path", g, got, err)
	got, err = g.Rank([]float32{0, 0}, []int{0, 1, 2}, 10)
	check(t, "zero query", g, got, err)
}

func TestErrors(t *testing.T) {
	g := small(t)
	if _, err := g.Seeds([]float32{1}, 1, every); !errors.Is(err, exact.ErrDimension) {
		t.Errorf("short query: got error %v", err)
	}
	if _, err := g.Hops([]float32{1, 0, 0, 0}, []int32{1}, nil, exact.Path, 1); !errors.Is(err, exact.ErrNoHop) {
		t.Errorf("no hops: got error %v", err)
	}
	if _, err := g.Answer([]float32{1, 0, 0, 0}, exact.Search{AnnK: 1, TopK: 1}); !errors.Is(err, exact.ErrNoHop) {
		t.Errorf("search without hops: got error %v", err)
	}
	if _, err := exact.New([]corpus.Fact{{Embedding: []float32{1}}}, 2); !errors.Is(err, exact.ErrDimension) {
		t.Errorf("short fact: got error %v", err)
	}
}

// Hops must agree with the walk along every single path, on dense little
// graphs full of cycles, ties and parallel edges. Distances are whole numbers,
// so that sums are exact in any order and ties are real.
func TestHopsAgainstAllPaths(t *testing.T) {
	axes := [][]float32{{1, 0}, {0, 1}, {-1, 0}, {0, -2}}
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		rows := make([]corpus.Fact, 5+rng.IntN(25))
		for i := range rows {
			rows[i] = corpus.Fact{
				Entity: rng.Int32N(6), Relation: int16(rng.IntN(2)), Target: rng.Int32N(6),
				Embedding: axes[rng.IntN(len(axes))],
			}
		}
		g := graph(t, rows, 2)
		q := axes[rng.IntN(len(axes))]
		seeds := []int32{rng.Int32N(6), rng.Int32N(6)}
		filters := make([]int32, 1+rng.IntN(3))
		for i := range filters {
			filters[i] = []int32{0, 1, every}[rng.IntN(3)]
		}
		for _, score := range []exact.Score{exact.Endpoint, exact.Path} {
			got, err := g.Hops(q, seeds, filters, score, 7)
			if err != nil {
				t.Fatal(err)
			}
			want := allPaths(rows, q, seeds, filters, score, 7)
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, score %v, hops %v: got %v, want %v", round, score, filters, got, want)
			}
		}
	}
}

func allPaths(rows []corpus.Fact, q []float32, seeds, filters []int32, score exact.Score, k int) []exact.Result {
	best := map[int]float64{}
	var walk func(id int32, hop int, sum float64)
	walk = func(id int32, hop int, sum float64) {
		for i, f := range rows {
			if f.Entity != id || filters[hop] != every && filters[hop] != int32(f.Relation) {
				continue
			}
			d := cosine(q, f.Embedding)
			if hop < len(filters)-1 {
				walk(f.Target, hop+1, sum+d)
				continue
			}
			if score == exact.Path {
				d += sum
			}
			if known, ok := best[i]; !ok || d < known {
				best[i] = d
			}
		}
	}
	for _, s := range seeds {
		walk(s, 0, 0)
	}
	var out []exact.Result
	for row, d := range best {
		out = append(out, exact.Result{Row: row, Score: d})
	}
	slices.SortFunc(out, func(a, b exact.Result) int {
		x, y := rows[a.Row], rows[b.Row]
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(x.Entity, y.Entity),
			cmp.Compare(x.Relation, y.Relation), cmp.Compare(x.Target, y.Target), cmp.Compare(a.Row, b.Row))
	})
	return out[:min(k, len(out))]
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return 1 - ab/math.Sqrt(aa*bb)
}

func TestQuality(t *testing.T) {
	var q exact.Quality
	q.Count([]int32{7, 8, 9}, 7)
	q.Count([]int32{7, 8, 9}, 9)
	q.Count([]int32{7, 8, 9}, 1)
	q.Count(nil, 1)
	if q.HitAt1() != 0.25 || q.HitAtK() != 0.5 {
		t.Errorf("hits %v and %v, want 0.25 and 0.5", q.HitAt1(), q.HitAtK())
	}
	if q.Rank(50) != 1 || q.Rank(51) != 3 || q.Rank(100) != 3 || q.Rank(0) != 1 {
		t.Errorf("ranks %v at 50, %v at 51, %v at 100", q.Rank(50), q.Rank(51), q.Rank(100))
	}
	if (&exact.Quality{}).Rank(50) != 0 {
		t.Error("a rank without answers")
	}
}
