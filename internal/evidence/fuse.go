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
	byReference
	sources
)

// farAway stands for the distance of a fragment that is not near.
const farAway = 2

// Reciprocal rank fusion: each list in which a fragment stands adds its weight
// over rank and damping. Ranks alone count, for scores of lists do not compare.
const damping = 10

var sourceWeight = [sources]float64{bySymbol: 1.5, byTerms: 1, byVector: 0.5}

// strength is what a source says of a candidate; 0 for nothing.
func (c *candidate) strength(s source) float64 {
	switch s {
	case bySymbol:
		return c.symbol
	case byTerms:
		return c.lexical
	case byVector:
		return farAway - c.distance
	default:
		return c.rescue
	}
}

// fuse ranks candidates by each source, sets their scores, and sorts them best
// first; ties go to the lower number.
func fuse(all []candidate) {
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
	for i := range all {
		c := &all[i]
		c.score = 0
		for s, rank := range c.ranks[:byReference] {
			if rank > 0 {
				c.score += sourceWeight[s] * (damping + 1) / (damping + float64(rank))
			}
		}
	}
	sortByScore(all)
}

func sortByScore(all []candidate) {
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
}

// What a reference adds to a score, and what a test keeps of its own.
const (
	referenceWeight = 1.0
	blindReference  = 0.3 // share of it that a fragment without a word of the question gets
	testShare       = 0.35
)

// rank adds to the fused scores what references tell: a fragment that strong seeds
// refer to counts as one of them, the more the more of the question's terms it has.
// Tests come after what they test, unless the question is about tests.
func rank(q question, all []candidate) {
	affinity(q, all)
	most := 0.0
	for i := range all {
		most = max(most, all[i].rescue*all[i].rarity)
	}
	for i := range all {
		c := &all[i]
		if c.rescue > 0 {
			c.ranks[byReference] = 1
			c.score += referenceWeight * c.rescue * c.rarity / most * (blindReference + (1-blindReference)*c.affinity)
		}
		if !q.aboutTests && isTest(c.File) {
			c.score *= testShare
		}
	}
	cite(all)
	sortByScore(all)
}

// Citations among candidates.
const (
	citeRounds = 2
	citeShare  = 0.5  // of a candidate's score that goes on to those it names
	citeKeep   = 0.25 // share of a citation that a fragment without a word of the question gets
)

// cite lets candidates lend their scores to the candidates that they name, so
// that what the best seeds call, and what that calls, comes up.
func cite(all []candidate) {
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
			cited[i] = append(cited[i], targets...)
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
				lent[to] += all[i].score * citeShare / math.Sqrt(float64(len(cited[i])))
			}
		}
		for i := range all {
			c := &all[i]
			c.score = own[i] + min(lent[i], own[i]+1)*(citeKeep+(1-citeKeep)*c.affinity)*c.rarity
		}
	}
}

// affinity sets which share of the question's terms each candidate holds, weighed
// by how few hold them.
func affinity(q question, all []candidate) {
	holders := map[string]int{}
	stems := make([]map[string]bool, len(all))
	asked := map[string]bool{}
	for _, t := range q.terms {
		asked[t] = true
	}
	memo := map[string][]string{}
	for i := range all {
		c := &all[i]
		c.words, stems[i] = map[string]bool{}, map[string]bool{}
		note := func(_ int, word string) {
			if c.words[word] {
				return
			}
			c.words[word] = true
			for _, stem := range askedStems(memo, asked, word) {
				stems[i][stem] = true
			}
		}
		identifiers(c.Text, note)
		identifiers(c.Symbol, note)
		identifiers(c.Head, note)
		for stem := range stems[i] {
			holders[stem]++
		}
	}
	most := 0.0
	for i := range all {
		c := &all[i]
		for j, t := range q.terms {
			if stems[i][t] {
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

// askedStems are the stems of a word's parts that the question has.
func askedStems(memo map[string][]string, asked map[string]bool, word string) []string {
	held, ok := memo[word]
	if !ok {
		pieces := parts(word)
		for _, p := range pieces {
			if stem := stemmed(p); asked[stem] {
				held = append(held, stem)
			}
		}
		if whole := strings.ToLower(word); len(pieces) > 1 && asked[whole] {
			held = append(held, whole)
		}
		memo[word] = held
	}
	return held
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

var sourceNames = [sources]string{bySymbol: "symbol", byTerms: "terms", byVector: "vector", byReference: "reference"}

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
