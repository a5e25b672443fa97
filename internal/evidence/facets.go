package evidence

import (
	"math"
	"slices"
	"strings"
)

// facets number what lines can show, with what each is worth and how often it
// was shown.
type facets struct {
	number    map[string]int32 // identifiers and stems
	worth     []float64
	seen      []int
	seenAgain float64
	q         *question
}

// weighFacets weighs the question's terms by how few candidates hold them, and
// names by the scores of the candidates that hold them.
func weighFacets(w *weights, q *question, found []candidate) *facets {
	f := &facets{q: q, number: map[string]int32{}, seenAgain: w.seenAgain}
	defined := map[string]bool{}
	for i := range found {
		if s := found[i].Symbol; s != "" {
			defined[lastName(s)] = true
		}
	}
	asked := map[string]bool{}
	for _, s := range q.symbols {
		asked[s] = true
	}
	holders := map[string]int{}
	mass := map[string]float64{}
	for i := range found {
		here := map[string]bool{}
		note := func(facet string) {
			if !here[facet] {
				here[facet] = true
				holders[facet]++
				mass[facet] += found[i].score
			}
		}
		for word := range found[i].words {
			if defined[word] || asked[word] || isCompound(word) {
				note(word)
			}
			for _, term := range q.in(word) {
				note(stemMark + term)
			}
		}
	}
	for facet, n := range holders {
		var worth float64
		switch {
		case strings.HasPrefix(facet, stemMark):
			worth = math.Log(1+float64(len(found))/float64(n)) / math.Log(1+float64(len(found)))
		case asked[facet]:
			worth = w.asked + w.defined*mass[facet]/float64(n)
		case defined[facet]:
			worth = w.defined * mass[facet] / float64(n)
		default:
			worth = w.other * mass[facet] / float64(n)
		}
		f.number[facet] = int32(len(f.worth))
		f.worth = append(f.worth, worth)
	}
	f.seen = make([]int, len(f.worth))
	return f
}

// stemMark tells stems of the question from names.
const stemMark = "~"

// lastName is the name in a qualified one.
func lastName(symbol string) string {
	end := len(symbol)
	for end > 0 && !isNameByte(symbol[end-1]) {
		end--
	}
	start := end
	for start > 0 && isNameByte(symbol[start-1]) {
		start--
	}
	return symbol[start:end]
}

// of returns the facets of a line of words.
func (f *facets) of(line []string) []int32 {
	var out []int32
	add := func(facet string) {
		if n, ok := f.number[facet]; ok && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	for _, word := range line {
		add(word)
		for _, term := range f.q.in(word) {
			add(stemMark + term)
		}
	}
	return out
}

// gain is what showing these facets once more is worth.
func (f *facets) gain(line []int32) float64 {
	sum := 0.0
	for _, n := range line {
		switch f.seen[n] {
		case 0:
			sum += f.worth[n]
		case 1:
			sum += f.worth[n] * f.seenAgain
		}
	}
	return sum
}

func (f *facets) see(line []int32) {
	for _, n := range line {
		f.seen[n]++
	}
}
