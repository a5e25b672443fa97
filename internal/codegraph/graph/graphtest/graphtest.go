// Package graphtest is the suite that every graph.Backend passes. It compares
// answers with scans of the whole graph, which are slow and plainly right.
package graphtest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"sortedheap/internal/codegraph/graph"
)

// Open stores a graph in the backend under test and returns the backend, which
// ends with the test.
type Open func(t *testing.T, g *graph.Graph) graph.Backend

// Run runs the suite.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name  string
		graph *graph.Graph
	}{
		{"empty", graph.NewBuilder(graph.Info{Corpus: "nothing"}).Build()},
		{"hostile names", hostile(t)},
		{"sparse", Random(t, 1, 60, 90)},
		{"dense", Random(t, 2, 25, 600)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, c.graph)
			testNodes(t, c.graph, b)
			testNumbersOutOfRange(t, c.graph, b)
			r := rand.New(rand.NewPCG(7, 7))
			for range 20 {
				numbers := draw(r, c.graph.Len())
				relations := drawRelations(r)
				for _, direction := range []graph.Direction{graph.Out, graph.In, graph.Both} {
					testNeighbours(t, c.graph, b, numbers, direction, relations)
					testUnresolved(t, c.graph, b, numbers, direction)
				}
			}
		})
	}
}

// draw picks up to eight node numbers, some of them twice.
func draw(r *rand.Rand, n int) []int32 {
	if n == 0 {
		return nil
	}
	numbers := make([]int32, r.IntN(9))
	for i := range numbers {
		numbers[i] = int32(r.IntN(n))
	}
	if len(numbers) > 1 && r.IntN(2) == 0 {
		numbers[1] = numbers[0]
	}
	return numbers
}

func drawRelations(r *rand.Rand) graph.RelationSet {
	if r.IntN(3) == 0 {
		return 0
	}
	return graph.RelationSet(r.Uint64()) & graph.Of(graph.Relations()...)
}

func testNodes(t *testing.T, g *graph.Graph, b graph.Backend) {
	t.Helper()
	want, err := g.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Info:\n got %+v\nwant %+v", got, want)
	}
	var visited int32
	err = b.EachNode(t.Context(), func(number int32, node *graph.Node) error {
		if number != visited {
			t.Errorf("EachNode visits node %d at position %d", number, visited)
		}
		visited++
		if *node != *g.Node(number) {
			t.Errorf("node %d:\n got %+v\nwant %+v", number, *node, *g.Node(number))
		}
		found, ok, err := b.Lookup(t.Context(), node.ID)
		if err != nil || !ok || found != number {
			t.Errorf("Lookup(%q) = %d, %v, %v; want %d", node.ID, found, ok, err, number)
		}
		return nil
	})
	if err != nil || int(visited) != g.Len() {
		t.Errorf("EachNode visits %d of %d nodes, error %v", visited, g.Len(), err)
	}
	if _, ok, err := b.Lookup(t.Context(), "no such id"); ok || err != nil {
		t.Errorf("Lookup of an absent id: %v, %v", ok, err)
	}
	if g.Len() < 2 {
		return
	}
	pair := []int32{1, 0, 1}
	nodes, err := b.Nodes(t.Context(), pair)
	if err != nil || len(nodes) != 3 || nodes[0] != *g.Node(1) || nodes[1] != *g.Node(0) || nodes[2] != *g.Node(1) {
		t.Errorf("Nodes(%v) = %+v, %v", pair, nodes, err)
	}
	stop := errors.New("stop")
	calls := 0
	if err := b.EachNode(t.Context(), func(int32, *graph.Node) error { calls++; return stop }); !errors.Is(err, stop) || calls != 1 {
		t.Errorf("EachNode after an error of visit: %v, %d calls", err, calls)
	}
}

func testNumbersOutOfRange(t *testing.T, g *graph.Graph, b graph.Backend) {
	t.Helper()
	for _, n := range []int32{-1, int32(g.Len())} {
		if _, err := b.Nodes(t.Context(), []int32{n}); err == nil {
			t.Errorf("Nodes(%d) of %d nodes is no error", n, g.Len())
		}
		if _, err := b.Neighbours(t.Context(), []int32{n}, graph.Both, 0); err == nil {
			t.Errorf("Neighbours(%d) of %d nodes is no error", n, g.Len())
		}
		if _, err := b.Degrees(t.Context(), []int32{n}, graph.Both, 0); err == nil {
			t.Errorf("Degrees(%d) of %d nodes is no error", n, g.Len())
		}
		if _, err := b.Unresolved(t.Context(), []int32{n}, graph.Both); err == nil {
			t.Errorf("Unresolved(%d) of %d nodes is no error", n, g.Len())
		}
	}
}

func testNeighbours(t *testing.T, g *graph.Graph, b graph.Backend, numbers []int32, direction graph.Direction, relations graph.RelationSet) {
	t.Helper()
	var want []graph.Edge
	degrees := make([]int, len(numbers))
	for _, e := range g.Edges() {
		if !relations.Has(e.Relation) {
			continue
		}
		out := direction&graph.Out != 0 && slices.Contains(numbers, e.Source)
		in := direction&graph.In != 0 && slices.Contains(numbers, e.Target)
		if out || in {
			want = append(want, e)
		}
		for i, n := range numbers {
			if direction&graph.Out != 0 && e.Source == n {
				degrees[i]++
			}
			if direction&graph.In != 0 && e.Target == n {
				degrees[i]++
			}
		}
	}
	slices.SortFunc(want, graph.CompareEdges)
	got, err := b.Neighbours(t.Context(), numbers, direction, relations)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Neighbours(%v, %d, %b):\n got %+v\nwant %+v", numbers, direction, relations, got, want)
	}
	gotDegrees, err := b.Degrees(t.Context(), numbers, direction, relations)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(gotDegrees, degrees) {
		t.Errorf("Degrees(%v, %d, %b) = %v, want %v", numbers, direction, relations, gotDegrees, degrees)
	}
}

func testUnresolved(t *testing.T, g *graph.Graph, b graph.Backend, numbers []int32, direction graph.Direction) {
	t.Helper()
	var want []graph.Unresolved
	for _, u := range g.AllUnresolved() {
		out := direction&graph.Out != 0 && slices.Contains(numbers, u.Source)
		in := direction&graph.In != 0 && slices.ContainsFunc(u.Candidates, func(c int32) bool { return slices.Contains(numbers, c) })
		if out || in {
			want = append(want, u)
		}
	}
	got, err := b.Unresolved(t.Context(), numbers, direction)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, want, func(a, b graph.Unresolved) bool {
		return slices.Equal(a.Candidates, b.Candidates) && a.Total == b.Total && graph.CompareUnresolved(a, b) == 0
	}) {
		t.Errorf("Unresolved(%v, %d):\n got %+v\nwant %+v", numbers, direction, got, want)
	}
}

// hostile is a small graph of names that break whoever does not quote them.
func hostile(t testing.TB) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(graph.Info{Corpus: "'; DROP TABLE nodes; --", Hash: "\\x00", Languages: map[string]int{"php": 2}})
	names := []string{
		"tab\there", "line\nfeed", "carriage\rreturn", `back\slash \N \t`, "'; DELETE FROM edges; --", "\x1b]0;title\x07\x1b[31m",
		"\"quoted\"", "{brace,NULL}", "ümlaut", "e\u0301", "\u202eright to left", "\u2028", " ", "日本語",
	}
	for i, name := range names {
		add(t, b, graph.Node{
			ID: name, Label: name, Qualified: name, Kind: graph.Function, Form: name, Lang: "go", FileType: graph.Code, File: name,
			Line: i + 1, EndLine: 2 * (i + 1), Community: i, Test: i%2 == 1, Signature: name, Doc: name,
		})
	}
	for i := range names {
		edge(t, b, graph.Edge{
			Source: int32(i), Target: int32((i + 1) % len(names)), Relation: graph.Calls, Context: names[i],
			Confidence: graph.Inferred, Score: 0.8, File: names[i], Line: i, Why: names[i],
		})
		err := b.AddUnresolved(graph.Unresolved{
			Source: int32(i), Relation: graph.Calls, Name: names[i], Receiver: names[i], File: names[i], Line: i + 1,
			Candidates: []int32{int32((i + 2) % len(names)), int32((i + 3) % len(names))}, Total: 40,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Build()
}

func add(t testing.TB, b *graph.Builder, n graph.Node) {
	t.Helper()
	if _, err := b.AddNode(n); err != nil {
		t.Fatal(err)
	}
}

func edge(t testing.TB, b *graph.Builder, e graph.Edge) {
	t.Helper()
	if err := b.AddEdge(e); err != nil {
		t.Fatal(err)
	}
}

// Random returns a graph with loops, parallel edges of the same and of other
// relations, nodes without edges, and unresolved calls.
func Random(t testing.TB, seed uint64, nodes, edges int) *graph.Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	b := graph.NewBuilder(graph.Info{Corpus: fmt.Sprint("random ", seed), Commit: "c0ffee", Hash: fmt.Sprint(seed)})
	kinds := []graph.Kind{graph.File, graph.Type, graph.Function, graph.Method, graph.Field, graph.External}
	for _, i := range r.Perm(nodes) {
		id := fmt.Sprintf("dir%d/file%d.go::name%d", i%3, i%7, i)
		add(t, b, graph.Node{ID: id, Label: fmt.Sprint("name", i), Kind: kinds[i%len(kinds)], Line: i, EndLine: i + 3, Test: i%5 == 0})
	}
	relations := graph.Relations()
	for range edges {
		e := graph.Edge{
			Source: int32(r.IntN(nodes * 9 / 10)), Target: int32(r.IntN(nodes * 9 / 10)),
			Relation: relations[r.IntN(len(relations))], Confidence: graph.Confidence(r.IntN(3)),
			File: fmt.Sprint("file", r.IntN(3)), Line: 1 + r.IntN(50),
		}
		if r.IntN(2) == 0 {
			e.Context = graph.ContextCall
		}
		edge(t, b, e)
		if r.IntN(4) == 0 { // the same call once more, elsewhere
			e.Line += 100
			edge(t, b, e)
		}
	}
	for i := range nodes {
		u := graph.Unresolved{Source: int32(i), Relation: graph.Calls, Name: fmt.Sprint("unbound", i), Line: cmp.Or(i, 1)}
		for range r.IntN(4) {
			u.Candidates = append(u.Candidates, int32(r.IntN(nodes)))
		}
		if err := b.AddUnresolved(u); err != nil {
			t.Fatal(err)
		}
	}
	return b.Build()
}
