package report_test

import (
	"strings"
	"testing"

	"sortedheap/internal/harness/report"
	"sortedheap/internal/harness/result"
)

// Rows of engines outside of the server have the client's clock alone: their
// ratios are of client medians, also against rows that have both clocks.
func TestParts(t *testing.T) {
	at := func(p50 float64) *result.Latency { return &result.Latency{P50: p50, P95: p50, P99: p50, Mean: p50} }
	row := func(engine string, client float64) result.Row {
		return result.Row{Scenario: "multihop", Engine: engine, EngineVersion: "1", Case: "seed_only", ClientMS: at(client),
			Params: map[string]any{"form": "in", "seeding": "search"}, Build: &result.Build{Rows: 5}}
	}
	inside, zvec, child := row("pgvector", 4), row("zvec", 2), row("zvec-latest", 3)
	inside.ServerMS = at(1)
	zvec.PartsMS = map[string]*result.Latency{"search": at(0.5), "sql": at(1.5)}
	zvec.Build = &result.Build{Rows: 5, Seconds: 9, StoreSeconds: 7.25, StoreBytes: 3_000_000}
	child.PartsMS = map[string]*result.Latency{"search": at(1.25), "inside": at(0.75), "sql": at(1.5)}
	var out strings.Builder
	file := &result.File{Schema: result.Schema, Rows: []result.Row{inside, zvec, child}}
	if err := report.Write(&out, []*result.File{file}, report.Markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| pgvector | seed_only | 1.000 | 1.000 | 1.000 | 4.000 | 4.000 | 4.000 | 1.00 | 2.00 |",
		"| zvec | seed_only |  |  |  | 2.000 | 2.000 | 2.000 | 0.50 | 1.00 |",
		"| zvec-latest | seed_only | 3.000 | 1.250 | 0.750 | 1.500 |",
		"| zvec | seed_only | 2.000 | 0.500 |  | 1.500 |",
		"| 7.25 | 3.0 |",
		"/zvec: client median",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}
