package compat

import "sortedheap/internal/codegraph/query/terms"

// Fixes are repairs of the pipeline, each independent of the others.
type Fixes struct {
	// DemoteRelational (C1): words that say which relation is asked for, such as
	// "calls", own no seed. They still score.
	DemoteRelational bool
	// SkipCovered (C2): a term that the label of a seed contains owns no other.
	SkipCovered bool
	// RelaxStarving (C3): a filter that the question only implied is dropped when
	// nothing but the seeds passes it.
	RelaxStarving bool
	// CallerHints: "caller" and "callers" imply a filter, as in later versions.
	CallerHints bool
}

// AllFixes are the three that repair questions about callers.
func AllFixes() Fixes {
	return Fixes{DemoteRelational: true, SkipCovered: true, RelaxStarving: true}
}

// Options of one question.
type Options struct {
	GraphName  string   // shown in the header; empty: not shown
	Contexts   []string // edge contexts asked for by name
	Depth      int      // hops, 0..MaxDepth
	DepthFirst bool
	Budget     int // tokens of nodes and edges, at least 1
	Fixes      Fixes
	Segment    terms.Segmenter // nil: Chinese in pairs of characters
}

// Limits and defaults of Options.
const (
	DefaultDepth  = 2
	MaxDepth      = 6
	DefaultBudget = 2000
)

// Answer is the text and what led to it.
type Answer struct {
	Terms   []string
	Seeds   []int32
	Filter  Filter
	Relaxed bool
	Nodes   []int32 // reached, in the order in which they are shown; the text may cut them
	Text    string
}

// Query answers a question.
func Query(g *Graph, question string, o Options) Answer {
	words := terms.Question(question, o.Segment)
	scores := g.Score(words, true)
	a := Answer{Terms: words}
	if o.Fixes.DemoteRelational {
		scores.Best = demote(scores.Best)
	}
	a.Seeds = Picker{SkipCovered: o.Fixes.SkipCovered}.Pick(g, scores)
	a.Filter = ResolveFilter(question, o.Contexts, o.Fixes.CallerHints)
	if len(a.Seeds) == 0 {
		a.Text = noMatch
		return a
	}
	w := g.walk(a.Filter, a.Seeds, o.Depth, o.DepthFirst)
	if o.Fixes.RelaxStarving && a.Filter.Source == Heuristic && len(w.nodes) <= len(a.Seeds) {
		w = g.walk(Filter{}, a.Seeds, o.Depth, o.DepthFirst)
		a.Relaxed = true
	}
	a.Nodes = w.order(g)
	head := header{graph: o.GraphName, depthFirst: o.DepthFirst, depth: o.Depth, filter: a.Filter, relaxed: a.Relaxed}
	a.Text = head.line(g, w) + "\n\n" + w.body(g).text(o.Budget)
	return a
}
