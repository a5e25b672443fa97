package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/graph/graphtest"
	"sortedheap/internal/codegraph/packed"
)

func TestFolderBackend(t *testing.T) {
	graphtest.Run(t, func(t *testing.T, g *graph.Graph) graph.Backend {
		dir := filepath.Join(t.TempDir(), "new", "graph")
		if err := SaveFolder(dir, split(g)); err != nil {
			t.Fatal(err)
		}
		loaded, err := LoadFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		return loaded
	})
}

func TestFolderDamage(t *testing.T) {
	dir := t.TempDir()
	if _, err := LoadFolder(dir); !errors.Is(err, ErrNoGraph) {
		t.Errorf("an empty folder: %v", err)
	}
	if err := SaveFolder(dir, split(graphtest.Random(t, 3, 12, 20))); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, GraphFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole); i += 7 {
		broken := append([]byte(nil), whole...)
		broken[i] ^= 0x55
		if err := os.WriteFile(name, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadFolder(dir); !errors.Is(err, packed.ErrDamaged) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	// Behind a right checksum too, nothing is believed.
	body := whole[len(magic) : len(whole)-4]
	for i := range body {
		broken := append([]byte(nil), body...)
		broken[i] ^= 0x15
		p, err := unpackParts(broken)
		if err == nil {
			_, err = p.Graph()
		}
		if err != nil && !errors.Is(err, packed.ErrDamaged) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	other := bytes.Replace(whole, []byte("codegraph 2"), []byte("codegraph 17"), 1)
	if err := os.WriteFile(name, other, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFolder(dir); !errors.Is(err, ErrOtherVersion) || !strings.Contains(err.Error(), `codegraph 17"`) {
		t.Errorf("a graph of another version: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("files left in the folder: %v, %v", left, err)
	}
}

// split makes parts of any graph: one of all nodes and one for each file that
// edges and calls are in.
func split(g *graph.Graph) *Parts {
	nodes := graph.Part{Path: "nodes"}
	for i := range int32(g.Len()) {
		nodes.Nodes = append(nodes.Nodes, *g.Node(i))
	}
	by := map[string]*graph.Part{}
	part := func(file string) *graph.Part {
		p, ok := by[file]
		if !ok {
			p = &graph.Part{Path: file}
			for i := range int32(g.Len()) {
				p.Ends = append(p.Ends, graph.End{Own: graph.Elsewhere, ID: g.Node(i).ID})
			}
			by[file] = p
		}
		return p
	}
	for _, e := range g.Edges() {
		p := part(e.File)
		p.Edges = append(p.Edges, graph.PartEdge{
			Source: e.Source, Target: e.Target, Relation: e.Relation, Context: e.Context, Confidence: e.Confidence, Score: e.Score,
			Line: int32(e.Line), Why: e.Why,
		})
	}
	for _, u := range g.AllUnresolved() {
		p := part(u.File)
		p.Unresolved = append(p.Unresolved, graph.PartCall{
			Source: u.Source, Relation: u.Relation, Name: u.Name, Receiver: u.Receiver, Line: int32(u.Line), Candidates: u.Candidates, Total: u.Total,
		})
	}
	out := &Parts{Info: g.Summary(), Part: map[string][]byte{"nodes": PackPart(&nodes)}}
	for file, p := range by {
		out.Part[file] = PackPart(p)
	}
	return out
}
