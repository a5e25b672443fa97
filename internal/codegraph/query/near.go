package query

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"sortedheap/internal/codegraph/graph"
)

// Near is an edge in the neighbourhood of an answer.
type Near struct {
	Edge graph.Edge
	Cost float64 // lower is nearer; for ordering only
}

// maxNear is how many edges of the neighbourhood an answer keeps; the budget
// shows fewer.
const maxNear = 80

// relationCost says how little an edge tells about the nodes it joins.
func relationCost(r graph.Relation) float64 {
	switch r {
	case graph.HasMethod, graph.Calls, graph.Instantiates:
		return 1
	case graph.Inherits, graph.Extends, graph.Implements, graph.Embeds, graph.MixesIn, graph.Overrides, graph.ListenedBy:
		return 1
	case graph.Defines, graph.Uses, graph.UsesStaticProp, graph.ReferencesConstant, graph.RationaleFor:
		return 2
	case graph.References:
		return 2.5
	case graph.Contains:
		return 3
	}
	return 4 // imports and the rest: nearly everything has them
}

// neighbourhood ranks edges around nodes by relation and by how busy the other
// end is: a hub is near nobody.
func (c *Catalog) neighbourhood(ctx context.Context, around []int32, rows []Row) ([]Near, error) {
	var from []int32
	for _, n := range around {
		from = append(from, c.roots(n)...)
	}
	slices.Sort(from)
	from = slices.Compact(from)
	edges, err := c.backend.Neighbours(ctx, from, graph.Both, 0)
	if err != nil {
		return nil, fmt.Errorf("read neighbourhood: %w", err)
	}
	central := map[int32]bool{}
	for _, n := range from {
		central[n] = true
	}
	answered := map[int32]bool{}
	for _, r := range rows {
		answered[r.Node] = true
	}
	type pair struct {
		source, target int32
		relation       graph.Relation
	}
	seen := map[pair]bool{}
	var ends []int32
	var list []Near
	for _, e := range edges {
		p := pair{e.Source, e.Target, e.Relation}
		far := farEnd(&e, central)
		if seen[p] || answered[far] || e.Source == e.Target {
			continue
		}
		seen[p] = true
		list = append(list, Near{Edge: e})
		ends = append(ends, far)
	}
	if len(list) == 0 {
		return nil, nil
	}
	degrees, err := c.backend.Degrees(ctx, ends, graph.Both, 0)
	if err != nil {
		return nil, fmt.Errorf("read degrees: %w", err)
	}
	for i := range list {
		cost := relationCost(list[i].Edge.Relation) + math.Log2(float64(1+degrees[i]))/3 + float64(list[i].Edge.Confidence)/2
		if c.nodes[ends[i]].Test {
			cost += 3
		}
		if slices.Contains(around, list[i].Edge.Source) {
			cost -= 0.5
		}
		list[i].Cost = cost
	}
	slices.SortStableFunc(list, func(a, b Near) int { return cmp.Compare(a.Cost, b.Cost) })
	return list[:min(maxNear, len(list))], nil
}

// farEnd is the end of an edge that is not central, or its target.
func farEnd(e *graph.Edge, central map[int32]bool) int32 {
	if !central[e.Source] {
		return e.Source
	}
	return e.Target
}
