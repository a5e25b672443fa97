package report

import (
	"strings"
	"testing"

	"sortedheap/internal/harness/result"
)

// Stages inside the server stand in a table of their own, with what executor and
// protocol add to them, and not among the parts of engines of several systems.
func TestSplit(t *testing.T) {
	at := func(p50 float64) *result.Latency { return &result.Latency{P50: p50} }
	row := result.Row{Engine: "sortedheap", Case: "path_scan_fn", ClientMS: at(0.4), ServerMS: at(0.25),
		PartsMS: map[string]*result.Latency{"open": at(0.01), "walk": at(0.1), "seed rows": at(0.03), "hops": at(0.04),
			"rank": at(0.05), "payload": at(0.01), "floor": at(0.06)}}
	var out strings.Builder
	writeSplit(&out, []result.Row{row, {Engine: "heap", ClientMS: at(1)}}, Text)
	for _, want := range []string{"400.0", "100.0", "30.0", "10.0", "150.0", "60.0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "heap ") && !strings.Contains(out.String(), "sortedheap") {
		t.Errorf("a row without stages in\n%s", out.String())
	}
	out.Reset()
	if writeParts(&out, []result.Row{row}, Text); out.Len() > 0 {
		t.Errorf("stages among parts:\n%s", out.String())
	}
}
