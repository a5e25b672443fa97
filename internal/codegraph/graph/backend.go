package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Direction is which edges of a node are followed.
type Direction uint8

// The directions.
const (
	Out  Direction = 1 << iota // edges whose source it is
	In                         // edges whose target it is
	Both = Out | In
)

// Backend is what traversal needs of a graph, wherever it is stored. Node numbers
// out of range are errors. Calls may come from several goroutines.
type Backend interface {
	// Info describes the graph.
	Info(ctx context.Context) (Info, error)
	// Lookup returns the number of a node's id.
	Lookup(ctx context.Context, id string) (int32, bool, error)
	// Nodes returns the nodes of the numbers, in their order.
	Nodes(ctx context.Context, numbers []int32) ([]Node, error)
	// EachNode calls visit with every node in order until visit returns an error,
	// and returns that error. The node is valid during the call only.
	EachNode(ctx context.Context, visit func(number int32, node *Node) error) error
	// Neighbours returns every edge that leaves (Out), enters (In) or touches
	// (Both) one of the nodes and is of one of the relations, each edge once, in
	// the order of CompareEdges. Duplicate numbers change nothing.
	Neighbours(ctx context.Context, numbers []int32, direction Direction, relations RelationSet) ([]Edge, error)
	// Degrees returns how many edges each node has in the direction and relations;
	// a loop counts twice for Both.
	Degrees(ctx context.Context, numbers []int32, direction Direction, relations RelationSet) ([]int, error)
	// Unresolved returns the unresolved calls from the nodes (Out) or with one of
	// the nodes among their candidates (In), each once, in the order of
	// CompareUnresolved.
	Unresolved(ctx context.Context, numbers []int32, direction Direction) ([]Unresolved, error)
}

// CompareEdges orders edges by source, relation, target, site, and the rest.
func CompareEdges(a, b Edge) int {
	return cmp.Or(
		cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Relation, b.Relation),
		cmp.Compare(a.Target, b.Target),
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Context, b.Context),
		cmp.Compare(a.Confidence, b.Confidence),
		cmp.Compare(a.Score, b.Score),
		cmp.Compare(a.Why, b.Why))
}

// CompareUnresolved orders unresolved calls by source, site, relation, name and
// receiver.
func CompareUnresolved(a, b Unresolved) int {
	return cmp.Or(
		cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Relation, b.Relation),
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Receiver, b.Receiver))
}

// checkNumbers returns the numbers sorted without duplicates, or an error when
// one is not a node of a graph of n nodes.
func checkNumbers(numbers []int32, n int) ([]int32, error) {
	for _, number := range numbers {
		if number < 0 || int(number) >= n {
			return nil, fmt.Errorf("node %d is not one of the graph's %d", number, n)
		}
	}
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	return slices.Compact(sorted), nil
}
