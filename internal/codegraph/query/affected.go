package query

import (
	"context"
	"fmt"
	"slices"

	"sortedheap/internal/codegraph/graph"
)

// affecting are the edges against which a change travels.
var affecting = graph.Of(graph.Calls, graph.References, graph.Imports, graph.ImportsFrom, graph.ReExports, graph.DynamicImport,
	graph.Inherits, graph.Extends, graph.Implements, graph.Uses, graph.MixesIn, graph.Embeds, graph.Includes, graph.Instantiates,
	graph.UsesStaticProp, graph.ReferencesConstant, graph.UsesConfig, graph.ListenedBy, graph.Overrides)

// Affected is a node that a change reaches, and how far away it is.
type Affected struct {
	Row
	Hops int
}

// Affected follows edges backwards from nodes and their members, breadth first.
// relations 0 stands for all that a change travels along. A type is reached
// through its members; busy nodes are reached but a change does not pass on
// through them unless they are the subject.
func (c *Catalog) Affected(ctx context.Context, nodes []int32, relations graph.RelationSet, depth int) ([]Affected, error) {
	if relations == 0 {
		relations = affecting
	}
	if depth == 0 {
		depth = DefaultDepth
	}
	seen := map[int32]int{} // node to position in list; -1 for the subject
	var level []int32
	for _, n := range nodes {
		for _, r := range c.roots(n) {
			if _, ok := seen[r]; !ok {
				seen[r] = -1
				level = append(level, r)
			}
		}
	}
	var list []Affected
	for hop := 1; hop <= depth && len(level) > 0; hop++ {
		open := level
		if hop > 1 {
			var err error
			if open, err = c.passable(ctx, level, nil); err != nil {
				return nil, err
			}
		}
		edges, err := c.backend.Neighbours(ctx, open, graph.In, relations)
		if err != nil {
			return nil, fmt.Errorf("read what a change reaches: %w", err)
		}
		var next []int32
		for i := range edges {
			e := &edges[i]
			at, ok := seen[e.Source]
			if !ok {
				at = len(list)
				seen[e.Source] = at
				next = append(next, e.Source)
				list = append(list, Affected{Row{Node: e.Source, Owner: c.Owner(e.Source), Target: e.Target, Confidence: e.Confidence,
					Context: e.Context, Why: e.Why, Test: c.nodes[e.Source].Test}, hop})
			}
			if at >= 0 && list[at].Hops == hop {
				list[at].extend(e)
			}
		}
		level = next
	}
	for i := range list {
		if n := c.nodes[list[i].Node]; len(list[i].Sites) == 0 && n.File != "" {
			list[i].Sites = []Site{{n.File, n.Line}}
		}
	}
	slices.SortStableFunc(list, func(a, b Affected) int {
		if d := (boolInt(a.Test) - boolInt(b.Test)); d != 0 {
			return d
		}
		if a.Hops != b.Hops {
			return a.Hops - b.Hops
		}
		return c.compare(a.Node, b.Node)
	})
	return list, nil
}

// extend adds an edge's relation and site to a row.
func (r *Row) extend(e *graph.Edge) {
	if !slices.Contains(r.Relations, e.Relation) {
		r.Relations = append(r.Relations, e.Relation)
	}
	if site := (Site{e.File, e.Line}); e.File != "" && !slices.Contains(r.Sites, site) {
		r.Sites = append(r.Sites, site)
	}
	r.Confidence = min(r.Confidence, e.Confidence)
}

// RelationsNamed returns the set of relations of the names; none stands for all
// that Affected follows.
func RelationsNamed(names []string) (graph.RelationSet, error) {
	var set graph.RelationSet
	for _, name := range names {
		r, ok := graph.RelationNamed(name)
		if !ok {
			return 0, fmt.Errorf("unknown relation %q", name)
		}
		set |= graph.Of(r)
	}
	return set, nil
}
