package compat

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"sortedheap/internal/codegraph/query/terms"
)

// What a match is worth, before the weight of its term.
const (
	exactTier     = 1000
	prefixTier    = 100
	substringTier = 1
	sourceTier    = 0.5
	wholeQuery    = 10 // a match of all words together counts as much more
)

// Ranked is a node with its score.
type Ranked struct {
	Node  int32
	Score float64
}

// Scores are the nodes that match, best first, and for each term the node that
// would win were it asked alone.
type Scores struct {
	Terms  []string
	Ranked []Ranked
	Best   map[string]int32 // nil unless asked for
}

// idfCache keeps document frequencies of one graph.
type idfCache struct {
	mu        sync.Mutex
	frequency map[string]int
}

// maxCachedTerms bounds the cache of a process that answers for long.
const maxCachedTerms = 10000

// Weight of a term is ln(1 + N / (1 + df)), df the nodes whose folded label
// contains it.
func (g *Graph) weight(term string, candidates []int32) float64 {
	g.idf.mu.Lock()
	df, ok := g.idf.frequency[term]
	g.idf.mu.Unlock()
	if !ok {
		for _, n := range candidates {
			if strings.Contains(g.text[n].norm, term) {
				df++
			}
		}
		g.idf.mu.Lock()
		if g.idf.frequency == nil || len(g.idf.frequency) >= maxCachedTerms {
			g.idf.frequency = map[string]int{}
		}
		g.idf.frequency[term] = df
		g.idf.mu.Unlock()
	}
	return math.Log(1 + float64(max(1, len(g.Nodes)))/float64(1+df))
}

// CachedTerms is how many document frequencies the graph knows.
func (g *Graph) CachedTerms() int {
	g.idf.mu.Lock()
	defer g.idf.mu.Unlock()
	return len(g.idf.frequency)
}

// scorer is one pass over the nodes.
type scorer struct {
	g       *Graph
	terms   []string
	weights []float64
	joined  string
	heavy   float64 // largest weight
	best    []winner
}

type winner struct {
	node  int32
	score float64
	found bool
}

// Score ranks the nodes that match words, the output of terms.Question. With
// best, it also finds the best node of each term, in the same pass.
func (g *Graph) Score(words []string, best bool) Scores {
	s := scorer{g: g, terms: terms.Search(words)}
	out := Scores{Terms: s.terms}
	if len(s.terms) == 0 {
		return out
	}
	candidates := g.candidates(s.terms)
	s.joined = strings.Join(s.terms, " ")
	for i, t := range s.terms {
		w := g.weight(t, candidates.of(i))
		s.weights = append(s.weights, w)
		s.heavy = max(s.heavy, w)
	}
	if best {
		s.best = make([]winner, len(s.terms))
	}
	for _, n := range candidates.union {
		if score := s.score(n); score > 0 {
			out.Ranked = append(out.Ranked, Ranked{n, score})
		}
	}
	slices.SortFunc(out.Ranked, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(g.text[a.Node].label, g.text[b.Node].label),
			strings.Compare(g.Nodes[a.Node].ID, g.Nodes[b.Node].ID))
	})
	if best {
		out.Best = map[string]int32{}
		for i, w := range s.best {
			if w.found {
				out.Best[s.terms[i]] = w.node
			}
		}
	}
	return out
}

// score returns a node's score, and lets it compete for each term.
func (s *scorer) score(n int32) float64 {
	t := &s.g.text[n]
	var scaled, plain float64
	matched := 0
	for i, term := range s.terms {
		high, low := labelTier(t, term)
		source := 0.0
		if strings.Contains(t.source, term) {
			source = sourceTier
		}
		if high > 0 || low > 0 {
			matched++
		}
		w := s.weights[i]
		scaled += high * w
		plain += (low + source) * w
		if s.best != nil && (high > 0 || low > 0 || source > 0 || t.id == term || strings.HasPrefix(t.tokens, term)) {
			s.compete(i, n, (wholeQuery*joinedTier(t, term)+high+low+source)*w)
		}
	}
	coverage := float64(matched) / float64(len(s.terms))
	return wholeQuery*joinedTier(t, s.joined)*s.heavy + plain + scaled*coverage*coverage
}

// labelTier is what a term is worth against a label: at most one of exact or
// prefix, which coverage scales, and substring, which it does not.
func labelTier(t *nodeText, term string) (high, low float64) {
	switch {
	case t.norm == term || t.bare == term:
		return exactTier, 0
	case strings.HasPrefix(t.norm, term) || strings.HasPrefix(t.bare, term):
		return prefixTier, 0
	case strings.Contains(t.norm, term):
		return 0, substringTier
	}
	return 0, 0
}

// joinedTier compares all words at once.
func joinedTier(t *nodeText, joined string) float64 {
	switch {
	case joined == t.norm || joined == t.bare || joined == t.tokens || joined == t.id:
		return exactTier
	case strings.HasPrefix(t.norm, joined) || strings.HasPrefix(t.bare, joined) || strings.HasPrefix(t.tokens, joined):
		return prefixTier
	}
	return 0
}

// compete makes n the best node of term i if it beats the one there: by score,
// then degree, shorter label, id.
func (s *scorer) compete(i int, n int32, score float64) {
	b := &s.best[i]
	if score <= 0 {
		return
	}
	if b.found {
		g := s.g
		order := cmp.Or(cmp.Compare(score, b.score), cmp.Compare(g.Degree(n), g.Degree(b.node)),
			cmp.Compare(g.text[b.node].label, g.text[n].label), strings.Compare(g.Nodes[b.node].ID, g.Nodes[n].ID))
		if order <= 0 {
			return
		}
	}
	*b = winner{n, score, true}
}
