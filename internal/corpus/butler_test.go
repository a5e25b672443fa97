package corpus_test

import (
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/corpus/exact"
)

func butler(t *testing.T, o corpus.ButlerOptions) *corpus.Facts {
	t.Helper()
	facts, err := corpus.Butler(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func TestButlerFacts(t *testing.T) {
	facts := butler(t, corpus.DefaultButler())
	if len(facts.Rows) != 7 || len(facts.Queries) != 2 {
		t.Fatalf("%d facts, %d queries", len(facts.Rows), len(facts.Queries))
	}
	var keys []int32
	for _, f := range facts.Rows {
		keys = append(keys, f.Entity, int32(f.Relation), f.Target)
	}
	want := []int32{1, 1, 2, 3, 1, 4, 5, 2, 6, 6, 3, 7, 8, 4, 9, 9, 5, 10, 11, 6, 12}
	if !slices.Equal(keys, want) {
		t.Errorf("facts %v, want %v", keys, want)
	}
	if a, b := facts.Queries[0].Answer, facts.Queries[1].Answer; a != 7 || b != 10 {
		t.Errorf("answers %d and %d, want Helsinki 7 and April 10", a, b)
	}
}

// By brute force the published questions are answered with 4 and with 2 seeds, and
// two hops from any seeds reach nothing but the ends of the two chains.
func TestButlerCeiling(t *testing.T) {
	facts := butler(t, corpus.DefaultButler())
	graph, err := exact.New(facts.Rows, facts.Dim)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{4, 2} {
		for _, q := range facts.Queries {
			nearest, err := graph.Seeds(q.Embedding, k, exact.AnyRelation)
			if err != nil {
				t.Fatal(err)
			}
			found, err := graph.Hops(q.Embedding, graph.Entities(nearest), []int32{exact.AnyRelation, exact.AnyRelation}, exact.Path, k)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 || len(found) > 2 || facts.Rows[found[0].Row].Target != q.Answer {
				t.Errorf("k %d, %q: found %v", k, q.Text, found)
			}
		}
	}
}

func TestButlerFairQuestions(t *testing.T) {
	facts := butler(t, corpus.ButlerOptions{Dim: 16, Queries: corpus.MaxButlerQueries, Set: corpus.Fair})
	if len(facts.Queries) < 1000 {
		t.Errorf("%d questions, want 1000", len(facts.Queries))
	}
	answers, texts := map[int32]int{}, map[string]bool{}
	for _, q := range facts.Queries {
		answers[q.Answer]++
		texts[q.Text] = true
		if strings.Contains(q.Text, "Helsinki") || strings.Contains(q.Text, "April") || strings.Contains(q.Text, "%") {
			t.Errorf("question %q", q.Text)
		}
	}
	if len(texts) != len(facts.Queries) || answers[7] != answers[10] {
		t.Errorf("%d texts of %d questions, answers %v", len(texts), len(facts.Queries), answers)
	}
	for _, f := range facts.Rows {
		if texts[f.Payload] {
			t.Errorf("the question %q is in the table", f.Payload)
		}
	}
}

func TestButlerOptions(t *testing.T) {
	_, err := corpus.Butler(t.Context(), corpus.ButlerOptions{Queries: corpus.MaxButlerQueries + 1, Set: "guess"})
	for _, want := range []string{"dim 0", "queries", `query set "guess"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %s", err, want)
		}
	}
}
