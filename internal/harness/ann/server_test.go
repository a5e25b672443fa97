package ann_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/ann"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/pgstat"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/vectorstore"
	"sortedheap/internal/pgtest"
)

type quiet struct{}

func (quiet) Step(string, int)    {}
func (quiet) Done(int)            {}
func (quiet) Note(string, ...any) {}

// clustered are the vectors of these tests.
func clustered() corpus.ClusteredOptions {
	return corpus.ClusteredOptions{Rows: 2000, Dim: 32, Clusters: 20, Queries: 20, Seed: 42}
}

// run measures vectors on a server of its own; it skips where pgvector is not
// installed.
func run(t *testing.T, o corpus.ClusteredOptions, change func(*ann.Params)) ([]result.Row, []string, error) {
	t.Helper()
	return runWith(t, o, nil, change)
}

// runWith does so beside stores outside of the server.
func runWith(t *testing.T, o corpus.ClusteredOptions, stores []vectorstore.Store, change func(*ann.Params)) ([]result.Row, []string, error) {
	t.Helper()
	server := pgtest.Start(t, pgtest.WithSettings(map[string]string{
		"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_planning": "on"}))
	conn := pgtest.Connect(t, server, "postgres")
	if !pgtest.One[bool](t, conn, "SELECT count(*) > 0 FROM pg_available_extensions WHERE name = 'vector'") {
		t.Skip("pgvector is not installed on the server")
	}
	vectors, err := corpus.Clustered(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := pgstat.Open(t.Context(), server.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := clock.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	p := ann.Default()
	p.EfConstruction, p.EfSearch, p.Passes, p.WarmUp, p.ClientSeconds, p.ClientRounds = 64, []int{4, 40}, 1, 1, 1e-9, 2
	change(&p)
	return ann.Run(t.Context(), p, ann.Env{DSN: server.DSN(""), Vectors: vectors, Progress: quiet{}, Stores: stores,
		Clock: func(ctx context.Context, id int64) (measure.ServerClock, error) { return clock.Clock(ctx, id) }})
}

func find(t *testing.T, rows []result.Row, engine, name string) result.Row {
	t.Helper()
	i := slices.IndexFunc(rows, func(r result.Row) bool { return r.Engine == engine && r.Case == name })
	if i < 0 {
		t.Fatalf("no row %s of %s", name, engine)
	}
	return rows[i]
}

// A whole run of pgvector: every case has rows whose recall is plausible, by the
// index, with all figures that the report shows.
func TestRun(t *testing.T) {
	rows, _, err := run(t, clustered(), func(p *ann.Params) { p.Engines = []string{"pgvector", "exact"} })
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Error != "" || r.ClientMS == nil || r.Quality == nil || r.RowsMean <= 0 {
			t.Errorf("%s of %s: %+v", r.Case, r.Engine, r)
		}
	}
	narrow, wide := find(t, rows, "pgvector", "curve_drawn_ef4"), find(t, rows, "pgvector", "curve_drawn_ef40")
	// A walk that keeps 4 candidates returns no more.
	if narrow.RowsMean > 4 || *narrow.Quality.RecallAtK > 0.401 || *narrow.Quality.FullCounts != 0 {
		t.Errorf("ef 4: %g rows, recall %g, full counts %g", narrow.RowsMean, *narrow.Quality.RecallAtK, *narrow.Quality.FullCounts)
	}
	if wide.RowsMean != 10 || *wide.Quality.RecallAtK < 0.95 || *wide.Quality.FullCounts != 1 || !strings.Contains(wide.Plan, "ann_pgvector_ann") {
		t.Errorf("ef 40: %g rows, recall %g, plan %s", wide.RowsMean, *wide.Quality.RecallAtK, wide.Plan)
	}
	if b := wide.Build; b == nil || b.Seconds <= 0 || b.IndexBytes < 2000*32*4 || b.WALBytes < b.IndexBytes || wide.ServerMS == nil {
		t.Errorf("build %+v, server clock %+v", wide.Build, wide.ServerMS)
	}
	matched := find(t, rows, "pgvector", "matched_drawn_recall_0.95_interpolated")
	if ef, ok := matched.Params["ef_search"].(float64); !ok || ef <= 4 || ef > 40 || matched.ServerMS.P50 > max(narrow.ServerMS.P50, wide.ServerMS.P50) {
		t.Errorf("recall 0.95 at ef %g, %+v", ef, matched.ServerMS)
	}
	if exact := find(t, rows, "exact", "curve_drawn_exact"); *exact.Quality.RecallAtK != 1 || strings.Contains(exact.Plan, "_ann") {
		t.Errorf("exact search has recall %g, plan %s", *exact.Quality.RecallAtK, exact.Plan)
	}
	if clients := find(t, rows, "pgvector", "clients_2_drawn"); clients.Load.Clients != 2 || clients.Load.QueriesPerSecond <= 0 || clients.Samples < 4 {
		t.Errorf("clients %+v", clients.Load)
	}
	for selectivity, wanted := range map[string]float64{"50": 10, "1": 10, "0.1": 2} {
		r := find(t, rows, "pgvector", "filter_"+selectivity+"%_strict_order")
		if r.RowsMean != wanted || *r.Quality.FullCounts != 1 || *r.Quality.RecallAtK < 0.95 || r.Params["wanted_rows"] != wanted {
			t.Errorf("filter of %s %%: %g rows, recall %g", selectivity, r.RowsMean, *r.Quality.RecallAtK)
		}
	}
	churn := find(t, rows, "pgvector", "churn_drawn_ef40")
	if fresh, ok := churn.Params["fresh_recall"].(float64); !ok || fresh != *wide.Quality.RecallAtK || *churn.Quality.RecallAtK < 0.9 || churn.Build.IndexBytes < wide.Build.IndexBytes {
		t.Errorf("fresh recall %g, after churn %g, index %d bytes", fresh, *churn.Quality.RecallAtK, churn.Build.IndexBytes)
	}
}

// Our engine either answers by its index or says what the server lacks; the
// other engine is measured in any case.
func TestOurs(t *testing.T) {
	rows, _, err := run(t, clustered(), func(p *ann.Params) {
		p.EfSearch, p.Selectivities, p.Cases = []int{40}, []float64{10}, regexp.MustCompile("curve|filter")
	})
	if err != nil {
		t.Fatal(err)
	}
	find(t, rows, "pgvector", "curve_drawn_ef40")
	if i := slices.IndexFunc(rows, func(r result.Row) bool { return r.Engine == "sorted_heap" && r.Case == "" }); i >= 0 {
		if !strings.Contains(rows[i].Error, `no index access method "sorted_hnsw"`) {
			t.Errorf("row %+v", rows[i])
		}
		return
	}
	ours := find(t, rows, "sorted_heap", "curve_drawn_ef40")
	if *ours.Quality.RecallAtK < 0.95 || !strings.Contains(ours.Plan, "ann_sorted_heap_ann") {
		t.Errorf("recall %g, plan %s", *ours.Quality.RecallAtK, ours.Plan)
	}
	if slices.ContainsFunc(rows, func(r result.Row) bool { return r.Case == "filter_build" && r.Error != "" }) {
		return // the access method does not take the filter's column
	}
	if r := find(t, rows, "sorted_heap", "filter_10%_strict"); r.Error != "" || (*r.Quality.FullCounts != 1 || *r.Quality.RecallAtK < 0.95) {
		t.Errorf("filter: recall %g, full counts %g", *r.Quality.RecallAtK, *r.Quality.FullCounts)
	}
}

// Halves and another metric; a curve that stays below the recalls to compare at
// has a warning instead of a row.
func TestHalves(t *testing.T) {
	rows, warnings, err := run(t, clustered(), func(p *ann.Params) {
		p.Engines, p.Element, p.Metric, p.EfSearch, p.Cases = []string{"pgvector"}, "half", "l2", []int{2}, regexp.MustCompile("curve")
	})
	if err != nil {
		t.Fatal(err)
	}
	half := find(t, rows, "pgvector", "curve_drawn_ef2")
	if len(rows) != 1 || half.Error != "" || !strings.Contains(fmt.Sprint(half.Params["sql"]), "<->") || *half.Quality.RecallAtK < 0.1 {
		t.Errorf("%d rows, %+v", len(rows), half)
	}
	if !strings.Contains(strings.Join(warnings, "\n"), "pgvector does not reach recall 0.99 on drawn queries") {
		t.Errorf("warnings %v", warnings)
	}
}

// An engine that the server refuses to build has a row with the reason.
func TestRefusedBuild(t *testing.T) {
	o := clustered()
	o.Rows, o.Dim = 50, 2001 // one more than pgvector indexes
	rows, _, err := run(t, o, func(p *ann.Params) { p.Engines = []string{"pgvector"} })
	if !errors.Is(err, scenario.ErrNoEngine) {
		t.Errorf("error %v, want %v", err, scenario.ErrNoEngine)
	}
	if len(rows) != 1 || rows[0].Case != "build" || !strings.Contains(rows[0].Error, "2000 dimensions") {
		t.Errorf("rows %+v", rows)
	}
}
