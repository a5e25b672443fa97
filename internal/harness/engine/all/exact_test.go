package all_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/all"
)

// Exact seeds come without the index, on a table where the same search uses it,
// and are those of brute force.
func TestExactSeeds(t *testing.T) {
	facts, err := corpus.Multihop(t.Context(), corpus.MultihopOptions{Chains: 1000, Dim: 64, Queries: 20, Seed: 7, Set: corpus.Fair})
	if err != nil {
		t.Fatal(err)
	}
	oracle := all.Oracle()
	if _, err := oracle.Load(t.Context(), facts); err != nil {
		t.Fatal(err)
	}
	for _, e := range engines(t) {
		if c := e.Capabilities(); !c.ApproximateSeeds || !slices.Contains(c.Seedings, engine.SeedExact) {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) { exactSeeds(t, e, oracle, facts) })
	}
}

func exactSeeds(t *testing.T, e, oracle engine.Engine, facts *corpus.Facts) {
	err := e.Open(t.Context())
	var missing *engine.UnavailableError
	if errors.As(err, &missing) {
		t.Skip(missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if _, err := e.Load(t.Context(), facts); err != nil {
		t.Fatal(err)
	}
	search := engine.Task{Seeding: engine.SeedSearch, SeedBy: engine.SeedByEntity, Score: engine.ScoreEndpoint,
		Form: engine.FormIn, Output: engine.OutputRows, AnnK: 16, TopK: 16}
	exact := search
	exact.Seeding = engine.SeedExact
	if plan := planOf(t, e, search, facts.Queries[0]); !strings.Contains(plan, "ann") && !strings.Contains(plan, "hnsw") {
		t.Errorf("a search has plan %q, want one with the index", plan)
	}
	tuned(t, e, search, facts.Queries[0])
	if plan := planOf(t, e, exact, facts.Queries[0]); strings.Contains(plan, "ann") || strings.Contains(plan, "hnsw") {
		t.Errorf("an exact search has plan %q", plan)
	}
	for i, q := range facts.Queries {
		got, err := e.Ask(t.Context(), exact, engine.Question{Embedding: q.Embedding})
		if err != nil {
			t.Fatal(err)
		}
		want, err := oracle.Ask(t.Context(), exact, engine.Question{Embedding: q.Embedding})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("query %d: %d seeds, want %d", i, len(got), len(want))
		}
		for k := range want {
			// Engines may order rows otherwise that their arithmetic cannot tell apart.
			if diff := got[k].Distance - want[k].Distance; diff > 1e-5 || diff < -1e-5 {
				t.Errorf("query %d: seed %d is %+v, want %+v", i, k, got[k], want[k])
			}
		}
	}
}

// tuned proves that a search can be given other candidates, and that a plan tells
// how the extension's index was walked.
func tuned(t *testing.T, e engine.Engine, search engine.Task, q corpus.Query) {
	t.Helper()
	tunable, ok := e.(engine.Tunable)
	asked, sql := e.(engine.SQL)
	if !ok || !sql {
		t.Fatalf("engine %s cannot be tuned or asked", e.Name())
	}
	if err := tunable.Tune(t.Context(), engine.Tuning{EfSearch: 61}); err != nil {
		t.Fatal(err)
	}
	plan := planOf(t, e, search, q)
	if settings := fmt.Sprint(asked.Settings()); !strings.Contains(settings+plan, "61") {
		t.Errorf("tuned to 61 candidates it has settings %s and plan %q", settings, plan)
	}
	if strings.HasPrefix(e.Version(), "sorted_heap") && !strings.Contains(plan, "(index: flat)") && !strings.Contains(plan, "(index: graph)") {
		t.Errorf("plan %q does not tell how the index was walked", plan)
	}
}

func planOf(t *testing.T, e engine.Engine, task engine.Task, q corpus.Query) string {
	t.Helper()
	sql, ok := e.(engine.SQL)
	if !ok {
		t.Fatalf("engine %s has no plans", e.Name())
	}
	call, err := sql.Prepare(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := call.Plan(t.Context(), engine.Question{Embedding: q.Embedding})
	if err != nil {
		t.Fatal(err)
	}
	return plan.Summary
}
