// Package enginetest is the conformance suite: whatever an engine claims in
// its Capabilities must return what the exact twin returns.
//
// Distances are compared to within the precision of single floats. Where two
// rows lie closer together than that, either order is right.
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
)

// margin is how far two engines' distances for one row may lie apart.
const margin = 2e-6

// Conform loads a small corpus into an engine and its oracle and compares them
// on every task that the engine does not refuse. Approximate seeds are not
// compared: they have no one right answer.
func Conform(t *testing.T, e, oracle engine.Engine) {
	t.Helper()
	ctx := t.Context()
	facts, err := corpus.Multihop(ctx, corpus.MultihopOptions{Chains: 120, Dim: 24, Queries: 6, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	open(t, e)
	open(t, oracle)
	for _, loading := range []engine.Engine{e, oracle} {
		// Twice: a second load must replace the first.
		for range 2 {
			build, err := loading.Load(ctx, facts)
			if err != nil {
				t.Fatal(err)
			}
			if build.Rows != int64(facts.RowCount()) {
				t.Errorf("engine %s stored %d rows, want %d", loading.Name(), build.Rows, facts.RowCount())
			}
		}
	}
	asked := 0
	for _, task := range tasks() {
		if e.Capabilities().Refuses(task) != "" {
			continue
		}
		if task.Seeding == engine.SeedSearch && e.Capabilities().ApproximateSeeds {
			continue
		}
		t.Run(task.String(), func(t *testing.T) {
			asked++
			for q, query := range facts.Queries {
				question := engine.Question{Embedding: query.Embedding, Seeds: []int32{query.Answer - 240, 3, 3, 5, 130, 999_999},
					Relations: []int16{query.Hop1, query.Hop2}}
				compare(t, e, oracle, task, question, q)
			}
		})
	}
	if asked == 0 {
		t.Error("the engine refuses every task")
	}
	refuses(t, e, facts.Queries[0].Embedding)
	cancels(t, e, facts.Queries[0].Embedding)
}

func open(t *testing.T, e engine.Engine) {
	t.Helper()
	err := e.Open(t.Context())
	var missing *engine.UnavailableError
	if errors.As(err, &missing) {
		t.Skip(missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 2 {
			if err := e.Close(context.Background()); err != nil {
				t.Errorf("close engine %s: %v", e.Name(), err)
			}
		}
	})
}

// tasks is every sensible combination.
func tasks() []engine.Task {
	var all []engine.Task
	for _, seeding := range []engine.Seeding{engine.SeedSearch, engine.SeedExact, engine.SeedGiven} {
		for _, by := range []engine.SeedBy{engine.SeedByEntity, engine.SeedByTarget} {
			for _, hops := range [][]int16{nil, {1}, {engine.AnyRelation}, {1, 2}, {engine.AnyRelation, 2},
				{engine.QueryRelation}, {engine.QueryRelation, engine.QueryRelation}} {
				for _, score := range []engine.Score{engine.ScoreNone, engine.ScoreEndpoint, engine.ScorePath} {
					for _, form := range []engine.Form{engine.FormIn, engine.FormJoin, engine.FormExpand,
						engine.FormTopK, engine.FormFused, engine.FormOneCall} {
						task := engine.Task{Seeding: seeding, SeedBy: by, Hops: hops, Score: score, Form: form,
							Output: engine.OutputRows, AnnK: 9, TopK: 4}
						if task.Validate() != nil || !servable(task) {
							continue
						}
						all = append(all, task)
						if seeding == engine.SeedGiven {
							task.Given = 2
							all = append(all, task)
						}
					}
				}
			}
		}
	}
	return all
}

// servable leaves out what no function of the extension offers.
func servable(t engine.Task) bool {
	switch t.Form {
	case engine.FormFused:
		return len(t.Hops) == 2
	case engine.FormOneCall:
		return t.Seeding == engine.SeedSearch && (len(t.Hops) == 1) == (t.SeedBy == engine.SeedByTarget)
	}
	return true
}

func compare(t *testing.T, e, oracle engine.Engine, task engine.Task, question engine.Question, q int) {
	t.Helper()
	got, err := e.Ask(t.Context(), task, question)
	if err != nil {
		t.Fatalf("query %d: %v", q, err)
	}
	want, err := oracle.Ask(t.Context(), task, question)
	if err != nil {
		t.Fatalf("query %d: oracle: %v", q, err)
	}
	if task.Score == engine.ScoreNone {
		slices.SortFunc(got, byKey)
		slices.SortFunc(want, byKey)
	}
	if fault := difference(got, want); fault != "" {
		t.Errorf("query %d: %s", q, fault)
	}
}

// difference lets rows whose distances cannot be told apart change places.
func difference(got, want []engine.Row) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if math.Abs(got[i].Distance-want[i].Distance) > margin {
			return fmt.Sprintf("row %d has distance %.7f, want %.7f", i, got[i].Distance, want[i].Distance)
		}
		if byKey(got[i], want[i]) == 0 {
			if got[i].Payload != want[i].Payload {
				return fmt.Sprintf("row %d has payload %q, want %q", i, got[i].Payload, want[i].Payload)
			}
			continue
		}
		twin := slices.IndexFunc(want, func(w engine.Row) bool { return byKey(w, got[i]) == 0 })
		if twin < 0 && i < len(want)-1 || twin >= 0 && math.Abs(want[twin].Distance-want[i].Distance) > margin {
			return fmt.Sprintf("row %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	return ""
}

func byKey(a, b engine.Row) int {
	return slices.Compare([]int32{a.Entity, int32(a.Relation), a.Target}, []int32{b.Entity, int32(b.Relation), b.Target})
}

// refuses proves that a task outside the capabilities, or without meaning, is
// an error and not an answer.
func refuses(t *testing.T, e engine.Engine, embedding []float32) {
	t.Helper()
	valid := engine.Task{Seeding: engine.SeedSearch, SeedBy: engine.SeedByEntity, Hops: []int16{1}, Score: engine.ScoreEndpoint,
		Form: engine.FormIn, Output: engine.OutputRows, AnnK: 5, TopK: 5}
	for name, change := range map[string]func(*engine.Task){
		"no seeds":      func(t *engine.Task) { t.AnnK = 0 },
		"no rows":       func(t *engine.Task) { t.TopK = 0 },
		"unknown form":  func(t *engine.Task) { t.Form = "sideways" },
		"composed path": func(t *engine.Task) { t.Form, t.Score = engine.FormTopK, engine.ScorePath },
	} {
		task := valid
		change(&task)
		if e.Capabilities().Refuses(task) == "" && task.Validate() == nil {
			t.Errorf("%s: neither refused nor invalid", name)
		}
		if rows, err := e.Ask(t.Context(), task, engine.Question{Embedding: embedding}); err == nil {
			t.Errorf("%s: %d rows and no error", name, len(rows))
		}
	}
	if _, err := e.Ask(t.Context(), served(e), engine.Question{Embedding: embedding[:3], Seeds: []int32{3, 5}}); err == nil {
		t.Error("an embedding of the wrong dimension is answered")
	}
}

// cancels comes last: an engine need not survive it.
func cancels(t *testing.T, e engine.Engine, embedding []float32) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Ask(ctx, served(e), engine.Question{Embedding: embedding, Seeds: []int32{3, 5}}); !errors.Is(err, context.Canceled) {
		t.Errorf("ask with a cancelled context: %v", err)
	}
}

// served is a task that the engine answers: every one takes given or exact seeds.
func served(e engine.Engine) engine.Task {
	task := engine.Task{Seeding: engine.SeedGiven, SeedBy: engine.SeedByEntity, Hops: []int16{1}, Score: engine.ScoreEndpoint,
		Form: engine.FormIn, Output: engine.OutputRows, AnnK: 5, TopK: 5}
	if e.Capabilities().Refuses(task) != "" {
		task.Seeding = engine.SeedExact
	}
	return task
}
