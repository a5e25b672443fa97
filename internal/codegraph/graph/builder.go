package graph

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Builder collects a graph. Nodes get provisional numbers in the order in which
// they are added; Build renumbers them in the order of their ids.
type Builder struct {
	nodes      []Node
	edges      []Edge
	unresolved []Unresolved
	byID       map[string]int32
	info       Info
	file       string // of the edge added last, which was found storable
}

// NewBuilder returns an empty builder for a graph that info describes; what can
// be counted of it is counted by Build.
func NewBuilder(info Info) *Builder {
	return &Builder{byID: make(map[string]int32), info: info}
}

// AddNode adds a node and returns its provisional number.
func (b *Builder) AddNode(n Node) (int32, error) {
	if err := checkNode(&n); err != nil {
		return 0, err
	}
	if other, ok := b.byID[n.ID]; ok {
		return 0, fmt.Errorf("two nodes have id %q, numbers %d and %d", n.ID, other, len(b.nodes))
	}
	if len(b.nodes) == math.MaxInt32 {
		return 0, errors.New("a graph holds at most 2147483647 nodes")
	}
	number := int32(len(b.nodes))
	b.nodes = append(b.nodes, n)
	b.byID[n.ID] = number
	return number, nil
}

func checkNode(n *Node) error {
	switch {
	case n.ID == "":
		return errors.New("a node needs an id")
	case n.Kind == NoKind || n.Kind >= kindEnd:
		return fmt.Errorf("node %q has no kind", n.ID)
	case n.Line < 0 || n.Line > math.MaxInt32 || n.EndLine < 0 || n.EndLine > math.MaxInt32:
		return fmt.Errorf("node %q has lines %d to %d", n.ID, n.Line, n.EndLine)
	case n.Community < 0 || n.Community > math.MaxInt32:
		return fmt.Errorf("node %q has community %d", n.ID, n.Community)
	}
	for _, s := range []string{n.ID, n.Label, n.Qualified, n.Form, n.Lang, string(n.FileType), n.File, n.Signature, n.Doc} {
		if !storable(s) {
			return fmt.Errorf("node %q has a text that is not UTF-8 or holds a NUL byte", n.ID)
		}
	}
	return nil
}

// storable reports whether a text survives every stored form.
func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// Grow makes room for nodes and edges more.
func (b *Builder) Grow(n, edges int) {
	b.nodes = slices.Grow(b.nodes, n)
	b.edges = slices.Grow(b.edges, edges)
	byID := make(map[string]int32, len(b.byID)+n)
	maps.Copy(byID, b.byID)
	b.byID = byID
}

// Number returns the provisional number of an id.
func (b *Builder) Number(id string) (int32, bool) {
	n, ok := b.byID[id]
	return n, ok
}

// AddEdge adds an edge between nodes that were added before. A score of 0 stands
// for the default of the confidence.
func (b *Builder) AddEdge(e Edge) error {
	if err := b.known(e.Source, e.Target); err != nil {
		return err
	}
	if e.Relation == NoRelation || e.Relation >= relationEnd || e.Confidence >= confidenceEnd {
		return fmt.Errorf("edge from %q to %q has relation %d and confidence %d",
			b.nodes[e.Source].ID, b.nodes[e.Target].ID, e.Relation, e.Confidence)
	}
	if e.File != b.file && storable(e.File) {
		b.file = e.File
	}
	if e.Line < 0 || e.Line > math.MaxInt32 || e.File != b.file || !storable(e.Context) || !storable(e.Why) {
		return fmt.Errorf("edge from %q to %q has no valid site or context", b.nodes[e.Source].ID, b.nodes[e.Target].ID)
	}
	if e.Score == 0 {
		e.Score = e.Confidence.DefaultScore()
	}
	if !(e.Score > 0 && e.Score <= 1) {
		return fmt.Errorf("edge from %q to %q has score %v", b.nodes[e.Source].ID, b.nodes[e.Target].ID, e.Score)
	}
	b.edges = append(b.edges, e)
	return nil
}

// AddUnresolved adds an unresolved call. Candidates past MaxCandidates are cut;
// Total is raised to their number.
func (b *Builder) AddUnresolved(u Unresolved) error {
	if err := b.known(append([]int32{u.Source}, u.Candidates...)...); err != nil {
		return err
	}
	if u.Total < 0 || u.Total > math.MaxInt32 {
		return fmt.Errorf("unresolved call of %q in %q has %d candidates", u.Name, b.nodes[u.Source].ID, u.Total)
	}
	if u.Relation == NoRelation || u.Relation >= relationEnd || u.Line < 0 || u.Line > math.MaxInt32 {
		return fmt.Errorf("unresolved call of %q in %q has relation %d, line %d", u.Name, b.nodes[u.Source].ID, u.Relation, u.Line)
	}
	if !storable(u.Name) || !storable(u.Receiver) || !storable(u.File) {
		return fmt.Errorf("unresolved call in %q has a text that is not UTF-8 or holds a NUL byte", b.nodes[u.Source].ID)
	}
	u.Total = max(u.Total, len(u.Candidates))
	b.unresolved = append(b.unresolved, u)
	return nil
}

func (b *Builder) known(numbers ...int32) error {
	for _, n := range numbers {
		if n < 0 || int(n) >= len(b.nodes) {
			return fmt.Errorf("node %d is not one of the %d added", n, len(b.nodes))
		}
	}
	return nil
}

// Build returns the graph. The builder must not be used afterwards.
func (b *Builder) Build() *Graph {
	order := make([]int32, len(b.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(b.nodes[x].ID, b.nodes[y].ID) })
	number := make([]int32, len(order))
	nodes := make([]Node, len(order))
	for to, from := range order {
		number[from] = int32(to)
		nodes[to] = b.nodes[from]
	}
	for i := range b.edges {
		e := &b.edges[i]
		e.Source, e.Target = number[e.Source], number[e.Target]
	}
	for i := range b.unresolved {
		u := &b.unresolved[i]
		u.Source = number[u.Source]
		candidates := make([]int32, len(u.Candidates))
		for j, c := range u.Candidates {
			candidates[j] = number[c]
		}
		slices.Sort(candidates)
		candidates = slices.Compact(candidates)
		u.Candidates = candidates[:min(len(candidates), MaxCandidates)]
	}
	g := &Graph{nodes: nodes, edges: b.edges, unresolved: b.unresolved, info: b.info}
	g.info.Languages = maps.Clone(b.info.Languages)
	g.finish()
	return g
}
