package scenario_test

import (
	"errors"
	"strings"
	"testing"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/scenario"
)

// Cases that rank by a graph function get stages and a floor, from calls that take
// turns with those of all other cases.
func TestProfile(t *testing.T) {
	plain := newFake("heap", engine.FormIn)
	graph := newFake("sorted_heap", engine.FormIn, engine.FormFused, engine.FormOneCall)
	plainRuns := func() (all int) {
		for _, n := range plain.runs {
			all += n
		}
		return all
	}
	cases := 0
	seen := map[string]int{} // calls of the plain engine before the last profile of a task
	graph.profile = func(task engine.Task) (engine.Profile, error) {
		if last, again := seen[task.String()]; again && plainRuns()-last != cases {
			t.Errorf("%s: %d calls of the other engine since its last profile, want %d", task, plainRuns()-last, cases)
		}
		seen[task.String()] = plainRuns()
		return engine.Profile{Stages: []engine.Stage{{Name: "walk", MS: 2}, {Name: "rank", MS: 3}}, Codes: 10, Sketches: 100}, nil
	}
	plain.plan = func(_ engine.Task, asked int) string { // each case is asked for its plan
		if asked == 1 {
			cases++
		}
		return "scan"
	}
	rows, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, plain, graph))
	if err != nil {
		t.Fatal(err)
	}
	if cases == 0 || len(seen) == 0 {
		t.Fatalf("%d cases of the other engine, %d profiled tasks", cases, len(seen))
	}
	r := find(t, rows, "sorted_heap", "seed_graph_rag_twohop_path_scan_fn")
	if len(r.PartsMS) != 3 || r.PartsMS["walk"].P50 != 2 || r.PartsMS["rank"].P50 != 3 || r.PartsMS["floor"].P50 <= 0 || r.Samples != 10 {
		t.Errorf("parts %+v of %d samples", r.PartsMS, r.Samples)
	}
	for _, row := range rows {
		if ranked := row.Params["form"] == "scan_fn" || row.Params["form"] == "fused_fn"; ranked != (row.PartsMS != nil) {
			t.Errorf("%s of %s has parts %+v", row.Case, row.Engine, row.PartsMS)
		}
	}
}

// A floor knows sketches from codes.
func TestFloorOfSketches(t *testing.T) {
	floors := map[bool]float64{}
	for _, sketched := range []bool{false, true} {
		e := newFake("sorted_heap", engine.FormIn, engine.FormOneCall)
		e.profile = func(engine.Task) (engine.Profile, error) {
			if sketched {
				return engine.Profile{Codes: 1000, Sketches: 1000}, nil
			}
			return engine.Profile{Codes: 1000}, nil
		}
		rows, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, e))
		if err != nil {
			t.Fatal(err)
		}
		floors[sketched] = find(t, rows, "sorted_heap", "seed_graph_rag_twohop_path_scan_fn").PartsMS["floor"].P50
	}
	if floors[true] <= floors[false] {
		t.Errorf("floor %g ms of codes, %g ms with as many sketches", floors[false], floors[true])
	}
}

// What the server cannot tell for an error is not left out in silence.
func TestProfileFails(t *testing.T) {
	broken := errors.New("statistics are gone")
	e := newFake("sorted_heap", engine.FormIn, engine.FormOneCall)
	e.profile = func(engine.Task) (engine.Profile, error) { return engine.Profile{}, broken }
	_, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, e))
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "twohop_scan_fn") {
		t.Errorf("error %v, want one that names the case", err)
	}
}
