package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query/terms"
)

// Options of a question.
type Options struct {
	Contexts []string // keep only edges of these contexts; empty: all
	Depth    int      // hops of affected, 1..MaxDepth; 0: DefaultDepth
	// Segment cuts Chinese into words; nil: pairs of characters.
	Segment terms.Segmenter
}

// DefaultDepth and MaxDepth bound how far affected and path look.
const (
	DefaultDepth = 2
	MaxDepth     = 8
)

// Answer is what a question gets, before it is cut to a budget.
type Answer struct {
	Catalog  *Catalog
	Question string
	Intent   Intent
	Rows     []Row // best first
	Matches  []Match
	Near     []Near
	Path     []Hop
	Inside   int      // edges from the subject to itself
	Filter   []string // explicit contexts
	Filtered int      // edges that the filter removed
	Notes    []string
}

// maxSubjects is how many meanings of a name are answered for; of more, the
// answer lists them and asks.
const maxSubjects = 12

// maxMatches is how many anchors a question without relation has.
const maxMatches = 12

// Ask answers a question.
func (c *Catalog) Ask(ctx context.Context, question string, o Options) (*Answer, error) {
	a := &Answer{Catalog: c, Question: question, Intent: c.Parse(question), Filter: o.Contexts}
	in := &a.Intent
	if in.Ask == AskCalls {
		c.addCallables(in)
	}
	switch {
	case len(in.Nodes) == 0:
		return a, a.search(ctx, o)
	case len(in.Nodes) > maxSubjects:
		a.note("%q names %d things; ask about one of them, such as %s", in.Subject, len(in.Nodes), c.Name(in.Nodes[0]))
		in.Others = slices.Concat(in.Nodes[maxSubjects:], in.Others)
		in.Nodes = in.Nodes[:maxSubjects]
	}
	switch in.Ask {
	case AskNothing, AskDefined:
		return a, a.describe(ctx, o)
	case AskPath:
		return a, a.connect(ctx)
	case AskAffected:
		return a, a.impact(ctx, o)
	}
	for _, context := range o.Contexts {
		if known := graph.Contexts(); !slices.Contains(known, context) {
			a.note("%q is no usual context of an edge; those are %s", context, strings.Join(known, ", "))
		}
	}
	g, err := c.gather(ctx, *in, o.Contexts)
	if err != nil {
		return nil, err
	}
	a.Rows, a.Inside, a.Filtered = g.sorted(), g.inside, g.filtered
	if g.guesses > 0 {
		a.note("%d unresolved calls of such a name may mean it or any of more than %d others", g.guesses, maxGuesses)
	}
	a.Near, err = c.neighbourhood(ctx, in.Nodes, a.Rows)
	return a, err
}

// addCallables lets a question about calls mean functions, too, where a type has
// the same name.
func (c *Catalog) addCallables(in *Intent) {
	if in.kind || len(in.Nodes) == 0 || c.nodes[in.Nodes[0]].Kind != graph.Type {
		return
	}
	var rest []int32
	for _, n := range in.Others {
		if k := c.nodes[n].Kind; (k == graph.Function || k == graph.Method) && !c.nodes[n].Test {
			in.Nodes = append(in.Nodes, n)
		} else {
			rest = append(rest, n)
		}
	}
	in.Others = rest
	slices.SortFunc(in.Nodes, c.compare)
}

func (a *Answer) note(format string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, args...))
}

// search answers a question that names nothing: the nodes its words suggest.
func (a *Answer) search(ctx context.Context, o Options) error {
	c := a.Catalog
	if name := a.Intent.Unknown; name != "" {
		a.note("nothing is named %q", name)
	}
	words := terms.Question(a.Question, o.Segment)
	var content []string
	for _, w := range words {
		if len(lexicon[terms.Fold(w)]) == 0 && !fillers[terms.Fold(w)] {
			content = append(content, w)
			// A name of several words also matches by them.
			content = append(content, components(originalWord(a.Question, w))...)
		}
	}
	if len(content) == 0 {
		a.note("the question names nothing; ask about a name, such as: who calls X, what uses X, where is X")
		return nil
	}
	a.Matches = distinctLabels(c, c.Search(content, 4*maxMatches))
	var around []int32
	for _, m := range a.Matches[:min(3, len(a.Matches))] {
		around = append(around, m.Node)
	}
	if len(around) == 0 {
		a.note("no word of the question is part of a name in this graph")
		return nil
	}
	var err error
	a.Near, err = c.neighbourhood(ctx, around, nil)
	return err
}

// originalWord is a lower-cased word as the question writes it.
func originalWord(question, lower string) string {
	if at := strings.Index(strings.ToLower(question), lower); at >= 0 && at+len(lower) <= len(question) {
		return question[at : at+len(lower)]
	}
	return lower
}

// distinctLabels keeps the best node of each label.
func distinctLabels(c *Catalog, matches []Match) []Match {
	seen := map[string]bool{}
	var kept []Match
	for _, m := range matches {
		key := terms.Fold(c.Node(m.Node).Display())
		if !seen[key] && len(kept) < maxMatches {
			seen[key] = true
			kept = append(kept, m)
		}
	}
	return kept
}

// describe answers a question about a name alone: where it is, what is around.
func (a *Answer) describe(ctx context.Context, o Options) error {
	c := a.Catalog
	for _, n := range a.Intent.Nodes {
		a.Matches = append(a.Matches, Match{Node: n, Words: []string{a.Intent.Subject}})
	}
	if a.Intent.Ask == AskNothing {
		words := terms.Question(a.Question, o.Segment)
		for _, m := range distinctLabels(c, c.Search(words, 2*maxMatches)) {
			if !slices.Contains(a.Intent.Nodes, m.Node) && len(a.Matches) < maxMatches {
				a.Matches = append(a.Matches, m)
			}
		}
	}
	var err error
	a.Near, err = c.neighbourhood(ctx, a.Intent.Nodes, nil)
	return err
}

// connect answers how two names are connected.
func (a *Answer) connect(ctx context.Context) error {
	var err error
	a.Path, err = a.Catalog.Path(ctx, a.Intent.Nodes, a.Intent.Focus, PathOptions{MaxHops: MaxPathHops})
	if err == nil && len(a.Path) == 0 {
		a.Path, err = a.Catalog.Path(ctx, a.Intent.Nodes, a.Intent.Focus, PathOptions{MaxHops: MaxPathHops, Undirected: true})
		a.note("no path leads from %s to %s along the edges' directions", a.Intent.Subject, a.Intent.FocusName)
	}
	return err
}

// impact answers what a change reaches.
func (a *Answer) impact(ctx context.Context, o Options) error {
	affected, err := a.Catalog.Affected(ctx, a.Intent.Nodes, 0, o.Depth)
	if err != nil {
		return err
	}
	for _, r := range affected {
		a.Rows = append(a.Rows, r.Row)
	}
	a.Near, err = a.Catalog.neighbourhood(ctx, a.Intent.Nodes, a.Rows)
	return err
}

// IsFunction says whether all of the subject is functions or methods.
func (a *Answer) IsFunction() bool {
	return !slices.ContainsFunc(a.Intent.Nodes, func(n int32) bool {
		k := a.Catalog.Node(n).Kind
		return k != graph.Function && k != graph.Method
	})
}
