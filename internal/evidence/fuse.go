package evidence

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
)

// source is a way in which a fragment is found.
type source int

const (
	bySymbol source = iota
	byTerms
	byVector
	byMeaning
	byReference
	sources
)

// farAway stands for the distance of a fragment that is not near.
const farAway = 2

// strength is what a source says of a candidate; 0 for nothing.
func (c *candidate) strength(s source) float64 {
	switch s {
	case bySymbol:
		return c.symbol
	case byTerms:
		return c.lexical
	case byVector:
		return farAway - c.distance
	case byMeaning:
		return c.meaning
	default:
		return c.rescue
	}
}

// fuse ranks candidates by each source, sets their scores by reciprocal rank
// fusion, and sorts them best first; ties go to the lower number. Ranks count, for
// the strengths of two sources do not compare; but a symbol counts as far as it is
// one for sure, for a word with a capital may be none.
func (w *weights) fuse(all []candidate) {
	order := make([]int, len(all))
	for s := range byReference {
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(all[b].strength(s), all[a].strength(s)), cmp.Compare(all[a].id, all[b].id))
		})
		rank := 0
		last := math.Inf(1)
		for at, i := range order {
			strength := all[i].strength(s)
			if strength <= 0 {
				all[i].ranks[s] = 0
				continue
			}
			if strength < last {
				rank, last = at+1, strength
			}
			all[i].ranks[s] = rank
		}
	}
	weight := [sources]float64{bySymbol: w.symbol, byTerms: w.terms, byVector: w.vector, byMeaning: w.meaning}
	surest := 0.0
	for i := range all {
		surest = max(surest, all[i].symbol)
	}
	if surest == 0 {
		weight[byVector] = w.alone
	}
	for i := range all {
		c := &all[i]
		c.score = 0
		for s, rank := range c.ranks[:byReference] {
			if rank == 0 {
				continue
			}
			share := 1.0
			if source(s) == bySymbol {
				share = c.symbol / surest
			}
			c.score += share * weight[s] * (w.damping + 1) / (w.damping + float64(rank))
		}
	}
	sortByScore(all)
}

func sortByScore(all []candidate) {
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
}

// testShare is what remains of what terms say for a test.
const testShare = 0.35

// rank adds to the fused scores what references tell: a fragment that strong seeds
// refer to counts as one of them, the more the more of the question's terms it has.
// Tests come after what they test, unless the question is about tests.
func (w *weights) rank(q *question, all []candidate) {
	affinity(q, all)
	most := 0.0
	for i := range all {
		most = max(most, all[i].rescue*all[i].rarity)
	}
	for i := range all {
		c := &all[i]
		if c.rescue > 0 {
			c.ranks[byReference] = 1
			c.score += w.reference * c.rescue * c.rarity / most * (w.blind + (1-w.blind)*c.affinity)
		}
		if !q.aboutTests && isTest(c.File) {
			c.score *= w.test
		}
		if c.isType() {
			c.score *= w.typ
		}
		if c.Kind == kindNotes {
			c.score *= w.notes
		}
	}
	w.cited(all)
	w.shareParts(all)
	sortByScore(all)
	w.demoteNamesakes(q, all)
	sortByScore(all)
}

// shareParts lifts each part of a function that was cut towards the best of its
// parts, for what follows in a function belongs to what was found of it.
func (w *weights) shareParts(all []candidate) {
	type function struct{ file, symbol string }
	best := map[function]float64{}
	for i := range all {
		if c := &all[i]; c.Symbol != "" && !c.isType() {
			at := function{c.File, c.Symbol}
			best[at] = max(best[at], c.score)
		}
	}
	for i := range all {
		c := &all[i]
		c.score += w.part * max(best[function{c.File, c.Symbol}]-c.score, 0)
	}
}

// demoteNamesakes lets the best of the definitions of one name stand for those in
// other types, which often only hand on to it; but not for one whose type is called
// by more of the question's terms.
func (w *weights) demoteNamesakes(q *question, all []candidate) {
	best := map[string]string{}
	for i := range all {
		c := &all[i]
		if c.Symbol == "" {
			continue
		}
		name := lastName(c.Symbol)
		symbol, ok := best[name]
		if !ok {
			best[name] = c.Symbol
		} else if symbol != c.Symbol && !q.calls(c.Symbol, symbol) {
			c.score *= w.again
		}
	}
}

// calls reports whether the question has a term for a symbol that is none for another.
func (q *question) calls(symbol, other string) bool {
	had := map[string]bool{}
	identifiers(other, func(_ int, word string) {
		for _, term := range q.in(word) {
			had[term] = true
		}
	})
	more := false
	identifiers(symbol, func(_ int, word string) {
		more = more || slices.ContainsFunc(q.in(word), func(term string) bool { return !had[term] })
	})
	return more
}

const citeRounds = 2

// cited lets candidates lend their scores to the candidates that they name, so
// that what the best seeds call, and what that calls, comes up.
func (w *weights) cited(all []candidate) {
	named := map[string][]int{}
	for i := range all {
		if c := &all[i]; c.Symbol != "" && c.Head == "" {
			name := lastName(c.Symbol)
			named[name] = append(named[name], i)
		}
	}
	cited := make([][]int, len(all))
	for i := range all {
		for name, targets := range named {
			if !all[i].words[name] || slices.Contains(targets, i) {
				continue
			}
			cited[i] = append(cited[i], nearest(all, targets, all[i].File)...)
		}
		slices.Sort(cited[i])
	}
	own := make([]float64, len(all))
	for i := range all {
		own[i] = all[i].score
	}
	for range citeRounds {
		lent := make([]float64, len(all))
		for i := range all {
			for _, to := range cited[i] {
				lent[to] += all[i].score * w.cite / math.Sqrt(float64(len(cited[i])))
			}
		}
		for i := range all {
			c := &all[i]
			c.score = own[i] + min(lent[i], own[i]+1)*(w.citeBlind+(1-w.citeBlind)*c.affinity)*c.rarity
		}
	}
}

// nearest are the candidates that a name stands for in a file: those of that file,
// else all unless they are too many to tell anything.
func nearest(all []candidate, targets []int, file string) []int {
	if len(targets) == 1 {
		return targets
	}
	var near []int
	for _, i := range targets {
		if all[i].File == file {
			near = append(near, i)
		}
	}
	if len(near) > 0 {
		targets = near
	}
	if len(targets) > maxDefinitions {
		return nil
	}
	return targets
}

// affinity sets which share of the question's terms each candidate holds, weighed
// by how few hold them.
func affinity(q *question, all []candidate) {
	holders := map[string]int{}
	for i := range all {
		for term := range all[i].terms {
			holders[term]++
		}
	}
	most := 0.0
	for i := range all {
		c := &all[i]
		c.affinity = 0
		for j, t := range q.terms {
			if c.terms[t] {
				c.affinity += float64(q.weights[j]) * inverseFrequency(len(all), holders[t])
			}
		}
		most = max(most, c.affinity)
	}
	if most > 0 {
		for i := range all {
			all[i].affinity /= most
		}
	}
}

// isType reports whether a fragment is of a type, not of a function.
func (f *Fragment) isType() bool {
	switch f.Kind {
	case "class", "interface", "trait", "enum", "struct", "alias":
		return true
	}
	return false
}

// isTest tells by its path whether a file holds tests.
func isTest(file string) bool {
	dir, base := path.Split(strings.ToLower(file))
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, ".test") ||
		strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "_spec") ||
		slices.ContainsFunc(strings.Split(dir, "/"), func(d string) bool {
			return d == "test" || d == "tests" || d == "testing" || d == "testdata" || d == "spec" || d == "__tests__"
		})
}

var sourceNames = [sources]string{bySymbol: "symbol", byTerms: "terms", byVector: "vector", byMeaning: "meaning", byReference: "reference"}

// found names the sources that a candidate stands in.
func (c *candidate) found() []string {
	var out []string
	for s, rank := range c.ranks {
		if rank > 0 {
			out = append(out, sourceNames[s])
		}
	}
	return out
}
