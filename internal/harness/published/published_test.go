package published_test

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sortedheap/fixtures"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/published"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/scenario/code"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func note(t *testing.T) *published.Note {
	t.Helper()
	n, err := published.Parse(fixtures.GraphRAGNote())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Every published figure has a case that its setting really runs.
func TestFiguresHaveCases(t *testing.T) {
	n := note(t)
	for _, table := range n.Tables {
		for _, figure := range table.Cases {
			setting := cmp.Or(figure.Setting, table.Setting)
			i := slices.IndexFunc(n.Settings, func(s published.Setting) bool { return s.Name == setting })
			if !cases(t, n.Settings[i])[figure.Engine+" "+figure.Case] {
				t.Errorf("table %s: setting %s does not run case %s of %s", table.Title, setting, figure.Case, figure.Engine)
			}
		}
	}
	for _, s := range n.Settings {
		if len(cases(t, s)) == 0 {
			t.Errorf("setting %s runs no case", s.Name)
		}
	}
}

// cases names what a setting runs, as "engine case".
func cases(t *testing.T, s published.Setting) map[string]bool {
	t.Helper()
	scenarios := map[string]scenario.Scenario{"multihop": scenario.Multihop(), "gutenberg": scenario.Gutenberg(), "butler": scenario.Butler(), "synthetic": scenario.Synthetic()}
	if s.Flags["searches"] == "true" {
		scenarios["synthetic"] = scenario.SyntheticSearch()
	}
	if s.Scenario == code.Name {
		return codeCases(s)
	}
	engines, err := all.New(strings.Split(s.Flags["engines"], ","), all.Options{})
	if err != nil {
		t.Fatalf("setting %s: %v", s.Name, err)
	}
	filter := regexp.MustCompile(s.Flags["cases"])
	out := map[string]bool{}
	for _, e := range engines {
		for _, task := range scenarios[s.Scenario].Tasks(8, 4) {
			// The command line lets sorted_heap search, as the options here do.
			if name := scenarios[s.Scenario].CaseName(e.Name(), task); e.Capabilities().Refuses(task) == "" && filter.MatchString(name) {
				out[e.Name()+" "+name] = true
			}
		}
	}
	return out
}

// codeCases names what a setting of scenario code runs.
func codeCases(s published.Setting) map[string]bool {
	filter := regexp.MustCompile(s.Flags["cases"])
	out := map[string]bool{}
	for _, engineName := range strings.Split(s.Flags["engines"], ",") {
		for _, c := range code.Cases() {
			if filter.MatchString(c.Name) && c.RunsOnAny([]string{engineName}) {
				out[engineName+" "+c.Name] = true
			}
		}
	}
	return out
}

func latency(p50 float64) *result.Latency { return &result.Latency{P50: p50} }

func of(v float64) *float64 { return &v }

// files are results of three settings and two builds, with a failed case and an
// engine that is not there.
func files() published.Results {
	env := result.Env{Time: "2026-01-02T03:04:05Z", Commit: "abcdef0123456789", CPU: "Test CPU", Cores: 2, Arch: "amd64", Postgres: "15.1", Load1: 0.5}
	good := func(engine, name string, server, client, hit float64, keys ...string) result.Row {
		r := result.Row{Scenario: "multihop", Engine: engine, EngineVersion: engine + " 1", Case: name, ClientMS: latency(client), AnswerRows: keys,
			Quality: &result.Quality{HitAt1: of(hit), HitAtK: of(1), SeedCoverage: of(1), AnswerRankP50: of(1), AnswerRankP95: of(2), AnswerRankMax: of(3), RecallAtK: of(0.999)}, Plan: "Plan"}
		if server > 0 {
			r.ServerMS = latency(server)
		}
		return r
	}
	file := func(params map[string]any, rows ...result.Row) *result.File {
		return &result.File{Env: env, Params: params, Rows: rows}
	}
	multihop := map[string]any{"chains": 5000, "rows": 10000, "queries": 64, "query_set": "original"}
	gutenberg := map[string]any{"books": 64, "paragraphs": 8192, "directory": "books", "rows": 16320, "queries": 2, "query_set": "original"}
	return published.Results{
		"multihop-5k-m24-ef128": {file(multihop,
			good("sorted_heap", "seed_graph_rag_twohop_path_scan_fn", 0.2, 0.3, 1),
			good("sorted_heap", "seed_expand2_rerank_rel_twohop_path_fn", 0.3, 0.4, 1),
			good("pgvector", "seed_expand2_rerank_rel_pathsum_in_pgv", 2, 2.2, 0.875),
			good("zvec", "seed_expand2_rerank_rel_pathsum_in_zvec", 0, 1.1, 1),
			result.Row{Engine: "qdrant", Error: "engine qdrant cannot run: no server"})},
		"builds-5k": {
			file(multihop, good("sorted_heap", "seed_graph_rag_twohop_path_scan_fn", 0.2, 0.3, 1)),
			file(multihop, good("sorted_heap", "seed_graph_rag_twohop_path_scan_fn", 0.2, 0.3, 0.984375))},
		"fair-multihop-5k":               {file(map[string]any{"chains": 5000, "rows": 10000, "queries": 1000, "query_set": "fair"}, good("sorted_heap", "seed_graph_rag_twohop_path_scan_fn", 0.2, 0.3, 1))},
		"gutenberg-64x128-384d":          {file(gutenberg, good("sorted_heap", "seed_graph_rag_rel_scan_fn", 1, 1, 1, "AAAABBBB", "AAAABBBB"))},
		"gutenberg-64x128-384d-ann_k-24": {file(gutenberg, good("sorted_heap", "seed_graph_rag_rel_scan_fn", 1, 1, 1, "AAAABBBB", "AAAACCCC"))},
		"ninja-generic-top12": {file(map[string]any{"files": 103, "chunks": 1364, "edges": 281, "rows": 1748, "queries": 5, "questions": "note-ninja"},
			result.Row{Engine: "sorted_heap", Case: "prompt_summary_snippet_py", ServerMS: latency(0.8), ClientMS: latency(1), RowsMean: 7.6,
				Quality: &result.Quality{KeywordPct: of(1), FullPct: of(1), KeywordBudget: of(0.5), FullBudget: of(0.2), TokensMean: of(14307)}})},
		"zvec-64x128-as-built": {file(gutenberg, result.Row{Engine: "zvec", EngineVersion: "zvec 0.5.0, in process", Case: "seed_only_zvec", Error: "query 3: ids are empty"})},
	}
}

func TestWrite(t *testing.T) {
	var out strings.Builder
	if err := published.Write(&out, note(t), files()); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "note.md")
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the page differs from %s; got\n%s", golden, out.String())
	}
	for _, line := range []string{
		"| sorted_heap | seed_graph_rag_twohop_path_scan_fn | 1.018 | 0.72 | 0.200 | 0.300 | 0.10 | 98.4/98.4 | 100.0/100.0 | 99.9 |",
		"| zvec | seed_expand2_rerank_rel_pathsum_in_zvec | 1.720 | 1.21 |  | 1.100 | 0.50 c | 100.0/100.0 | 100.0/100.0 | 99.9 |",
		"| qdrant | seed_expand2_rerank_rel_pathsum_in_qdrant | 3.435 | 2.42 | not available, see below |",
		"| builds-5k | sorted_heap | seed_graph_rag_twohop_path_scan_fn | 2 | 98.4..100.0 | 100.0 | 99.9 |  |  |",
		"| sorted_heap | prompt_summary_snippet_py | 0.914 |  | 0.800 | 1.000 |  | 100.0/100.0 | 100.0/100.0 | 50.0/20.0 | 14307 | 7.80 | 7.60 |",
		"- Engine qdrant: engine qdrant cannot run: no server",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the page lacks %q", line)
		}
	}
	if !strings.Contains(out.String(), "In the note 62 of 64 questions got other rows; here 1 of 2 do, 1 with the rows in another order included, and 75.0 %") {
		t.Error("the page does not tell how answers change")
	}
	if err := published.Write(&out, note(t), published.Results{}); err == nil {
		t.Error("a page without files is written")
	}
}

func TestParseIsStrict(t *testing.T) {
	good := `{"settings":[{"name":"a","kind":"note","builds":1}],"tables":[{"title":"t","setting":"a","reference":"x","cases":[{"case":"x"}]}]}`
	for name, c := range map[string][2]string{
		"unknown field":   {`"kind"`, `"sort"`},
		"no builds":       {`"builds":1`, `"builds":0`},
		"unknown kind":    {`"note"`, `"other"`},
		"unknown setting": {`"setting":"a"`, `"setting":"b"`},
		"no reference":    {`"reference":"x"`, `"reference":"y"`},
	} {
		if _, err := published.Parse([]byte(strings.Replace(good, c[0], c[1], 1))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := published.Parse([]byte(good)); err != nil {
		t.Error(err)
	}
}
