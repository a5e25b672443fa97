package evidencecase_test

import (
	"testing"

	"sortedheap/internal/harness/scenario/code"
	"sortedheap/internal/harness/scenario/code/codetest"
	"sortedheap/internal/harness/scenario/code/evidencecase"
	"sortedheap/internal/tokens"
)

// TestCase runs the case as benchgraph does, clocks and plans included.
func TestCase(t *testing.T) {
	env := codetest.Environment(t, codetest.Server(t), "sorted_heap")
	env.Cases = []code.Case{evidencecase.Case(codetest.Embedder(t), tokens.NewCounter())}
	params := code.Params{Bounds: code.Bounds{AnnK: 12, TopK: 4, Budget: 600}, Passes: 1, WarmUp: 1}
	rows, warnings, err := code.Run(t.Context(), params, env)
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
