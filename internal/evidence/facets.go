package evidence

import (
	"math"
	"strings"
)

// What facets weigh against a term of the question.
const nameWeight = 0.6

// facets number what lines can show, with what each is worth and how often it
// was shown.
type facets struct {
	number map[string]int32    // identifiers and stems
	memo   map[string][]string // of a word, the stems of the question in it
	worth  []float64
	seen   []int
	terms  map[string]bool // stems of the question
}

// weighFacets weighs the question's terms by how few candidates hold them, and
// names by the scores of the candidates that hold them.
func weighFacets(q question, found []candidate) *facets {
	f := &facets{number: map[string]int32{}, memo: map[string][]string{}, terms: map[string]bool{}}
	for _, t := range q.terms {
		f.terms[t] = true
	}
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
		identifiers(found[i].Text, func(_ int, word string) {
			if defined[word] || asked[word] || isCompound(word) {
				note(word)
			}
			f.stems(word, note)
		})
	}
	for facet, n := range holders {
		worth := 0.0
		if stem, ok := strings.CutPrefix(facet, stemMark); ok {
			worth = math.Log(1+float64(len(found))/float64(n)) / math.Log(1+float64(len(found)))
			_ = stem
		} else {
			worth = nameWeight * mass[facet] / float64(n)
			if asked[facet] {
				worth += 1
			} else if !defined[facet] {
				worth *= 0.5
			}
		}
		f.number[facet] = int32(len(f.worth))
		f.worth = append(f.worth, worth)
	}
	f.seen = make([]int, len(f.worth))
	return f
}

// stemMark tells stems of the question from names.
const stemMark = "~"

func (f *facets) stems(word string, yield func(facet string)) {
	held, ok := f.memo[word]
	if !ok {
		for _, part := range parts(word) {
			if stem := stemmed(part); f.terms[stem] {
				held = append(held, stemMark+stem)
			}
		}
		f.memo[word] = held
	}
	for _, facet := range held {
		yield(facet)
	}
}

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

// of returns the facets of a line.
func (f *facets) of(line string) []int32 {
	var out []int32
	add := func(facet string) {
		n, ok := f.number[facet]
		if !ok {
			return
		}
		for _, had := range out {
			if had == n {
				return
			}
		}
		out = append(out, n)
	}
	identifiers(line, func(_ int, word string) {
		add(word)
		f.stems(word, add)
	})
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
			sum += f.worth[n] * seenAgain
		}
	}
	return sum
}

func (f *facets) see(line []int32) {
	for _, n := range line {
		f.seen[n]++
	}
}
