package graph

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Graph is a code graph in memory. It never changes, so any number of goroutines
// may use it.
type Graph struct {
	nodes      []Node // in the order of their ids
	edges      []Edge // in the order of CompareEdges, so those of a source are together
	unresolved []Unresolved
	info       Info

	// out[n] to out[n+1] are the edges of source n; in holds the same for targets,
	// through inEdges, which are numbers of edges.
	out, in []int32
	inEdges []int32
	// The same for unresolved calls by their source and by their candidates.
	calls, maybe []int32
	maybeCalls   []int32
}

var _ Backend = (*Graph)(nil)

// finish sorts what was collected and indexes it both ways.
func (g *Graph) finish() {
	n := len(g.nodes)
	var calls sync.WaitGroup
	calls.Go(func() {
		slices.SortStableFunc(g.unresolved, CompareUnresolved)
		candidates := func(i int) []int32 { return g.unresolved[i].Candidates }
		g.calls = starts(n, len(g.unresolved), alone(func(i int) int32 { return g.unresolved[i].Source }))
		g.maybe = starts(n, len(g.unresolved), candidates)
		g.maybeCalls = placed(g.maybe, len(g.unresolved), candidates)
	})
	g.edges, g.out = sorted(n, g.edges)
	target := alone(func(i int) int32 { return g.edges[i].Target })
	g.in = starts(n, len(g.edges), target)
	g.inEdges = placed(g.in, len(g.edges), target)
	calls.Wait()

	g.info.Schema = SchemaVersion
	g.info.Nodes, g.info.Edges, g.info.Unresolved = n, len(g.edges), len(g.unresolved)
	g.info.Files = 0
	for i := range g.nodes {
		if g.nodes[i].Kind == File {
			g.info.Files++
		}
	}
}

// alone makes the list that starts and placed ask for of one node. The list is
// the same each time.
func alone(of func(i int) int32) func(i int) []int32 {
	list := make([]int32, 1)
	return func(i int) []int32 {
		list[0] = of(i)
		return list
	}
}

// sorted returns edges in order and where those of each source begin: placed by
// source first, which leaves little to compare.
func sorted(n int, edges []Edge) (out []Edge, at []int32) {
	source := alone(func(i int) int32 { return edges[i].Source })
	at = starts(n, len(edges), source)
	order := placed(at, len(edges), source)
	out = make([]Edge, len(edges))
	for to, from := range order {
		out[to] = edges[from]
	}
	for i := range n {
		slices.SortFunc(out[at[i]:at[i+1]], CompareEdges)
	}
	return out, at
}

// starts returns for each of n nodes where its items begin when items are
// grouped by node, and the end at n.
func starts(n, items int, of func(i int) []int32) []int32 {
	at := make([]int32, n+1)
	for i := range items {
		for _, node := range of(i) {
			at[node+1]++
		}
	}
	for i := range n {
		at[i+1] += at[i]
	}
	return at
}

// placed returns the numbers of the items grouped as starts says, in order
// within a group.
func placed(at []int32, items int, of func(i int) []int32) []int32 {
	next := slices.Clone(at)
	grouped := make([]int32, at[len(at)-1])
	for i := range items {
		for _, node := range of(i) {
			grouped[next[node]] = int32(i)
			next[node]++
		}
	}
	return grouped
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.nodes) }

// Node returns a node by its number, which must be below Len. It must not be
// changed.
func (g *Graph) Node(number int32) *Node { return &g.nodes[number] }

// Number returns the number of an id.
func (g *Graph) Number(id string) (int32, bool) {
	n, ok := slices.BinarySearchFunc(g.nodes, id, func(n Node, id string) int { return cmp.Compare(n.ID, id) })
	return int32(n), ok
}

// Edges returns all edges in order. They must not be changed.
func (g *Graph) Edges() []Edge { return g.edges }

// OutEdges returns the edges that leave a node, in order. They must not be
// changed.
func (g *Graph) OutEdges(number int32) []Edge { return g.edges[g.out[number]:g.out[number+1]] }

// InEdges returns positions in Edges of the edges that enter a node, in order.
func (g *Graph) InEdges(number int32) []int32 { return g.inEdges[g.in[number]:g.in[number+1]] }

// AllUnresolved returns all unresolved calls in order. They must not be changed.
func (g *Graph) AllUnresolved() []Unresolved { return g.unresolved }

// Degree returns the number of edges that touch a node; a loop counts twice.
func (g *Graph) Degree(number int32) int {
	return int(g.out[number+1] - g.out[number] + g.in[number+1] - g.in[number])
}

// Summary describes the graph as a whole.
func (g *Graph) Summary() Info {
	info := g.info
	info.Languages = maps.Clone(info.Languages)
	return info
}

// Info implements Backend.
func (g *Graph) Info(context.Context) (Info, error) { return g.Summary(), nil }

// Lookup implements Backend.
func (g *Graph) Lookup(_ context.Context, id string) (int32, bool, error) {
	n, ok := g.Number(id)
	return n, ok, nil
}

// Nodes implements Backend.
func (g *Graph) Nodes(_ context.Context, numbers []int32) ([]Node, error) {
	if _, err := checkNumbers(numbers, len(g.nodes)); err != nil {
		return nil, err
	}
	nodes := make([]Node, len(numbers))
	for i, n := range numbers {
		nodes[i] = g.nodes[n]
	}
	return nodes, nil
}

// EachNode implements Backend.
func (g *Graph) EachNode(ctx context.Context, visit func(int32, *Node) error) error {
	for i := range g.nodes {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := visit(int32(i), &g.nodes[i]); err != nil {
			return err
		}
	}
	return nil
}

// Neighbours implements Backend.
func (g *Graph) Neighbours(ctx context.Context, numbers []int32, direction Direction, relations RelationSet) ([]Edge, error) {
	sorted, err := checkNumbers(numbers, len(g.nodes))
	if err != nil {
		return nil, fmt.Errorf("neighbours: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var found []int32
	for _, n := range sorted {
		if direction&Out != 0 {
			for i := g.out[n]; i < g.out[n+1]; i++ {
				if relations.Has(g.edges[i].Relation) {
					found = append(found, i)
				}
			}
		}
		if direction&In != 0 {
			for _, i := range g.InEdges(n) {
				if relations.Has(g.edges[i].Relation) {
					found = append(found, i)
				}
			}
		}
	}
	// Edges are stored in order, so their numbers order them.
	slices.Sort(found)
	found = slices.Compact(found)
	edges := make([]Edge, len(found))
	for i, e := range found {
		edges[i] = g.edges[e]
	}
	return edges, nil
}

// Degrees implements Backend.
func (g *Graph) Degrees(_ context.Context, numbers []int32, direction Direction, relations RelationSet) ([]int, error) {
	if _, err := checkNumbers(numbers, len(g.nodes)); err != nil {
		return nil, fmt.Errorf("degrees: %w", err)
	}
	degrees := make([]int, len(numbers))
	for i, n := range numbers {
		if direction&Out != 0 {
			for _, e := range g.OutEdges(n) {
				if relations.Has(e.Relation) {
					degrees[i]++
				}
			}
		}
		if direction&In != 0 {
			for _, e := range g.InEdges(n) {
				if relations.Has(g.edges[e].Relation) {
					degrees[i]++
				}
			}
		}
	}
	return degrees, nil
}

// Unresolved implements Backend.
func (g *Graph) Unresolved(_ context.Context, numbers []int32, direction Direction) ([]Unresolved, error) {
	sorted, err := checkNumbers(numbers, len(g.nodes))
	if err != nil {
		return nil, fmt.Errorf("unresolved calls: %w", err)
	}
	var found []int32
	for _, n := range sorted {
		if direction&Out != 0 {
			for i := g.calls[n]; i < g.calls[n+1]; i++ {
				found = append(found, i)
			}
		}
		if direction&In != 0 {
			found = append(found, g.maybeCalls[g.maybe[n]:g.maybe[n+1]]...)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	calls := make([]Unresolved, len(found))
	for i, u := range found {
		calls[i] = g.unresolved[u]
		calls[i].Candidates = slices.Clone(calls[i].Candidates)
	}
	return calls, nil
}
