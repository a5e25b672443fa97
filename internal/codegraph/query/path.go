package query

import (
	"context"
	"fmt"
	"slices"

	"sortedheap/internal/codegraph/graph"
)

// Hop is one step of a path. Edges are all that join the two nodes; each keeps
// its own direction.
type Hop struct {
	From, To int32
	Edges    []graph.Edge
}

// PathOptions of one search.
type PathOptions struct {
	Undirected bool // also against the edges' directions
	MaxHops    int  // 1..MaxPathHops; 0: that
}

// MaxPathHops is the longest path looked for.
const MaxPathHops = 8

// transitLimit is the degree above which a node is no way from one to another:
// everything is two hops from everything through a logger.
const transitLimit = 400

// Path returns a shortest path from any of the nodes in from to any in to, nil
// when there is none. Among paths of one length it avoids busy nodes; imports
// and structure are followed only where nothing else leads on.
func (c *Catalog) Path(ctx context.Context, from, to []int32, o PathOptions) ([]Hop, error) {
	for _, n := range slices.Clone(to) { // calls end at methods, not at their type
		if c.nodes[n].Kind == graph.Type {
			to = append(to, c.members[n]...)
		}
	}
	for _, relations := range []graph.RelationSet{meaningful, 0} {
		hops, err := c.shortest(ctx, from, to, o, relations)
		if err != nil || len(hops) > 0 {
			return hops, err
		}
	}
	return nil, nil
}

// meaningful are the relations that a path is worth showing for, members
// included so that it can pass through a type.
var meaningful = graph.Of(graph.Calls, graph.Instantiates, graph.References, graph.Uses, graph.Inherits, graph.Extends, graph.Implements,
	graph.MixesIn, graph.Embeds, graph.Overrides, graph.HasMethod, graph.Defines, graph.ListenedBy, graph.BoundTo, graph.Triggers)

func (c *Catalog) shortest(ctx context.Context, from, to []int32, o PathOptions, relations graph.RelationSet) ([]Hop, error) {
	direction := graph.Out
	if o.Undirected {
		direction = graph.Both
	}
	limit := o.MaxHops
	if limit == 0 {
		limit = MaxPathHops
	}
	parent := map[int32]int32{} // of the nodes reached; -1 for the first ones
	level := slices.Clone(from)
	slices.Sort(level)
	level = slices.Compact(level)
	for _, n := range level {
		parent[n] = -1
	}
	for range limit {
		open, err := c.passable(ctx, level, from)
		if err != nil {
			return nil, err
		}
		edges, err := c.backend.Neighbours(ctx, open, direction, relations)
		if err != nil {
			return nil, fmt.Errorf("read edges of a path: %w", err)
		}
		next := c.advance(edges, level, parent, o.Undirected)
		for _, n := range next {
			if slices.Contains(to, n) {
				return c.trace(ctx, n, parent, direction, relations)
			}
		}
		if len(next) == 0 {
			return nil, nil
		}
		level = next
	}
	return nil, nil
}

// passable leaves out nodes too busy to lead anywhere.
func (c *Catalog) passable(ctx context.Context, level, from []int32) ([]int32, error) {
	degrees, err := c.backend.Degrees(ctx, level, graph.Both, 0)
	if err != nil {
		return nil, fmt.Errorf("read degrees: %w", err)
	}
	var open []int32
	for i, n := range level {
		if degrees[i] <= transitLimit || slices.Contains(from, n) {
			open = append(open, n)
		}
	}
	return open, nil
}

// advance records how nodes were reached and returns the new ones in order.
func (c *Catalog) advance(edges []graph.Edge, level []int32, parent map[int32]int32, undirected bool) []int32 {
	at := map[int32]bool{}
	for _, n := range level {
		at[n] = true
	}
	var next []int32
	fresh := map[int32]bool{}
	reach := func(from, to int32) {
		if !at[from] {
			return
		}
		old, seen := parent[to]
		if !seen {
			fresh[to] = true
			next = append(next, to)
		}
		if !seen || fresh[to] && from < old {
			parent[to] = from
		}
	}
	for i := range edges {
		reach(edges[i].Source, edges[i].Target)
		if undirected {
			reach(edges[i].Target, edges[i].Source)
		}
	}
	slices.Sort(next)
	return next
}

func (c *Catalog) trace(ctx context.Context, end int32, parent map[int32]int32, direction graph.Direction, relations graph.RelationSet) ([]Hop, error) {
	var hops []Hop
	for n := end; parent[n] >= 0; n = parent[n] {
		hop := Hop{From: parent[n], To: n}
		edges, err := c.backend.Neighbours(ctx, []int32{hop.From}, direction, relations)
		if err != nil {
			return nil, fmt.Errorf("read edges of a path: %w", err)
		}
		for _, e := range edges {
			if e.Source == hop.From && e.Target == hop.To || e.Source == hop.To && e.Target == hop.From {
				hop.Edges = append(hop.Edges, e)
			}
		}
		hops = append(hops, hop)
	}
	slices.Reverse(hops)
	return hops, nil
}

// SameError is a path from a node to itself.
type SameError struct{ Name string }

func (e *SameError) Error() string { return "both ends are " + e.Name }

// PathBetween finds a path between two names, which must each mean one thing.
func (c *Catalog) PathBetween(ctx context.Context, from, to string, o PathOptions) ([]Hop, error) {
	a, _, err := c.One(from)
	if err != nil {
		return nil, err
	}
	b, _, err := c.One(to)
	if err != nil {
		return nil, err
	}
	if a == b {
		return nil, &SameError{c.Name(a)}
	}
	return c.Path(ctx, []int32{a}, []int32{b}, o)
}
