package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query/terms"
)

// Catalog is what questions need of every node: its names and where it belongs.
// It is read once, does not change, and serves any number of questions at once;
// edges stay in the backend.
type Catalog struct {
	Info    graph.Info
	backend graph.Backend
	nodes   []graph.Node
	owner   []int32   // the type, function or file that declares a node; -1 for none
	members [][]int32 // what a node declares, in order

	ids    map[string]int32
	labels map[string][]int32 // bare name as written
	folded map[string][]int32 // bare name folded, without separators
	files  map[string][]int32 // base name of a file node, folded
	words  *wordIndex
}

// structure are the relations that say what belongs to what.
var structure = graph.Of(graph.Contains, graph.HasMethod, graph.Defines)

// Open reads the names of a graph.
func Open(ctx context.Context, b graph.Backend) (*Catalog, error) {
	info, err := b.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("read graph: %w", err)
	}
	c := &Catalog{Info: info, backend: b, ids: make(map[string]int32, info.Nodes), labels: make(map[string][]int32, info.Nodes),
		folded: make(map[string][]int32, info.Nodes), files: make(map[string][]int32, info.Files)}
	all := make([]int32, 0, info.Nodes)
	err = b.EachNode(ctx, func(number int32, n *graph.Node) error {
		c.nodes = append(c.nodes, *n)
		all = append(all, number)
		c.name(number, n)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read nodes: %w", err)
	}
	if err := c.own(ctx, all); err != nil {
		return nil, err
	}
	c.words = indexWords(c)
	return c, nil
}

func (c *Catalog) name(number int32, n *graph.Node) {
	c.ids[n.ID] = number
	if n.Kind == graph.File {
		base := terms.Fold(n.Label)
		c.files[base] = append(c.files[base], number)
		return
	}
	c.labels[n.Label] = append(c.labels[n.Label], number)
	if n.Kind != graph.Prose {
		key := squash(n.Label)
		c.folded[key] = append(c.folded[key], number)
	}
}

// own finds for each node what declares it: a type before a file, a file before
// a package.
func (c *Catalog) own(ctx context.Context, all []int32) error {
	edges, err := c.backend.Neighbours(ctx, all, graph.Out, structure)
	if err != nil {
		return fmt.Errorf("read structure: %w", err)
	}
	c.owner, c.members = make([]int32, len(c.nodes)), make([][]int32, len(c.nodes))
	for i := range c.owner {
		c.owner[i] = -1
	}
	for _, e := range edges {
		if e.Source == e.Target {
			continue
		}
		if !slices.Contains(c.members[e.Source], e.Target) {
			c.members[e.Source] = append(c.members[e.Source], e.Target)
		}
		if old := c.owner[e.Target]; old < 0 || nearness(c.nodes[e.Source].Kind) < nearness(c.nodes[old].Kind) {
			c.owner[e.Target] = e.Source
		}
	}
	return nil
}

func nearness(k graph.Kind) int {
	switch k {
	case graph.Type:
		return 0
	case graph.Function, graph.Method:
		return 1
	case graph.Section:
		return 2
	case graph.File:
		return 3
	default:
		return 4
	}
}

// Node returns a node by its number.
func (c *Catalog) Node(n int32) *graph.Node { return &c.nodes[n] }

// Len is the number of nodes.
func (c *Catalog) Len() int { return len(c.nodes) }

// Owner returns the type that a node belongs to, however deep, or -1.
func (c *Catalog) Owner(n int32) int32 {
	for steps := 0; steps < maxNesting; steps++ {
		n = c.owner[n]
		if n < 0 || c.nodes[n].Kind == graph.Type {
			return n
		}
	}
	return -1
}

// maxNesting bounds chains of owners, which a stored graph could close to rings.
const maxNesting = 64

// roots are a node and, of a type, all that it declares.
func (c *Catalog) roots(n int32) []int32 {
	roots := []int32{n}
	switch c.nodes[n].Kind {
	case graph.Type:
		roots = append(roots, c.members[n]...)
		for _, m := range c.members[n] { // closures speak for the method around them
			if k := c.nodes[m].Kind; k == graph.Method || k == graph.Function {
				roots = append(roots, c.members[m]...)
			}
		}
	case graph.Function, graph.Method:
		roots = append(roots, c.members[n]...)
	case graph.File, graph.Package:
		for _, m := range c.members[n] {
			roots = append(roots, m)
			if c.nodes[m].Kind == graph.Type {
				roots = append(roots, c.members[m]...)
			}
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// Name is how answers call a node: qualified where that says more.
func (c *Catalog) Name(n int32) string {
	node := &c.nodes[n]
	switch node.Kind {
	case graph.File:
		return cmp.Or(node.File, node.Label)
	case graph.Function, graph.Method:
		return cmp.Or(node.Qualified, node.Label) + "()"
	case graph.Prose, graph.Section:
		return node.Label
	}
	return cmp.Or(node.Qualified, node.Label)
}

// squash folds a name and drops what separates its words, so that
// "rate_limit", "rateLimit" and "rate limit" are one.
func squash(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, terms.Fold(name))
}

// components are the words of a name: cut at separators, before capitals, and
// between letters and digits; folded.
func components(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, terms.Fold(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsNumber(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush(i)
		case i > start && unicode.IsDigit(r) != unicode.IsDigit(runes[i-1]):
			flush(i)
		}
	}
	flush(len(runes))
	return words
}
