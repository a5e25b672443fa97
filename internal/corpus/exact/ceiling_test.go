package exact_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/corpus/exact"
)

// ceiling is what exact seeds reach on the multihop corpus with ann_k 64 and
// top_k 10, in counts of questions.
type ceiling struct {
	chains, dim, questions  int
	covered                 int // questions whose person is among the seeds
	endFirst, endAmong      int
	pathFirst, pathAmong    int
	endRankP95, endRankLast int // of the answer among all expanded rows
}

// The rows of 64 questions are published results, those of 1,000 come from an
// independent implementation in Python.
var published = []ceiling{
	{1000, 384, 64, 64, 46, 64, 64, 64, 4, 6},
	{2000, 384, 64, 64, 48, 63, 64, 64, 4, 12},
	{5000, 384, 64, 64, 49, 62, 64, 64, 7, 17},
	{10000, 384, 64, 64, 50, 61, 63, 64, 3, 23},
	{20000, 384, 64, 64, 51, 59, 64, 64, 15, 28},
	{5000, 384, 1000, 1000, 795, 957, 994, 1000, 9, 43},
	{10000, 384, 1000, 1000, 750, 935, 994, 999, 12, 52},
	{5000, 32, 64, 21, 0, 2, 1, 4, 57, 63},
}

func TestPublishedCeilings(t *testing.T) {
	for _, want := range published {
		t.Run(fmt.Sprintf("chains=%d/dim=%d/questions=%d", want.chains, want.dim, want.questions), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && want.chains*want.dim*want.questions > 2000*384*64 {
				t.Skip("-short: only the small corpora")
			}
			if got := measure(t, want.chains, want.dim, want.questions); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func measure(t *testing.T, chains, dim, questions int) ceiling {
	t.Helper()
	options := corpus.DefaultMultihop()
	options.Chains, options.Dim, options.Queries = chains, dim, questions
	facts, err := corpus.Multihop(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	g, err := exact.New(facts.Rows, facts.Dim)
	if err != nil {
		t.Fatal(err)
	}
	var endpoint, path, whole exact.Quality
	got := ceiling{chains: chains, dim: dim, questions: questions}
	for _, q := range facts.Queries {
		near, err := g.Seeds(q.Embedding, 64, exact.AnyRelation)
		if err != nil {
			t.Fatal(err)
		}
		seeds := g.Entities(near)
		if slices.Contains(seeds, q.Answer-int32(2*chains)) {
			got.covered++
		}
		ask := func(into *exact.Quality, score exact.Score, k int) {
			results, err := g.Hops(q.Embedding, seeds, []int32{int32(q.Hop1), int32(q.Hop2)}, score, k)
			if err != nil {
				t.Fatal(err)
			}
			g.Count(into, results, q.Answer)
		}
		ask(&endpoint, exact.Endpoint, 10)
		ask(&path, exact.Path, 10)
		ask(&whole, exact.Endpoint, math.MaxInt32)
	}
	got.endFirst, got.endAmong = endpoint.First, endpoint.Among
	got.pathFirst, got.pathAmong = path.First, path.Among
	got.endRankP95, got.endRankLast = whole.Rank(95), whole.Rank(100)
	return got
}
