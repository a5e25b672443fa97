package query_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/query/querytest"
	"sortedheap/internal/codegraph/render"
)

func open(t testing.TB, text string) *query.Catalog {
	t.Helper()
	c, err := query.Open(t.Context(), querytest.Graph(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const exchange = `
node run function run app/run.py:3
node foo function Foo app/foo.py:5
node bar type Bar app/bar.py:2
node bar_go method go app/bar.py:4 qual=Bar.go
edge bar method bar_go
node exp file index.py app/index.py:1
node imp file main.py app/main.py:1
node far function far app/far.py:1
node lone function lone app/lone.py:1
node twin1 function twin a/twin.py:7 qual=a.twin
node twin2 function twin b/twin.py:9 qual=b.twin
node key const concept:domain:widget c.py:1
edge run calls foo at=app/run.py:8
edge foo calls bar_go at=app/foo.py:6
edge exp re_exports foo ctx=export at=app/index.py:2
edge imp imports foo at=app/main.py:1
edge far calls run at=app/far.py:2
`

func TestExplain(t *testing.T) {
	c := open(t, exchange)
	for _, test := range []struct{ name, of, has, lacks string }{
		{"a callee lists callers and callees", "Foo", "<-- run() [calls] [EXTRACTED] app/run.py:8|--> Bar.go() [calls] [EXTRACTED] app/foo.py:6|<-- re_exports: 1 in 1 files", "far"},
		{"a first caller only callees", "far", "--> run() [calls]", "<--"},
		{"a type has the callers of its members", "Bar", "<-- Foo() [calls] [EXTRACTED] .go() app/foo.py:6|--> Bar.go() [method]", ""},
		{"an id as printed", "bar_go", "Node: Bar.go()", ""},
		{"an id with punctuation", "concept:domain:widget", "Node: concept:domain:widget", ""},
		{"a path and a name", "b/twin.py::twin", "Source: b/twin.py:9", ""},
		{"a path and a line", "a/twin.py:7", "Source: a/twin.py:7", ""},
		{"a file before what is in it", "app/index.py", "Type:   file", ""},
		{"in any case", "foo", "Node: Foo()", ""},
	} {
		x, err := c.Explain(t.Context(), test.of)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		text := render.Explanation(x, render.DefaultBudget)
		for want := range strings.SplitSeq(test.has, "|") {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", test.name, want, text)
			}
		}
		if test.lacks != "" && strings.Contains(text, test.lacks) {
			t.Errorf("%s: %q is in\n%s", test.name, test.lacks, text)
		}
	}
	var several *query.AmbiguousError
	_, err := c.Explain(t.Context(), "twin")
	if !errors.As(err, &several) || len(several.Nodes) != 2 {
		t.Errorf("two of one name: %v", err)
	}
	if text := render.Fault(c, err); !strings.Contains(text, "a.twin() a/twin.py:7") || !strings.Contains(text, "b.twin() b/twin.py:9") {
		t.Errorf("the fault lists %q", text)
	}
	var unknown *query.UnknownError
	if _, err := c.Explain(t.Context(), "nowhere"); !errors.As(err, &unknown) {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestPath(t *testing.T) {
	c := open(t, exchange)
	for _, test := range []struct {
		name, from, to string
		undirected     bool
		want           string
	}{
		{"forwards", "far", "Foo", false, "shortest path (2 hops):\n  far() --calls [EXTRACTED]--> run() app/far.py:2\n  run() --calls [EXTRACTED]--> Foo() app/run.py:8\n"},
		{"to a type, by its member", "run", "Bar", false, "Foo() --calls [EXTRACTED]--> Bar.go() app/foo.py:6"},
		{"backwards", "Foo", "far", false, "No directed path found. --undirected"},
		{"backwards when allowed", "Foo", "run", true, "Foo() <--calls [EXTRACTED]-- run() app/run.py:8"},
		{"nowhere", "Foo", "lone", true, "No path found.\n"},
	} {
		hops, err := c.PathBetween(t.Context(), test.from, test.to, query.PathOptions{Undirected: test.undirected})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if text := render.Path(c, hops, test.undirected, render.DefaultBudget); !strings.Contains(text, test.want) {
			t.Errorf("%s: %q, want %q", test.name, text, test.want)
		}
	}
	long, err := c.PathBetween(t.Context(), "far", "Foo", query.PathOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		long = append(long, long...)
	}
	text := render.Path(c, long, false, render.MinBudget)
	if n := len(text); n > render.CharsPerToken*render.MinBudget || !strings.Contains(text, " of 128 hops are left out for the budget\n") {
		t.Errorf("a long path in %d characters:\n%s", n, text)
	}
	var same *query.SameError
	if _, err := c.PathBetween(t.Context(), "foo", "Foo", query.PathOptions{}); !errors.As(err, &same) || same.Name != "Foo()" {
		t.Errorf("from a node to itself: %v", err)
	}
}

func TestAffected(t *testing.T) {
	c := open(t, exchange)
	n, _, err := c.One("Foo")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		relations graph.RelationSet
		depth     int
		want      string
	}{
		{0, 1, "- app/index.py [re_exports] app/index.py:2\n- app/main.py [imports] app/main.py:1\n- run() [calls] app/run.py:8\n"},
		{graph.Of(graph.Calls), 1, "(1, depth 1):\n- run() [calls] app/run.py:8\n"},
		{graph.Of(graph.Calls), 2, "- far() [calls] app/far.py:2 (2 hops)\n"},
		{graph.Of(graph.Inherits), 2, "No affected nodes found.\n"},
	} {
		list, err := c.Affected(t.Context(), []int32{n}, test.relations, test.depth)
		if err != nil {
			t.Fatal(err)
		}
		if text := render.Affected(c, "Foo", list, test.depth, render.DefaultBudget); !strings.Contains(text, test.want) {
			t.Errorf("%v, depth %d: %q, want %q", test.relations.List(), test.depth, text, test.want)
		}
	}
}

// No answer is over its budget, whatever it is of; what is cut is counted.
func TestBudgetIsHard(t *testing.T) {
	var b strings.Builder
	b.WriteString("node t function Target src/t.go:1\n")
	for i := range 400 {
		fmt.Fprintf(&b, "node c%d function Caller%d src/d%d/file.go:%d\nedge c%d calls t at=src/d%d/file.go:%d\n", i, i, i%40, i+1, i, i%40, i+2)
	}
	c := open(t, b.String())
	a, err := c.Ask(t.Context(), "who calls Target?", query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Rows) != 400 {
		t.Fatalf("%d rows", len(a.Rows))
	}
	for _, budget := range []int{60, 100, 300, 1000, 2000, 4000, 8000, 20000} {
		text := render.Answer(a, budget, "stale")
		if got := render.Tokens(text.Body); got > budget {
			t.Errorf("%d tokens of %d", got, budget)
		}
		if len(text.Rows) != text.Shown || text.Shown < 400 && !strings.Contains(text.Body, fmt.Sprintf("... %d more in", 400-text.Shown)) {
			t.Errorf("budget %d: %d rows shown, and no word of the rest in\n%s", budget, text.Shown, text.Body)
		}
		if budget >= 8000 && text.Shown != 400 {
			t.Errorf("budget %d shows %d rows", budget, text.Shown)
		}
		var out strings.Builder
		if err := render.JSON(&out, a, max(budget, 300), ""); err != nil {
			t.Fatal(err)
		}
		if got := render.Tokens(out.String()); got > max(budget, 300)+1 {
			t.Errorf("JSON of %d tokens for %d", got, max(budget, 300))
		}
		x, err := c.Explain(t.Context(), "Target")
		if err != nil {
			t.Fatal(err)
		}
		if got := render.Tokens(render.Explanation(x, budget)); got > budget {
			t.Errorf("an explanation of %d tokens for %d", got, budget)
		}
	}
}
