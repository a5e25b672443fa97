package scenario_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/memory"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
)

// environment has a small corpus whose questions are all answered by the path
// score.
func environment(t *testing.T, engines ...engine.Engine) scenario.Env {
	t.Helper()
	facts, err := corpus.Multihop(t.Context(), corpus.MultihopOptions{Chains: 40, Dim: 384, Queries: 5, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	return scenario.Env{
		Engines: engines, Oracle: memory.New(), Source: facts, Progress: quiet{},
		Params: scenario.Params{AnnK: 8, TopK: 3, Passes: 2, WarmUp: 1},
		Clock: func(_ context.Context, id int64) (measure.ServerClock, error) {
			if id != 77 {
				t.Errorf("clock of statement %d, want the plan's 77", id)
			}
			return steadyClock{}, nil
		},
	}
}

func find(t *testing.T, rows []result.Row, engineName, name string) result.Row {
	t.Helper()
	i := slices.IndexFunc(rows, func(r result.Row) bool { return r.Engine == engineName && r.Case == name })
	if i < 0 {
		t.Fatalf("no row %s of %s", name, engineName)
	}
	return rows[i]
}

func TestRun(t *testing.T) {
	plain := newFake("heap", engine.FormIn, engine.FormJoin)
	fused := newFake("sorted_heap", engine.FormIn, engine.FormFused, engine.FormOneCall)
	rows, warnings, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, plain, fused))
	if err != nil {
		t.Fatal(err)
	}
	r := find(t, rows, "sorted_heap", "seed_graph_rag_twohop_path_scan_fn")
	if r.Samples != 10 || r.Queries != 5 || r.RowsMean != 3 || r.Plan != "plan of scan_fn" || len(r.Answers) != 5 {
		t.Errorf("row %+v", r)
	}
	if r.ServerMS == nil || r.ServerMS.P50 != 2 || r.PlanningMS.P50 != 0.5 || r.Buffers.Hit != 10 {
		t.Errorf("server clock %+v, planning %+v, buffers %+v", r.ServerMS, r.PlanningMS, r.Buffers)
	}
	if q := r.Quality; q == nil || *q.HitAt1 != 1 || *q.HitAtK != 1 || *q.SeedCoverage != 1 || *q.RecallAtK != 1 || *q.AnswerRankP50 != 1 {
		t.Errorf("quality %+v, want all right", r.Quality)
	}
	if q := r.Quality; *q.AnswerRankMean != 1 || *q.AnswerRankP95 != 1 || *q.AnswerRankMax != 1 || len(r.AnswerRows) != 5 || len(r.AnswerRows[0]) != 12 {
		t.Errorf("ranks %+v, keys %v", r.Quality, r.AnswerRows)
	}
	if q := find(t, rows, "heap", "seed_only").Quality; q.SeedCoverage == nil || *q.SeedCoverage != 1 || q.HitAt1 != nil {
		t.Errorf("quality of the bare search %+v, want the right person among the seeds, and no hits", q)
	}
	if r.Params["sql"] == "" || r.Params["form"] != "scan_fn" || r.Build == nil || r.Build.Rows != 80 {
		t.Errorf("parameters %v, build %+v", r.Params, r.Build)
	}
	same := find(t, rows, "heap", "seed_expand2_rerank_rel_pathsum_in")
	if !slices.Equal(r.Answers, same.Answers) {
		t.Error("equal answers have different fingerprints")
	}
	for _, row := range rows {
		if row.Case == "expand_rel_in_given_seeds_count" && row.Quality != nil {
			t.Error("a counting case is graded")
		}
	}
	if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "10 samples, fewer than 1000") }) {
		t.Errorf("warnings %v do not mention the few samples", warnings)
	}
}

// Where the corpus names seeds, cases get as many of them as they ask for, and
// an engine with a vector type of its own must still return the same rows.
func TestSeedsOfTheCorpus(t *testing.T) {
	facts, err := corpus.Synthetic(t.Context(), corpus.SyntheticOptions{
		Entities: 200, Degree: 4, Relations: 4, Dim: 8, Queries: 6, Set: corpus.Fair, Seeds: scenario.SyntheticSeeds})
	if err != nil {
		t.Fatal(err)
	}
	ours, rival := newFake("sorted_heap", engine.FormIn, engine.FormExpand, engine.FormTopK, engine.FormFused), newFake("pgvector", engine.FormIn)
	rival.approximate = true
	env := environment(t, ours, rival)
	env.Source = facts
	rows, _, err := scenario.Run(t.Context(), scenario.Synthetic(), env)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"expand_fn_1_seed": 4, "expand_rel_fn_1_seed": 1, "expand_fn_64_seeds": 256} {
		if r := find(t, rows, "sorted_heap", name); r.RowsMean != want {
			t.Errorf("%s returns %g rows, want %g", name, r.RowsMean, want)
		}
	}
	rival.distort = func(_ engine.Task, rows []engine.Row) []engine.Row { return rows[1:] }
	var disagree *scenario.EquivalenceError
	if _, _, err := scenario.Run(t.Context(), scenario.Synthetic(), env); !errors.As(err, &disagree) || !strings.Contains(err.Error(), "pgvector against sorted_heap") {
		t.Errorf("a rival that loses rows: %v", err)
	}
}

// A helper that loses, invents, reorders or misprices a row stops the run
// before anything is timed.
func TestDisagreement(t *testing.T) {
	for name, distort := range map[string]func([]engine.Row) []engine.Row{
		"lost":     func(rows []engine.Row) []engine.Row { return rows[:len(rows)-1] },
		"invented": func(rows []engine.Row) []engine.Row { return append(slices.Clone(rows), rows[0]) },
		"order": func(rows []engine.Row) []engine.Row {
			out := slices.Clone(rows)
			out[0], out[1] = out[1], out[0]
			return out
		},
		"distance": func(rows []engine.Row) []engine.Row {
			out := slices.Clone(rows)
			out[0].Distance += 2e-6
			return out
		},
		"payload": func(rows []engine.Row) []engine.Row {
			out := slices.Clone(rows)
			out[0].Payload = "?"
			return out
		},
	} {
		liar := newFake("sorted_heap", engine.FormIn, engine.FormFused)
		liar.distort = func(task engine.Task, rows []engine.Row) []engine.Row {
			if task.Form == engine.FormFused && task.Seeding == engine.SeedGiven && task.Score == engine.ScorePath {
				return distort(rows)
			}
			return rows
		}
		_, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, liar))
		var disagree *scenario.EquivalenceError
		if !errors.As(err, &disagree) || !strings.Contains(err.Error(), "expand2_rerank_rel_twohop_path_fn_given_seeds") {
			t.Errorf("%s: error %v, want one that names the case", name, err)
		}
		if len(liar.runs) > 0 {
			t.Errorf("%s: %d tasks were timed", name, len(liar.runs))
		}
	}
}

// Two exact engines must agree with each other, too.
func TestDisagreementBetweenEngines(t *testing.T) {
	honest, liar := newFake("heap", engine.FormIn), newFake("sorted_heap", engine.FormIn)
	liar.distort = func(task engine.Task, rows []engine.Row) []engine.Row {
		if len(task.Hops) == 2 && len(rows) > 1 {
			return rows[1:]
		}
		return rows
	}
	_, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, honest, liar))
	var disagree *scenario.EquivalenceError
	if !errors.As(err, &disagree) {
		t.Errorf("error %v, want a disagreement", err)
	}
}

// Approximate seeds may differ: that is measured as recall and warned about.
func TestApproximateEngine(t *testing.T) {
	rough := newFake("pgvector", engine.FormIn, engine.FormJoin)
	rough.approximate = true
	rough.distort = func(task engine.Task, rows []engine.Row) []engine.Row {
		if task.Form == engine.FormJoin && task.Seeding == engine.SeedSearch {
			return rows[1:] // the best row is lost
		}
		return rows
	}
	rows, warnings, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, rough))
	if err != nil {
		t.Fatal(err)
	}
	r := find(t, rows, "pgvector", "seed_expand2_rerank_rel_pathsum_join_pgv")
	if *r.Quality.HitAt1 != 0 || *r.Quality.RecallAtK > 0.7 {
		t.Errorf("quality of answers without their best row: %+v", r.Quality)
	}
	if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "approximate seeds") }) {
		t.Errorf("warnings %v do not mention the difference", warnings)
	}
}

func TestMissingEngineIsARow(t *testing.T) {
	gone, there := newFake("pgvector", engine.FormIn), newFake("heap", engine.FormIn)
	gone.missing = "not installed"
	rows, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, there, gone))
	if err != nil {
		t.Fatal(err)
	}
	if r := find(t, rows, "pgvector", ""); !strings.Contains(r.Error, "not installed") {
		t.Errorf("row of the missing engine: %+v", r)
	}
	find(t, rows, "heap", "seed_only")

	rows, _, err = scenario.Run(t.Context(), scenario.Multihop(), environment(t, gone))
	if !errors.Is(err, scenario.ErrNoEngine) || len(rows) != 1 {
		t.Errorf("no engine: error %v, %d rows", err, len(rows))
	}
}

func TestCaseThatCannotRunIsARow(t *testing.T) {
	e := newFake("sorted_heap", engine.FormIn, engine.FormFused)
	e.refuse = engine.FormFused
	rows, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, e))
	if err != nil {
		t.Fatal(err)
	}
	if r := find(t, rows, "sorted_heap", "seed_expand2_rerank_rel_twohop_fn"); r.Error == "" || r.ClientMS != nil {
		t.Errorf("row of the refused case: %+v", r)
	}
}

// A spoiled answer makes its case a row that names the query, counting cases too;
// the others are measured.
func TestFaultIsARow(t *testing.T) {
	e := newFake("zvec", engine.FormIn, engine.FormJoin)
	e.spoil = func(t engine.Task) bool { return t.Score == engine.ScoreNone }
	rows, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, e))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"expand_rel_in_given_seeds_zvec", "expand_rel_in_given_seeds_count_zvec"} {
		if r := find(t, rows, "zvec", name); !strings.Contains(r.Error, "query 0") || !strings.Contains(r.Error, "ids are empty") || r.ClientMS != nil {
			t.Errorf("row of the spoiled case %s: %+v", name, r)
		}
	}
	if r := find(t, rows, "zvec", "seed_only_zvec"); r.Error != "" || r.Samples == 0 {
		t.Errorf("row of a sound case: %+v", r)
	}
	e.spoil = func(engine.Task) bool { return true }
	if _, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, e)); err == nil {
		t.Error("a run of which no case is left succeeds")
	}
}

// Work outside of the server has no server clock, and the client's has parts.
func TestOutsideHasClientClockAlone(t *testing.T) {
	e := newFake("zvec", engine.FormIn)
	e.outside = true
	rows, _, err := scenario.Run(t.Context(), scenario.Multihop(), environment(t, e))
	if err != nil {
		t.Fatal(err)
	}
	r := find(t, rows, "zvec", "seed_only_zvec")
	if r.ServerMS != nil || r.Buffers != nil || r.ClientMS == nil || r.PartsMS["search"].P50 != 3 || r.PartsMS["sql"].P50 != 4 {
		t.Errorf("row %+v, parts %+v", r, r.PartsMS)
	}
}

func TestPlanFlipIsSeen(t *testing.T) {
	e := newFake("heap", engine.FormIn)
	e.plan = func(_ engine.Task, asked int) string {
		if asked == 1 {
			return "index"
		}
		return "table scan"
	}
	env := environment(t, e)
	env.Params.Cases = regexp.MustCompile(`^seed_only$`)
	rows, warnings, err := scenario.Run(t.Context(), scenario.Multihop(), env)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Plan != "table scan" {
		t.Errorf("rows %+v, want the filtered case with its last plan", rows)
	}
	if !strings.Contains(strings.Join(warnings, "\n"), `from "index" to "table scan"`) {
		t.Errorf("warnings %v do not tell of the flip", warnings)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := scenario.Run(ctx, scenario.Multihop(), environment(t, newFake("heap", engine.FormIn))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want a cancellation", err)
	}
}

func TestBadParameters(t *testing.T) {
	env := environment(t, newFake("heap", engine.FormIn))
	env.Params = scenario.Params{Passes: 1, WarmUp: -1}
	_, _, err := scenario.Run(t.Context(), scenario.Multihop(), env)
	for _, want := range []string{"ann_k", "top_k", "warm-up"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %s", err, want)
		}
	}
}
