package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sortedheap/internal/codegraph/graph"
)

// Link is an edge as the explained node sees it.
type Link struct {
	Edge     graph.Edge
	Incoming bool
	Member   int32 // of the node, that has the edge; the node itself mostly
	Far      int32 // the other end
}

// Count is how many links of one kind there are.
type Count struct {
	Relation graph.Relation
	Incoming bool
	Links    int
	Tests    int // of them in tests
	Files    int // they are in
}

// Explanation is all about one node.
type Explanation struct {
	Catalog *Catalog
	Node    int32
	Others  []int32 // of the same name
	Members []int32
	Links   []Link // most telling first; of a type also those of its members
	Counts  []Count
	Degree  int // edges of the node itself
}

// AmbiguousError is a name that does not say which of several things is meant.
type AmbiguousError struct {
	Name  string
	Nodes []int32
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q is %d things: give a qualified name, path::name or path:line", e.Name, len(e.Nodes))
}

// UnknownError is a name that nothing has; Near are names like it.
type UnknownError struct {
	Name string
	Near []int32
}

func (e *UnknownError) Error() string { return fmt.Sprintf("nothing is named %q", e.Name) }

// One resolves a name that must mean one thing.
func (c *Catalog) One(name string) (int32, []int32, error) {
	r := c.Resolve(name)
	switch len(r.Nodes) {
	case 1:
		return r.Nodes[0], r.Others, nil
	case 0:
		var near []int32
		for _, m := range c.Search(components(name), 5) {
			near = append(near, m.Node)
		}
		return 0, nil, &UnknownError{name, near}
	}
	return 0, nil, &AmbiguousError{name, r.Nodes}
}

// Explain describes the node of a name with everything that touches it.
func (c *Catalog) Explain(ctx context.Context, name string) (*Explanation, error) {
	n, others, err := c.One(name)
	if err != nil {
		return nil, err
	}
	x := &Explanation{Catalog: c, Node: n, Others: others, Members: c.members[n]}
	roots := []int32{n}
	if c.nodes[n].Kind == graph.Type {
		roots = c.roots(n)
	}
	edges, err := c.backend.Neighbours(ctx, roots, graph.Both, 0)
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	degrees, err := c.backend.Degrees(ctx, []int32{n}, graph.Both, 0)
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	x.Degree = degrees[0]
	for _, e := range edges {
		from, to := slices.Contains(roots, e.Source), slices.Contains(roots, e.Target)
		if from && to && e.Source != n && e.Target != n {
			continue // among the members
		}
		if to && !(from && e.Source == n) {
			x.Links = append(x.Links, Link{e, true, e.Target, e.Source})
		} else {
			x.Links = append(x.Links, Link{e, false, e.Source, e.Target})
		}
	}
	x.count()
	slices.SortStableFunc(x.Links, func(a, b Link) int {
		return cmp.Or(cmp.Compare(c.telling(&a), c.telling(&b)), c.compare(a.Far, b.Far), cmp.Compare(a.Edge.Line, b.Edge.Line))
	})
	return x, nil
}

// telling orders links: callers, then callees, then the rest by relation;
// production before tests within each.
func (c *Catalog) telling(l *Link) float64 {
	t := 2 * relationCost(l.Edge.Relation)
	if !l.Incoming {
		t++
	}
	if c.nodes[l.Far].Test {
		t += 0.5
	}
	return t
}

func (x *Explanation) count() {
	type key struct {
		relation graph.Relation
		incoming bool
	}
	at := map[key]int{}
	files := map[key]map[string]bool{}
	for _, l := range x.Links {
		k := key{l.Edge.Relation, l.Incoming}
		i, ok := at[k]
		if !ok {
			i = len(x.Counts)
			at[k], files[k] = i, map[string]bool{}
			x.Counts = append(x.Counts, Count{Relation: k.relation, Incoming: k.incoming})
		}
		far := x.Catalog.Node(l.Far)
		x.Counts[i].Links++
		x.Counts[i].Tests += boolInt(far.Test)
		files[k][far.File] = true
	}
	for k, i := range at {
		x.Counts[i].Files = len(files[k])
	}
	slices.SortFunc(x.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(boolInt(!a.Incoming), boolInt(!b.Incoming)), cmp.Compare(b.Links, a.Links), cmp.Compare(a.Relation, b.Relation))
	})
}
