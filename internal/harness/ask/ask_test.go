package ask

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
	"sortedheap/internal/ui"
)

func TestGrade(t *testing.T) {
	truth := []Truth{{File: "a.go", Line: 10}, {Name: "pkg.Conn.Query"}, {Name: "Fee", File: "b.php"}}
	for _, c := range []struct {
		name         string
		rows         []Row
		recall, lead float64
		first, all   bool
	}{
		{"by site, by name, by name in a file", []Row{{File: "a.go", Line: 3, EndLine: 20, Sites: []int{7, 10}}, {Name: "v5/pkg.(*Conn).Query"},
			{Name: `App\Fee`, File: "b.php"}}, 1, 1, true, true},
		{"another line of the same function", []Row{{File: "a.go", Line: 3, EndLine: 20, Sites: []int{7}}}, 0, 0, false, false},
		{"the function around, without sites", []Row{{File: "a.go", Line: 3, EndLine: 20}}, 1. / 3, 1, true, false},
		{"the type around", []Row{{File: "a.go", Line: 1, EndLine: 90, Sites: []int{4}, Enclosing: true}}, 1. / 3, 1, true, false},
		{"one in the way", []Row{{Name: "x"}, {Name: "Conn.Query"}}, 1. / 3, 0.5, false, false},
		{"some behind do not count", []Row{{Name: "Conn.Query"}, {Name: "x"}, {Name: "y"}}, 1. / 3, 1, true, false},
		{"the right name in the wrong file", []Row{{Name: "Fee", File: "c.php"}}, 0, 0, false, false},
		{"the type that owns a member, in a file beside", []Row{{Name: "m/pkg.Conn", File: "conn.go", Enclosing: true}}, 1. / 3, 1, true, false},
		{"a type of another name", []Row{{Name: "pkg.SubConn", File: "conn.go", Enclosing: true}}, 0, 0, false, false},
		{"part of a name", []Row{{Name: "SubConn.Query"}}, 0, 0, false, false},
		{"nothing", nil, 0, 0, false, false},
	} {
		g := grade(c.rows, truth)
		if math.Abs(g.Recall-c.recall) > 1e-9 || math.Abs(g.Lead-c.lead) > 1e-9 || g.First != c.first || g.All != c.all {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}

func TestRun(t *testing.T) {
	questions := []Question{
		{ID: "one", Question: "who calls a", Relation: "calls", Truth: []Truth{{Name: "x"}}},
		{ID: "two", Question: "what uses b", Relation: "uses", Truth: []Truth{{Name: "y"}, {Name: "z"}}},
	}
	good := Contestant{Name: "good", Plan: "memory", Answer: func(_ context.Context, q string) (Reply, error) {
		if q == "who calls a" {
			return Reply{Rows: []Row{{Name: "x"}}, Text: "123456", Nodes: 4}, nil
		}
		return Reply{Rows: []Row{{Name: "y"}, {Name: "z"}}, Text: "123", Nodes: 2}, nil
	}}
	poor := Contestant{Name: "poor", Plan: "memory", Answer: func(context.Context, string) (Reply, error) {
		return Reply{Rows: []Row{{Name: "w"}, {Name: "y"}}}, nil
	}}
	rows, verdicts, _, err := Run(t.Context(), "tree", questions, []Contestant{good, poor}, Params{Passes: 5, WarmUp: 1}, ui.New(new(strings.Builder)))
	if err != nil {
		t.Fatal(err)
	}
	if len(verdicts) != 4 || verdicts[0].Tokens != 2 || !verdicts[1].Grade.All || verdicts[2].Grade.Recall != 0 {
		t.Errorf("verdicts %+v", verdicts)
	}
	got := map[string]result.Row{}
	for _, r := range rows {
		got[r.Engine+" "+r.Case] = r
	}
	if len(got) != 6 {
		t.Fatalf("%d rows", len(got))
	}
	all := got["good all"]
	if *all.Quality.RecallAtK != 1 || *all.Quality.LeadPrecision != 1 || all.Samples != 10 || all.Queries != 2 || *all.Quality.TokensMean != 1.5 {
		t.Errorf("good: %+v, quality %+v", all, all.Quality)
	}
	if r := got["good calls"]; r.Samples != 5 || r.RowsMean != 1 {
		t.Errorf("good calls: %+v", r)
	}
	if r := got["poor uses"]; *r.Quality.RecallAtK != 0.5 || *r.Quality.LeadPrecision != 0.5 || *r.Quality.FullPct != 0 {
		t.Errorf("poor uses: %+v", r.Quality)
	}
	f := &result.File{Schema: result.Schema, Env: result.Env{Time: time.Unix(0, 0).Format(time.RFC3339), Commit: "c", CPU: "c", Cores: 1}, Rows: rows}
	if err := f.Validate(); err != nil {
		t.Error(err)
	}
	// Unless told otherwise every row has a thousand samples, also one of a single question.
	if rows, _, warnings, err := Run(t.Context(), "tree", questions, []Contestant{good}, Params{}, ui.New(new(strings.Builder))); err != nil || len(warnings) > 0 ||
		slices.ContainsFunc(rows, func(r result.Row) bool { return r.Samples < stats.MinSamples }) {
		t.Errorf("rows %+v, warnings %q, %v", rows, warnings, err)
	}
	broken := Contestant{Name: "broken", Answer: func(context.Context, string) (Reply, error) { return Reply{}, errors.New("no graph") }}
	if _, _, _, err := Run(t.Context(), "tree", questions, []Contestant{broken}, Params{Passes: 1}, ui.New(new(strings.Builder))); err == nil ||
		!strings.Contains(err.Error(), `ask broken "one": no graph`) {
		t.Errorf("error %v", err)
	}
}

func TestReadFile(t *testing.T) {
	const good = `{"schema": "codequestions/1", "corpus": "r", "version": "v1", "questions": [
		{"id": "a", "question": "who calls x", "relation": "calls", "truth": [{"file": "a/b.go", "line": 3}, {"name": "p.F"}]}]}`
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "q.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	f, err := ReadFile(write(good))
	if err != nil || len(f.Questions) != 1 || f.Questions[0].Truth[1].Name != "p.F" {
		t.Fatalf("%+v, %v", f, err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown field":    {`"id"`, `"ids"`, "unknown field"},
		"schema":           {"questions/1", "questions/2", `schema is "codequestions/2"`},
		"no truth":         {`{"file": "a/b.go", "line": 3}, {"name": "p.F"}`, "", `"a" has no truth`},
		"empty truth":      {`"name": "p.F"`, `"line": 3`, "neither name nor place"},
		"absolute path":    {"a/b.go", "/a/b.go", "clean relative path"},
		"path that climbs": {"a/b.go", "../b.go", "clean relative path"},
		"no relation":      {`"relation": "calls"`, `"relation": ""`, "no id, question or relation"},
		"text after":       {"]}]}", "]}]} x", "text after"},
	} {
		if _, err := ReadFile(write(strings.Replace(good, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
