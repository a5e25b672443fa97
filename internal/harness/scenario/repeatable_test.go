package scenario_test

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/pgtest"
)

// repeated is a scenario over a corpus made anew for each run.
type repeated struct {
	scenario   scenario.Scenario
	annK, topK int
	make       func(*testing.T) corpus.Source
}

func repeatedScenarios() []repeated {
	return []repeated{
		{scenario.Multihop(), 16, 5, func(t *testing.T) corpus.Source {
			return must(corpus.Multihop(t.Context(), corpus.MultihopOptions{Chains: 150, Dim: 32, Queries: 10, Seed: 42, Set: corpus.Fair}))(t)
		}},
		{scenario.Gutenberg(), 16, 5, func(t *testing.T) corpus.Source {
			o := corpus.DefaultGutenberg("")
			o.Queries, o.Set = 8, corpus.Fair
			return must(corpus.Gutenberg(t.Context(), o))(t)
		}},
		{scenario.SyntheticSearch(), 8, 5, func(t *testing.T) corpus.Source {
			return must(corpus.Synthetic(t.Context(), corpus.SyntheticOptions{Entities: 100, Degree: 6, Relations: 4, Dim: 16,
				Queries: 8, Set: corpus.Fair, Seeds: scenario.SyntheticSeeds, Seed: 42}))(t)
		}},
		{scenario.Butler(), 4, 4, func(t *testing.T) corpus.Source {
			return must(corpus.Butler(t.Context(), corpus.ButlerOptions{Dim: 64, Queries: 12, Set: corpus.Fair}))(t)
		}},
	}
}

func must(facts *corpus.Facts, err error) func(*testing.T) corpus.Source {
	return func(t *testing.T) corpus.Source {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return facts
	}
}

// Two runs with one seed, each with its own corpus and indexes, give the same
// quality and the same answers on every engine that is here. Every engine draws
// the levels of its graph anew in each build, by a generator that takes no seed;
// with as many candidates as there are rows the drawing does not matter.
func TestSameSeedSameQuality(t *testing.T) {
	options := all.Options{DSN: pgtest.Start(t).DSN(""), M: 16, EfConstruction: 64, EfSearch: 600,
		ZvecLib: os.Getenv("SORTED_HEAP_ZVEC_LIB"), ZvecPython: os.Getenv("SORTED_HEAP_ZVEC_PYTHON"), Qdrant: os.Getenv("SORTED_HEAP_QDRANT")}
	for _, s := range repeatedScenarios() {
		t.Run(s.scenario.Name, func(t *testing.T) {
			sameTwice(t, s, options)
		})
	}
}

// sameTwice runs a scenario twice and compares.
func sameTwice(t *testing.T, s repeated, options all.Options) {
	t.Helper()
	first, second := runOnce(t, s, options), runOnce(t, s, options)
	if len(first) != len(second) {
		t.Fatalf("%d rows, then %d", len(first), len(second))
	}
	graded := 0
	for i, a := range first {
		b := second[i]
		if a.Engine != b.Engine || a.Case != b.Case || a.Error != b.Error || a.RowsMean != b.RowsMean {
			t.Errorf("row %d is %s %s (%s), then %s %s (%s)", i, a.Engine, a.Case, a.Error, b.Engine, b.Case, b.Error)
			continue
		}
		if x, y := quality(t, a), quality(t, b); x != y {
			t.Errorf("%s of %s: quality %s, then %s", a.Case, a.Engine, x, y)
		}
		if o, ok := result.CompareAnswers(a, b); ok && o.SameRows < o.Queries {
			t.Errorf("%s of %s: %d of %d answers have the same rows", a.Case, a.Engine, o.SameRows, o.Queries)
		}
		if a.Quality != nil {
			graded++
		}
	}
	if graded == 0 {
		t.Error("nothing is graded")
	}
}

func runOnce(t *testing.T, s repeated, options all.Options) []result.Row {
	t.Helper()
	engines, err := all.New(nil, options)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := scenario.Run(t.Context(), s.scenario, scenario.Env{Engines: engines, Oracle: all.Oracle(), Source: s.make(t),
		// Given seeds leave nothing to an engine.
		Params: scenario.Params{AnnK: s.annK, TopK: s.topK, Passes: 1, Cases: regexp.MustCompile(`^seed_`)}, Progress: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func quality(t *testing.T, r result.Row) string {
	t.Helper()
	text, err := json.Marshal(r.Quality)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
