package query

import (
	"cmp"
	"math"
	"slices"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query/terms"
)

// wordIndex finds nodes by the words of their names, and with less weight by
// those of their comments and folders.
type wordIndex struct {
	names, texts map[string][]int32
}

func indexWords(c *Catalog) *wordIndex {
	x := &wordIndex{names: map[string][]int32{}, texts: map[string][]int32{}}
	add := func(to map[string][]int32, words []string, n int32) {
		for _, w := range words {
			if list := to[w]; len(list) == 0 || list[len(list)-1] != n {
				to[w] = append(list, n)
			}
		}
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		add(x.names, components(n.Label), int32(i))
		add(x.names, []string{squash(n.Label)}, int32(i))
		add(x.texts, terms.Tokens(n.Doc), int32(i))
		if n.Kind == graph.File || n.Kind == graph.Type {
			add(x.texts, components(n.File), int32(i))
		}
	}
	return x
}

// What a word's match is worth before its weight.
const (
	nameMatch = 10.0
	stemMatch = 7.0 // the name has the word without its plural or verb ending
	textMatch = 1.0
)

// Match is a node that a question's words suggest.
type Match struct {
	Node  int32
	Score float64
	Words []string // that matched its name
}

// Search ranks nodes by the words of a question. Words that many names have
// weigh little; the score grows with the share of words that match; types and
// functions come before fields and prose, production before tests.
func (c *Catalog) Search(words []string, limit int) []Match {
	type sum struct {
		score   float64
		matched []string
	}
	sums := map[int32]*sum{}
	count := 0.0
	for _, w := range terms.Search(words) {
		count++
		seen := map[int32]bool{}
		add := func(list []int32, worth float64, named bool) {
			weight := math.Log(1 + float64(len(c.nodes))/float64(1+len(list)))
			for _, n := range list {
				if seen[n] {
					continue
				}
				seen[n] = true
				s := sums[n]
				if s == nil {
					s = &sum{}
					sums[n] = s
				}
				s.score += worth * weight
				if named {
					s.matched = append(s.matched, w)
				}
			}
		}
		add(c.words.names[w], nameMatch, true)
		for _, stem := range stems(w) {
			add(c.words.names[stem], stemMatch, true)
		}
		add(c.words.texts[w], textMatch, false)
	}
	matches := make([]Match, 0, len(sums))
	for n, s := range sums {
		coverage := float64(len(s.matched)) / count
		matches = append(matches, Match{n, s.score * (0.25 + coverage*coverage) * c.prior(n), s.matched})
	}
	slices.SortFunc(matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(len(c.nodes[a.Node].Label), len(c.nodes[b.Node].Label)), c.compare(a.Node, b.Node))
	})
	return matches[:min(limit, len(matches))]
}

// prior is how likely a node of this kind is what somebody asks about.
func (c *Catalog) prior(n int32) float64 {
	node := &c.nodes[n]
	p := map[graph.Kind]float64{graph.Type: 1, graph.Function: 0.9, graph.Method: 0.8, graph.Package: 0.8, graph.File: 0.6, graph.Const: 0.5,
		graph.Field: 0.5, graph.Section: 0.6, graph.External: 0.4, graph.Prose: 0.2}[node.Kind]
	if node.Test {
		p *= 0.3
	}
	return p
}

// stems are a word without the endings of English plurals and verbs, and with a
// plural's, where enough of it is left.
func stems(w string) []string {
	var list []string
	for _, ending := range []string{"s", "es", "ed", "ing", "er", "ers", "ion", "ions"} {
		if len(w) >= len(ending)+4 && w[len(w)-len(ending):] == ending {
			stem := w[:len(w)-len(ending)]
			list = append(list, stem, stem+"e")
		}
	}
	return append(list, w+"s")
}
