package compat

import (
	"context"
	"fmt"
	"strconv"

	"sortedheap/internal/codegraph/graph"
)

// View makes the pipeline's graph of ours. Node numbers stay. Of several sites
// of one relation between two nodes, the first is kept, and a relation that
// only shows structure has no context.
func View(ctx context.Context, b graph.Backend) (*Graph, error) {
	var nodes []Node
	var numbers []int32
	err := b.EachNode(ctx, func(number int32, n *graph.Node) error {
		nodes = append(nodes, viewed(n))
		numbers = append(numbers, number)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read nodes: %w", err)
	}
	all, err := b.Neighbours(ctx, numbers, graph.Out, 0)
	if err != nil {
		return nil, fmt.Errorf("read edges: %w", err)
	}
	edges := make([]Edge, 0, len(all))
	type key struct {
		source, target int32
		relation       graph.Relation
		context        string
	}
	seen := make(map[key]bool, len(all))
	for _, e := range all {
		k := key{e.Source, e.Target, e.Relation, contextOf(&e)}
		if seen[k] {
			continue
		}
		seen[k] = true
		edges = append(edges, Edge{Source: e.Source, Target: e.Target, Relation: e.Relation.String(), Context: k.context,
			Confidence: e.Confidence.String(), File: e.File, Location: location(e.Line)})
	}
	return New(nodes, edges)
}

func viewed(n *graph.Node) Node {
	v := Node{ID: n.ID, Label: n.Display(), FileType: string(n.FileType), File: n.File, Location: location(n.Line)}
	if n.Kind == graph.File {
		v.Location = "L1"
	}
	if n.Community > 0 {
		v.Community = strconv.Itoa(n.Community)
	}
	return v
}

func location(line int) string {
	if line == 0 {
		return ""
	}
	return "L" + strconv.Itoa(line)
}

func contextOf(e *graph.Edge) string {
	switch e.Relation {
	case graph.Contains, graph.HasMethod, graph.Inherits, graph.Extends, graph.Implements, graph.MixesIn, graph.Embeds, graph.Uses:
		return ""
	}
	return e.Context
}
