package memory_test

import (
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/enginetest"
	"sortedheap/internal/harness/engine/memory"
)

// A twin of itself: this tests the suite and the contract, not the answers.
func TestConformance(t *testing.T) {
	enginetest.Conform(t, memory.New(), memory.New())
}

// The answers are those of the acceptance fixture of the graph functions.
func TestAcceptanceFixture(t *testing.T) {
	facts := &corpus.Facts{Name: "fixture", Dim: 4, Rows: []corpus.Fact{
		{Entity: 1, Relation: 1, Target: 2, Embedding: []float32{1, 0, 0, 0}, Payload: "a"},
		{Entity: 1, Relation: 2, Target: 3, Embedding: []float32{.9, .1, 0, 0}, Payload: "b"},
		{Entity: 2, Relation: 1, Target: 4, Embedding: []float32{0, 1, 0, 0}, Payload: "c"},
		{Entity: 3, Relation: 1, Target: 1, Embedding: []float32{0, 0, 1, 0}, Payload: "d"},
		{Entity: 3, Relation: 2, Target: 5, Embedding: []float32{0, 0, .9, .1}, Payload: "e"},
		{Entity: 4, Relation: 1, Target: 6, Embedding: []float32{0, 0, 0, 1}, Payload: "f"},
	}}
	e := memory.New()
	if _, err := e.Load(t.Context(), facts); err != nil {
		t.Fatal(err)
	}
	x, z := []float32{1, 0, 0, 0}, []float32{0, 0, 1, 0}
	given := engine.Task{Seeding: engine.SeedGiven, SeedBy: engine.SeedByEntity, Form: engine.FormIn, Output: engine.OutputRows, AnnK: 2, TopK: 2}
	for _, c := range []struct {
		name      string
		change    func(*engine.Task)
		embedding []float32
		want      string
	}{
		{"expand, filter 1", func(t *engine.Task) { t.Hops, t.Score = []int16{1}, engine.ScoreNone }, x, "ad"},
		{"expand, filter 2", func(t *engine.Task) { t.Hops, t.Score = []int16{2}, engine.ScoreNone }, x, "be"},
		{"rerank, filter 2", func(t *engine.Task) { t.Hops, t.Score = []int16{2}, engine.ScoreEndpoint }, x, "be"},
		{"two hops, endpoint", func(t *engine.Task) { t.Hops, t.Score = []int16{1, 1}, engine.ScoreEndpoint }, x, "ac"},
		{"two hops, path", func(t *engine.Task) { t.Hops, t.Score = []int16{1, 2}, engine.ScorePath }, x, "b"},
		{"seeds by target", func(t *engine.Task) {
			t.Seeding, t.SeedBy, t.Hops, t.Score = engine.SeedSearch, engine.SeedByTarget, []int16{2}, engine.ScoreEndpoint
		}, x, "e"},
		{"one call, path", func(t *engine.Task) {
			t.Seeding, t.Hops, t.Score = engine.SeedSearch, []int16{1, 2}, engine.ScorePath
		}, z, "b"},
		{"seeds alone", func(t *engine.Task) { t.Seeding, t.Score = engine.SeedSearch, engine.ScoreEndpoint }, x, "ab"},
	} {
		task := given
		c.change(&task)
		rows, err := e.Ask(t.Context(), task, engine.Question{Embedding: c.embedding, Seeds: []int32{3, 1, 3}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := ""
		for _, r := range rows {
			got += r.Payload
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
