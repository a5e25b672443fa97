package postgres

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sortedheap/internal/harness/engine"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The statements are read here line by line, rather than trusted: a baseline
// that does more work than a person would ask for flatters the helpers.
func TestStatements(t *testing.T) {
	ours := dialect{table: "facts", vector: "svec"}
	rival := dialect{table: "facts", vector: "vector", approximate: true}
	path := engine.Task{Seeding: engine.SeedSearch, SeedBy: engine.SeedByEntity, Hops: []int16{1, 2}, Score: engine.ScorePath,
		Output: engine.OutputRows, AnnK: 64, TopK: 10}
	endpoint, given, one, count := path, path, path, path
	endpoint.Score = engine.ScoreEndpoint
	given.Seeding = engine.SeedGiven
	one.Hops, one.SeedBy, one.Score = []int16{2}, engine.SeedByTarget, engine.ScoreEndpoint
	count.Hops, count.Seeding, count.Score, count.Output = []int16{1}, engine.SeedGiven, engine.ScoreNone, engine.OutputCount
	free := given
	free.Given, free.Hops = 1, []int16{engine.AnyRelation, 2}
	exact := endpoint
	exact.Seeding = engine.SeedExact
	named := one
	named.Hops = []int16{engine.QueryRelation}
	seeds := endpoint
	seeds.Hops = nil

	var out strings.Builder
	for _, c := range []struct {
		name  string
		d     dialect
		t     engine.Task
		forms []engine.Form
	}{
		{"bare search", ours, seeds, []engine.Form{engine.FormIn}},
		{"bare search, approximate", rival, seeds, []engine.Form{engine.FormIn}},
		{"two hops, endpoint", ours, endpoint, []engine.Form{engine.FormIn, engine.FormJoin, engine.FormTopK, engine.FormFused, engine.FormOneCall}},
		{"two hops, path", ours, path, []engine.Form{engine.FormIn, engine.FormJoin, engine.FormFused, engine.FormOneCall}},
		{"two hops, path, approximate", rival, path, []engine.Form{engine.FormIn, engine.FormJoin}},
		{"two hops, endpoint, exact seeds of an approximate engine", rival, exact, []engine.Form{engine.FormIn}},
		{"one hop by target, relation of the question", ours, named, []engine.Form{engine.FormIn, engine.FormJoin, engine.FormExpand, engine.FormTopK, engine.FormOneCall}},
		{"two hops, path, given seeds", ours, given, []engine.Form{engine.FormIn, engine.FormJoin, engine.FormFused}},
		{"two hops, path, one given seed, any relation first", ours, free, []engine.Form{engine.FormIn, engine.FormJoin, engine.FormFused}},
		{"one hop by target", ours, one, []engine.Form{engine.FormIn, engine.FormExpand, engine.FormTopK, engine.FormOneCall}},
		{"one hop, counted, given seeds", ours, count, []engine.Form{engine.FormIn, engine.FormJoin, engine.FormExpand}},
	} {
		for _, form := range c.forms {
			c.t.Form = form
			st, err := c.d.build(c.t)
			if err != nil {
				t.Errorf("%s, form %s: %v", c.name, form, err)
				continue
			}
			fmt.Fprintf(&out, "-- %s, form %s, arguments %v\n%s\n\n", c.name, form, st.args, st.sql)
		}
	}
	golden := filepath.Join("testdata", "statements.sql")
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
		t.Errorf("statements differ from %s; got\n%s", golden, out.String())
	}
}

func TestStatementsThatDoNotExist(t *testing.T) {
	d := dialect{table: "facts", vector: "svec"}
	base := engine.Task{Seeding: engine.SeedSearch, SeedBy: engine.SeedByTarget, Hops: []int16{1, 2}, Score: engine.ScoreEndpoint,
		Output: engine.OutputRows, AnnK: 64, TopK: 10}
	for name, change := range map[string]func(*engine.Task){
		"one call over two hops by target": func(t *engine.Task) { t.Form = engine.FormOneCall },
		"one call with given seeds":        func(t *engine.Task) { t.Form, t.Seeding = engine.FormOneCall, engine.SeedGiven },
		"fused over one hop":               func(t *engine.Task) { t.Form, t.Hops = engine.FormFused, t.Hops[:1] },
		"no form":                          func(t *engine.Task) { t.Form = "" },
		"ranked helper without ranking":    func(t *engine.Task) { t.Form, t.Score = engine.FormTopK, engine.ScoreNone },
	} {
		task := base
		change(&task)
		if st, err := d.build(task); err == nil {
			t.Errorf("%s: %s", name, st.sql)
		}
	}
}

func TestLiterals(t *testing.T) {
	st := statement{args: []arg{argEmbedding, argSeeds}, task: engine.Task{Seeding: engine.SeedGiven, Given: 2}}
	for _, c := range []struct {
		q    engine.Question
		want string
	}{
		{engine.Question{Embedding: []float32{0.5, -1}, Seeds: []int32{3, -4, 5}}, "'[0.5,-1]', '{3,-4}'"},
		{engine.Question{Embedding: []float32{1}}, "'[1]', '{}'"},
	} {
		if got, err := literals(st, c.q); err != nil || got != c.want {
			t.Errorf("literals %s (%v), want %s", got, err, c.want)
		}
	}
}

// A relation that a task leaves to the question is bound, and missed where the
// question names none.
func TestRelationOfTheQuestion(t *testing.T) {
	task := engine.Task{Seeding: engine.SeedGiven, Hops: []int16{7, engine.QueryRelation}, Score: engine.ScoreNone, Form: engine.FormIn}
	st, err := dialect{table: "facts", vector: "svec"}.build(task)
	if err != nil {
		t.Fatal(err)
	}
	q := engine.Question{Seeds: []int32{1}, Relations: []int16{3, 4}}
	if got, err := literals(st, q); err != nil || got != "'{1}', 4" && got != "4, '{1}'" {
		t.Errorf("literals %s (%v), statement %s", got, err, st.sql)
	}
	for _, short := range [][]int16{nil, {3}, {3, 0}} {
		q.Relations = short
		if got, err := bind(st, q); err == nil || !strings.Contains(err.Error(), "hop 2") {
			t.Errorf("relations %v bind as %v, error %v", short, got, err)
		}
	}
}

func TestPlanSummary(t *testing.T) {
	plan := planNode{NodeType: "Limit", Plans: []planNode{
		{NodeType: "Index Scan", Index: "facts_ann"}, {NodeType: "Sort", Plans: []planNode{
			{NodeType: "Seq Scan", Relation: "facts", Parallel: true}, {NodeType: "Function Scan", Function: "expand"}, {NodeType: "Seq Scan", Relation: "facts"}}}}}
	if got, want := plan.summary(), "Limit: Index Scan facts_ann, Parallel Seq Scan facts, expand, Seq Scan facts"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	graph := planNode{NodeType: "Custom Scan", Provider: "SortedHeapGraph", Graph: "sorted_heap_graph_rag_scan"}
	if got, want := graph.summary(), "Custom Scan: SortedHeapGraph sorted_heap_graph_rag_scan"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	if got := (planNode{NodeType: "Result"}).summary(); got != "Result" {
		t.Errorf("summary of a lone node %q", got)
	}
}
