package resolve

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// Each archive is a small tree and, last, the edges that it has: all but those
// from a holder to what it holds. A file "skip" names edges that must not be.
func TestTrees(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	parsers, err := syntax.NewParsers(syntax.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer parsers.Close()
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			last := len(archive.Files) - 1
			if archive.Files[last].Name != "edges" {
				t.Fatalf("the last file is %q, want edges", archive.Files[last].Name)
			}
			got := listEdges(build(t, parsers, archive.Files[:last]))
			if *update {
				archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(archive.Files[last].Data); got != want {
				t.Errorf("edges:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func build(t *testing.T, parsers *syntax.Parsers, sources []txtar.File) *graph.Graph {
	t.Helper()
	roots := Roots{GoModules: map[string]string{}}
	var files []*extract.File
	for _, source := range sources {
		if source.Name == "go.mod" {
			roots.GoModules["."] = strings.TrimSpace(strings.TrimPrefix(string(source.Data), "module "))
			continue
		}
		l, ok := syntax.Detect(source.Name, source.Data)
		if !ok {
			t.Fatalf("%s is in no language", source.Name)
		}
		tree, err := parsers.Parse(t.Context(), l, source.Data)
		if err != nil {
			t.Fatal(err)
		}
		if tree.Errors > 0 {
			t.Errorf("%s: %d places did not parse", source.Name, tree.Errors)
		}
		files = append(files, extract.Extract(tree, source.Name))
	}
	program := New(files, roots)
	parts := make([]graph.Part, len(files))
	for i := range files {
		parts[i], _ = program.Bind(i)
		if err := parts[i].Check(); err != nil {
			t.Fatal(err)
		}
	}
	g, err := graph.Assemble(graph.Info{}, parts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// listEdges writes a line an edge: source, relation, target, context, site, how
// sure, and why; and a line an unresolved call.
func listEdges(g *graph.Graph) string {
	var lines []string
	for _, e := range g.Edges() {
		switch e.Relation {
		case graph.Contains, graph.HasMethod, graph.Defines:
			continue
		}
		line := fmt.Sprintf("%s -%s-> %s", short(g, e.Source), e.Relation, short(g, e.Target))
		if e.Context != "" {
			line += " (" + e.Context + ")"
		}
		line += fmt.Sprintf(" %s:%d %s", e.File, e.Line, e.Confidence)
		if e.Why != "" {
			line += ", " + e.Why
		}
		lines = append(lines, line)
	}
	for _, u := range g.AllUnresolved() {
		var candidates []string
		for _, c := range u.Candidates {
			candidates = append(candidates, short(g, c))
		}
		lines = append(lines, fmt.Sprintf("%s -%s-? %s.%s %s:%d maybe %s", short(g, u.Source), u.Relation, u.Receiver, u.Name, u.File, u.Line,
			strings.Join(candidates, ", ")))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// short is a node's qualified name, and what tells it from namesakes.
func short(g *graph.Graph, n int32) string {
	node := g.Node(n)
	if rest, ok := strings.CutPrefix(node.ID, node.File+"::"+node.Qualified); ok {
		return node.Qualified + rest
	}
	return node.Qualified
}
