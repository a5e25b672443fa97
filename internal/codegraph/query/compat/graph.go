// Package compat answers questions over a code graph exactly as a published
// pipeline does: terms, scores with a best node per term, seeds, a filter by
// edge context, an undirected walk, and text under a budget. Three repairs of
// that pipeline are switches of their own (Fixes), all off by default.
//
// It exists so that answers compare with published ones; package query is what
// people should ask. Every function here is pure: a Graph is never changed
// after New, and one Graph serves any number of questions at once.
package compat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sortedheap/internal/codegraph/query/terms"
)

// Node is what the pipeline sees of a node: its label is the only indicator of
// its kind.
type Node struct {
	ID        string
	Label     string
	Norm      string // folded label; empty: New folds Label
	FileType  string // code, document, rationale, ...
	File      string // relative, with slashes; empty for external names
	Location  string // "L12", or empty
	Community string // name or number of its cluster
	Status    string // overlay that is shown with the node, such as "stale"; mostly empty
}

// Edge is directed; the walk ignores that, the text does not.
type Edge struct {
	Source, Target int32 // positions in Graph.Nodes
	Relation       string
	Context        string // empty: passes no filter
	Confidence     string
	File, Location string // where in the code the edge is, such as the line of the call
}

// Graph is a directed multigraph with what the scorer needs of every node.
type Graph struct {
	Nodes []Node
	Edges []Edge

	byID   map[string]int32
	text   []nodeText
	all    adjacency // both directions, unfiltered
	idf    idfCache
	index  *Index // nil: every scoring reads all nodes
	indexM sync.Mutex
}

// nodeText has the strings of a node that terms are compared with.
type nodeText struct {
	norm, bare, tokens, id, source string
	label                          int // characters
}

// New prepares a graph. An edge that names no node is an error.
func New(nodes []Node, edges []Edge) (*Graph, error) {
	g := &Graph{Nodes: slices.Clone(nodes), Edges: edges, byID: make(map[string]int32, len(nodes)), text: make([]nodeText, len(nodes))}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if _, twice := g.byID[n.ID]; twice {
			return nil, fmt.Errorf("node %q is there twice", n.ID)
		}
		g.byID[n.ID] = int32(i)
		if n.Norm == "" {
			n.Norm = terms.Fold(n.Label)
		}
		g.text[i] = nodeText{
			norm: n.Norm, bare: strings.TrimRight(n.Norm, "()"), tokens: strings.Join(terms.Tokens(n.Label), " "),
			id: strings.ToLower(n.ID), source: strings.ToLower(n.File), label: len([]rune(n.Label)),
		}
	}
	for i, e := range edges {
		if e.Source < 0 || e.Target < 0 || int(e.Source) >= len(nodes) || int(e.Target) >= len(nodes) {
			return nil, fmt.Errorf("edge %d names a node outside of 0..%d", i, len(nodes)-1)
		}
	}
	g.all = g.adjacent(nil)
	return g, nil
}

// Find returns the number of a node.
func (g *Graph) Find(id string) (int32, bool) {
	i, ok := g.byID[id]
	return i, ok
}

// Degree counts edges in both directions, parallel ones each.
func (g *Graph) Degree(node int32) int { return g.all.degree(node) }

// link is an edge as one of its ends sees it.
type link struct {
	node int32 // the other end
	edge int32
}

// adjacency has the links of every node, ordered by the other end's id and then
// by what the edge is, so that nothing depends on the order of a file.
type adjacency struct {
	start []int32
	links []link
}

func (a *adjacency) of(node int32) []link { return a.links[a.start[node]:a.start[node+1]] }

func (a *adjacency) degree(node int32) int { return int(a.start[node+1] - a.start[node]) }

// adjacent keeps the edges with a context in contexts; nil keeps all.
func (g *Graph) adjacent(contexts map[string]bool) adjacency {
	start := make([]int32, len(g.Nodes)+1)
	keep := func(e *Edge) bool { return contexts == nil || contexts[e.Context] }
	for i := range g.Edges {
		if e := &g.Edges[i]; keep(e) {
			start[e.Source+1]++
			start[e.Target+1]++
		}
	}
	for i := range g.Nodes {
		start[i+1] += start[i]
	}
	links, at := make([]link, start[len(g.Nodes)]), slices.Clone(start)
	put := func(from, to int32, edge int) {
		links[at[from]] = link{to, int32(edge)}
		at[from]++
	}
	for i := range g.Edges {
		if e := &g.Edges[i]; keep(e) {
			put(e.Source, e.Target, i)
			put(e.Target, e.Source, i)
		}
	}
	a := adjacency{start, links}
	if contexts == nil { // a filtered walk sorts what it visits
		for i := range g.Nodes {
			g.sortLinks(a.of(int32(i)))
		}
	}
	return a
}

func (g *Graph) sortLinks(links []link) {
	slices.SortFunc(links, func(a, b link) int {
		return cmp.Or(strings.Compare(g.Nodes[a.node].ID, g.Nodes[b.node].ID), g.compareEdges(a.edge, b.edge))
	})
}

// compareEdges orders parallel edges: calls first, so that no weaker relation of
// the same two nodes hides one.
func (g *Graph) compareEdges(a, b int32) int {
	x, y := &g.Edges[a], &g.Edges[b]
	return cmp.Or(
		cmp.Compare(weakness(x), weakness(y)), strings.Compare(x.Relation, y.Relation),
		strings.Compare(g.Nodes[x.Source].ID, g.Nodes[y.Source].ID), strings.Compare(g.Nodes[x.Target].ID, g.Nodes[y.Target].ID),
		strings.Compare(x.File, y.File), cmp.Compare(len(x.Location), len(y.Location)), strings.Compare(x.Location, y.Location))
}

func weakness(e *Edge) int {
	if e.Relation == "calls" {
		return 0
	}
	return 1
}
