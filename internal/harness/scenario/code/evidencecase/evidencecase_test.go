package evidencecase_test

import (
	"context"
	"io/fs"
	"testing"

	"sortedheap/fixtures"
	"sortedheap/internal/corpus"
	"sortedheap/internal/embed"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/pgstat"
	"sortedheap/internal/harness/scenario/code"
	"sortedheap/internal/harness/scenario/code/evidencecase"
	"sortedheap/internal/pgtest"
	"sortedheap/internal/tokens"
)

type silent struct{}

func (silent) Step(string, int)    {}
func (silent) Done(int)            {}
func (silent) Note(string, ...any) {}

// TestCase runs the case as benchgraph does, clocks and plans included.
func TestCase(t *testing.T) {
	dsn := pgtest.Start(t, pgtest.WithSettings(map[string]string{
		"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_planning": "on"})).DSN("")
	dir, err := fixtures.Questions()
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(dir, "lighthouse.json")
	if err != nil {
		t.Fatal(err)
	}
	questions, err := corpus.ParseQuestions("lighthouse", text)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := embed.NewHash(embed.CodeAware, 64)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := corpus.OpenCode(t.Context(), corpus.CodeOptions{Embedder: hash, Questions: questions})
	if err != nil {
		t.Fatal(err)
	}
	engines, err := all.New([]string{"sorted_heap"}, all.Options{DSN: dsn, M: 16, EfConstruction: 64, EfSearch: 64})
	if err != nil {
		t.Fatal(err)
	}
	clock, err := pgstat.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := clock.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	params := code.Params{Bounds: code.Bounds{AnnK: 12, TopK: 4, Budget: 600}, Passes: 1, WarmUp: 1}
	rows, warnings, err := code.Run(t.Context(), params, code.Env{Engines: engines, Corpus: tree, Progress: silent{},
		Cases: []code.Case{evidencecase.Case(hash, tokens.NewCounter())},
		Clock: func(ctx context.Context, id int64) (measure.ServerClock, error) { return clock.Clock(ctx, id) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Error != "" || rows[0].Case != evidencecase.Name {
		t.Fatalf("rows %+v, warnings %q", rows, warnings)
	}
	r := rows[0]
	if r.ServerMS == nil || r.Quality == nil || len(r.PartsMS) != 3 {
		t.Fatalf("row %+v lacks clocks, quality or stages", r)
	}
	if *r.Quality.TokensMean > 600 || *r.Quality.KeywordBudget != *r.Quality.KeywordPct || *r.Quality.KeywordPct < 0.5 {
		t.Errorf("%g tokens, coverage %g and %g within the budget", *r.Quality.TokensMean, *r.Quality.KeywordPct, *r.Quality.KeywordBudget)
	}
}
