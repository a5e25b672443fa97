package graph_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/graph/graphtest"
)

func TestMemoryBackend(t *testing.T) {
	graphtest.Run(t, func(_ *testing.T, g *graph.Graph) graph.Backend { return g })
}

func node(id string) graph.Node { return graph.Node{ID: id, Label: id, Kind: graph.Function} }

func TestBuilderNumbersNodesByID(t *testing.T) {
	b := graph.NewBuilder(graph.Info{})
	for _, id := range []string{"c", "a", "b"} {
		if _, err := b.AddNode(node(id)); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := b.Number("c")
	a, _ := b.Number("a")
	if err := b.AddEdge(graph.Edge{Source: c, Target: a, Relation: graph.Calls}); err != nil {
		t.Fatal(err)
	}
	g := b.Build()
	e := g.Edges()[0]
	if g.Node(e.Source).ID != "c" || g.Node(e.Target).ID != "a" || e.Source != 2 || e.Target != 0 || e.Score != 1 {
		t.Errorf("edge %+v", e)
	}
	if g.Degree(2) != 1 || g.Degree(1) != 0 {
		t.Errorf("degrees %d and %d", g.Degree(2), g.Degree(1))
	}
}

func TestBuilderRefuses(t *testing.T) {
	b := graph.NewBuilder(graph.Info{})
	if _, err := b.AddNode(node("a")); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]graph.Node{
		"a second time": node("a"),
		"no id":         {Kind: graph.File},
		"no kind":       {ID: "x"},
		"NUL":           {ID: "x", Kind: graph.File, Label: "a\x00b"},
		"not UTF-8":     {ID: "x", Kind: graph.File, File: "\xff"},
		"negative line": {ID: "x", Kind: graph.File, Line: -1},
	} {
		if _, err := b.AddNode(n); err == nil {
			t.Errorf("node with %s is taken", name)
		}
	}
	for name, e := range map[string]graph.Edge{
		"unknown target": {Target: 1, Relation: graph.Calls},
		"no relation":    {},
		"score above 1":  {Relation: graph.Calls, Score: 1.5},
		"NUL in context": {Relation: graph.Calls, Context: "\x00"},
	} {
		if err := b.AddEdge(e); err == nil {
			t.Errorf("edge with %s is taken", name)
		}
	}
	if err := b.AddUnresolved(graph.Unresolved{Relation: graph.Calls, Candidates: []int32{7}}); err == nil {
		t.Error("unresolved call with an unknown candidate is taken")
	}
}

func TestNamesSurviveJSON(t *testing.T) {
	for _, r := range graph.Relations() {
		text, err := json.Marshal(graph.Edge{Relation: r, Confidence: graph.Ambiguous})
		if err != nil {
			t.Fatal(err)
		}
		var back graph.Edge
		if err := json.Unmarshal(text, &back); err != nil || back.Relation != r || back.Confidence != graph.Ambiguous {
			t.Errorf("%s reads back as %+v, %v", text, back, err)
		}
	}
	if len(graph.Relations()) > 63 {
		t.Error("a RelationSet holds at most 63 relations")
	}
	var n graph.Node
	if err := json.Unmarshal([]byte(`{"id":"a","kind":"klass"}`), &n); err == nil || !strings.Contains(err.Error(), "klass") {
		t.Errorf("unknown kind: %v", err)
	}
}

func TestDisplay(t *testing.T) {
	for kind, want := range map[graph.Kind]string{graph.Function: "run()", graph.Method: ".run()", graph.Type: "run"} {
		n := graph.Node{Label: "run", Kind: kind}
		if n.Display() != want {
			t.Errorf("%v is shown as %q", kind, n.Display())
		}
	}
}

func TestRelationSet(t *testing.T) {
	s := graph.Of(graph.Calls, graph.Imports)
	if !s.Has(graph.Calls) || s.Has(graph.Contains) || !slices.Equal(s.List(), []graph.Relation{graph.Calls, graph.Imports}) {
		t.Errorf("set %b lists %v", s, s.List())
	}
	if all := graph.RelationSet(0); !all.Has(graph.Contains) || len(all.List()) != len(graph.Relations()) {
		t.Error("the empty set does not stand for all relations")
	}
}
