package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sortedheap/internal/codegraph/graph"
)

// Site is a place in a source.
type Site struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Row is one answer: a node in the asked relation to the subject, with every
// site that says so.
type Row struct {
	Node       int32
	Owner      int32 // the type that it belongs to; -1 for none
	Target     int32 // what of the subject it is in relation to
	Relations  []graph.Relation
	Context    string
	Confidence graph.Confidence
	Tier       Tier
	Why        string
	Sites      []Site
	Test       bool
}

// Tier is how directly a row answers; lower tiers come first.
type Tier uint8

// The tiers.
const (
	TierDirect   Tier = iota // the asked relation itself
	TierHolds                // names the subject's type, in a field or a parameter, but no such edge was seen
	TierImports              // only imports it
	TierPossible             // an unresolved call that may mean it, or a call through what it replaces
)

// relationsOf are the edges that answer a question directly, and those that hint
// at an answer.
func relationsOf(a Ask) (direct, hints graph.RelationSet) {
	inherits := graph.Of(graph.Inherits, graph.Extends, graph.Implements, graph.MixesIn, graph.Embeds)
	imports := graph.Of(graph.Imports, graph.ImportsFrom, graph.ReExports, graph.DynamicImport, graph.Includes)
	calls := graph.Of(graph.Calls, graph.Instantiates, graph.Triggers)
	mentions := graph.Of(graph.References, graph.Uses, graph.UsesConfig, graph.UsesStaticProp, graph.ReferencesConstant, graph.ReadsFrom, graph.BoundTo)
	switch a {
	case AskCalls:
		return calls, mentions | imports
	case AskUses, AskAffected:
		return calls | mentions | inherits | graph.Of(graph.ListenedBy), imports
	case AskImplements:
		return graph.Of(graph.Implements, graph.MixesIn), graph.Of(graph.Inherits, graph.Extends)
	case AskExtends:
		return graph.Of(graph.Inherits, graph.Extends, graph.Embeds, graph.MixesIn), graph.Of(graph.Implements)
	case AskCreates:
		return graph.Of(graph.Instantiates), 0
	case AskImports:
		return imports, 0
	case AskOverrides:
		return graph.Of(graph.Overrides), 0
	case AskTakes, AskReturns, AskHolds:
		return graph.Of(graph.References, graph.Embeds), 0
	case AskListens:
		return graph.Of(graph.ListenedBy), graph.Of(graph.References, graph.Calls)
	case AskMembers:
		return structure, 0
	}
	return 0, 0
}

// contextsOf are the contexts that count for questions about types in a place.
func contextsOf(a Ask) []string {
	switch a {
	case AskTakes:
		return []string{graph.ContextParameterType}
	case AskReturns:
		return []string{graph.ContextReturnType}
	case AskHolds:
		return []string{graph.ContextField}
	}
	return nil
}

// gathering collects rows of one question.
type gathering struct {
	c         *Catalog
	in        Intent
	roots     map[int32]bool
	origin    map[int32]int32 // of each root the subject's node that it belongs to
	subject   map[int32]bool  // the subject's nodes themselves
	contexts  []string        // explicit filter
	rows      map[int32]*Row
	inside    int // edges from the subject to itself
	filtered  int // edges that the filter removed
	guesses   int // unresolved calls that may mean far too many things
	direct    graph.RelationSet
	callables bool // the subject is only functions
}

// gather finds the rows of an intent.
func (c *Catalog) gather(ctx context.Context, in Intent, contexts []string) (*gathering, error) {
	g := &gathering{c: c, in: in, roots: map[int32]bool{}, origin: map[int32]int32{}, subject: map[int32]bool{}, contexts: contexts, rows: map[int32]*Row{}, callables: true}
	var numbers []int32
	for _, n := range in.Nodes {
		g.subject[n] = true
		k := c.nodes[n].Kind
		g.callables = g.callables && (k == graph.Function || k == graph.Method)
		expanded := []int32{n}
		if in.Ask != AskMembers && in.Ask != AskImplements && in.Ask != AskExtends {
			expanded = c.roots(n)
		}
		for _, r := range expanded {
			if !g.roots[r] {
				g.roots[r] = true
				g.origin[r] = n
				numbers = append(numbers, r)
			}
		}
	}
	slices.Sort(numbers)
	direct, hints := relationsOf(in.Ask)
	g.direct = direct
	if in.Direction == graph.Out {
		hints = 0
	}
	edges, err := c.backend.Neighbours(ctx, numbers, in.Direction, direct|hints)
	if err != nil {
		return nil, fmt.Errorf("read edges of the subject: %w", err)
	}
	for i := range edges {
		g.add(&edges[i])
	}
	if in.Direction == graph.In && (in.Ask == AskCalls || in.Ask == AskUses) {
		if err := g.addPossible(ctx, numbers); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// add makes an edge part of the row of its other end.
func (g *gathering) add(e *graph.Edge) {
	near, far := e.Target, e.Source
	if g.in.Direction == graph.Out {
		near, far = far, near
	}
	if g.within(far, near) {
		// A sibling calls the subject, if that is a function; within a type it is
		// the type's own affair.
		if !g.callables || far == near || !g.roots[near] || g.subject[far] {
			g.inside++
			return
		}
	}
	if len(g.contexts) > 0 && !slices.Contains(g.contexts, e.Context) {
		g.filtered++
		return
	}
	tier := TierDirect
	switch {
	case g.in.Ask == AskListens && e.Relation == graph.References && e.Context != graph.ContextParameterType:
		tier = TierHolds
	case g.in.Ask == AskListens && e.Relation == graph.References:
	case !g.direct.Has(e.Relation) && importing.Has(e.Relation):
		tier = TierImports
	case !g.direct.Has(e.Relation):
		tier = TierHolds
	}
	if places := contextsOf(g.in.Ask); places != nil && !slices.Contains(places, e.Context) && e.Relation != graph.Embeds {
		return
	}
	g.put(far, near, e, tier)
}

// within says whether both ends of an edge are one subject: a declaration and its
// definition are, two things that only share the name asked for are not.
func (g *gathering) within(far, near int32) bool {
	if !g.roots[far] || g.in.Ask == AskMembers {
		return false
	}
	return !g.roots[near] || g.c.Name(g.origin[far]) == g.c.Name(g.origin[near])
}

var importing = graph.Of(graph.Imports, graph.ImportsFrom, graph.ReExports, graph.DynamicImport, graph.Includes)

func (g *gathering) put(far, near int32, e *graph.Edge, tier Tier) {
	site := Site{e.File, e.Line}
	if site.File == "" || g.in.Ask == AskMembers {
		n := g.c.Node(far)
		site = Site{n.File, n.Line}
	}
	r := g.rows[far]
	if r == nil {
		r = &Row{Node: far, Owner: g.c.Owner(far), Target: near, Tier: tier, Confidence: e.Confidence, Context: e.Context, Why: e.Why, Test: g.c.Node(far).Test}
		g.rows[far] = r
	}
	if tier < r.Tier || tier == r.Tier && e.Confidence < r.Confidence {
		if tier < r.Tier { // weaker evidence of the same node is not worth a site
			r.Sites, r.Relations = nil, nil
		}
		r.Tier, r.Confidence, r.Target, r.Context, r.Why = tier, e.Confidence, near, e.Context, e.Why
	}
	if tier > r.Tier {
		return
	}
	if !slices.Contains(r.Sites, site) {
		r.Sites = append(r.Sites, site)
	}
	if !slices.Contains(r.Relations, e.Relation) {
		r.Relations = append(r.Relations, e.Relation)
	}
}

// maxGuesses is up to how many candidates an unresolved call is worth a row.
const maxGuesses = 20

// addPossible adds calls that may mean the subject: unresolved ones with it
// among their candidates, and calls of what its methods replace.
func (g *gathering) addPossible(ctx context.Context, numbers []int32) error {
	if len(g.contexts) > 0 && !slices.Contains(g.contexts, graph.ContextCall) {
		return nil
	}
	calls, err := g.c.backend.Unresolved(ctx, numbers, graph.In)
	if err != nil {
		return fmt.Errorf("read unresolved calls: %w", err)
	}
	for _, u := range calls {
		near := int32(-1)
		for _, n := range u.Candidates {
			if g.roots[n] {
				near = n
				break
			}
		}
		if near < 0 || g.roots[u.Source] {
			continue
		}
		if u.Total > maxGuesses {
			g.guesses++
			continue
		}
		written := u.Name
		if u.Receiver != "" {
			written = u.Receiver + "." + u.Name
		}
		g.put(u.Source, near, &graph.Edge{File: u.File, Line: u.Line, Relation: u.Relation, Context: graph.ContextCall, Confidence: graph.Ambiguous,
			Why: fmt.Sprintf("%s, 1 of %d candidates", written, u.Total)}, TierPossible)
	}
	replaced, err := g.c.backend.Neighbours(ctx, numbers, graph.Out, graph.Of(graph.Overrides))
	if err != nil {
		return fmt.Errorf("read replaced methods: %w", err)
	}
	through := map[int32]int32{}
	var bases []int32
	for _, e := range replaced {
		if !g.roots[e.Target] {
			through[e.Target] = e.Source
			bases = append(bases, e.Target)
		}
	}
	if len(bases) == 0 {
		return nil
	}
	edges, err := g.c.backend.Neighbours(ctx, bases, graph.In, graph.Of(graph.Calls))
	if err != nil {
		return fmt.Errorf("read calls of replaced methods: %w", err)
	}
	for i := range edges {
		e := edges[i]
		if near, ok := through[e.Target]; ok && !g.roots[e.Source] {
			e.Confidence, e.Why = graph.Ambiguous, "through "+g.c.Name(e.Target)
			g.put(e.Source, near, &e, TierPossible)
		}
	}
	return nil
}

// sorted returns the rows, best first: direct ones, production before tests,
// sure before inferred; then those that only hint. A file that only imports the
// subject says nothing once something in it answers.
func (g *gathering) sorted() []Row {
	direct, answering := map[string]bool{}, map[int32]bool{}
	for _, r := range g.rows {
		if r.Tier <= TierHolds {
			direct[g.c.Node(r.Node).File] = true
		}
		if r.Tier == TierDirect {
			answering[r.Node], answering[r.Owner] = true, true
		}
	}
	var list []Row
	for _, r := range g.rows {
		// A file that only imports, a type that only names what one of its methods
		// calls: the better row says it.
		if r.Tier == TierImports && direct[g.c.Node(r.Node).File] {
			continue
		}
		if r.Tier == TierHolds && g.in.Ask == AskCalls && (answering[r.Node] || r.Owner >= 0 && answering[r.Owner]) {
			continue
		}
		slices.SortFunc(r.Sites, func(a, b Site) int { return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
		slices.Sort(r.Relations)
		list = append(list, *r)
	}
	slices.SortFunc(list, g.compareRows)
	return list
}

func (g *gathering) compareRows(a, b Row) int {
	if c := cmp.Or(cmp.Compare(g.group(&a), g.group(&b)), cmp.Compare(boolInt(!g.focused(&a)), boolInt(!g.focused(&b)))); c != 0 {
		return c
	}
	x, y := g.c.Node(a.Node), g.c.Node(b.Node)
	return cmp.Or(cmp.Compare(boolInt(!calling(&a)), boolInt(!calling(&b))), cmp.Compare(a.Confidence, b.Confidence), strings.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(a.Node, b.Node))
}

// group is where a row stands among the others: direct answers in production,
// there also types that keep the subject in a field; direct answers in tests;
// then weaker hints, and what is only possible.
func (g *gathering) group(r *Row) int {
	switch {
	case r.Tier == TierDirect && !r.Test:
		return 0
	case r.Tier == TierHolds && r.Context == graph.ContextField && !r.Test:
		return 1
	case r.Tier == TierDirect:
		return 2
	}
	return 1 + 2*int(r.Tier) + boolInt(r.Test)
}

// calling rows do more to the subject than name it.
func calling(r *Row) bool {
	return slices.Contains(r.Relations, graph.Calls) || slices.Contains(r.Relations, graph.Instantiates)
}

func (g *gathering) focused(r *Row) bool {
	return slices.ContainsFunc(g.in.Focus, func(n int32) bool { return r.Node == n || r.Owner == n })
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
