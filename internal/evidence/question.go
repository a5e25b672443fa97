package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// question is what is asked, as the index reads it.
type question struct {
	terms      []string // distinct, in order
	weights    []float32
	symbols    []string // exact names, "Owner.Name" for qualified ones
	sure       []float32
	aboutTests bool
	asked      map[string]bool // terms
	known      stems
	held       map[string][]string // of words seen, the terms of the question in them
	near       []impact            // terms of the fragments that the question's vector is nearest to
}

// What a word of a question weighs as a term or a symbol.
const (
	partWeight      = 0.5 // a part of an identifier, beside the whole
	wordSymbol      = 0.3 // a plain word with a capital, or in capitals
	unqualified     = 0.6 // the name of a qualified one alone
	qualifierSymbol = 0.3 // the owner of a qualified name alone
)

func parseQuestion(text string, known stems) question {
	q := question{asked: map[string]bool{}, known: known, held: map[string][]string{}}
	at, had := map[string]int{}, map[string]int{}
	first, last, lastEnd := true, "", -1
	identifiers(text, func(start int, word string) {
		joined := last != "" && isQualifier(text[lastEnd:start])
		switch {
		case joined:
			add(&q.symbols, &q.sure, had, last+"."+word, 1)
			lower(q.sure, had, last, qualifierSymbol)
			add(&q.symbols, &q.sure, had, word, unqualified)
		case isCompound(word) && !isAcronym(word) || isCalled(text[start+len(word):]):
			add(&q.symbols, &q.sure, had, word, 1)
		case hasCapital(word) && !(first && stopWords[strings.ToLower(word)]):
			add(&q.symbols, &q.sure, had, word, wordSymbol)
		}
		first, last, lastEnd = false, word, start+len(word)
		q.addTerms(at, word)
	})
	_, q.aboutTests = at["test"]
	for _, t := range q.terms {
		q.asked[t] = true
	}
	return q
}

// in returns the question's terms that a word holds: itself and its parts.
func (q *question) in(word string) []string {
	held, ok := q.held[word]
	if !ok {
		pieces := parts(word)
		for _, p := range pieces {
			if stem := q.known.of(p); q.asked[stem] {
				held = append(held, stem)
			}
		}
		if whole := strings.ToLower(word); len(pieces) > 1 && q.asked[whole] {
			held = append(held, whole)
		}
		q.held[word] = held
	}
	return held
}

// addTerms adds a word, or an identifier and its parts.
func (q *question) addTerms(at map[string]int, word string) {
	pieces, weight := parts(word), float32(1)
	if len(pieces) > 1 {
		add(&q.terms, &q.weights, at, clip(strings.ToLower(word)), 1)
		weight = partWeight
	}
	for _, p := range pieces {
		lower := strings.ToLower(p)
		if len(p) > 1 && !stopWords[lower] && !(len(pieces) == 1 && fillers[lower]) {
			add(&q.terms, &q.weights, at, q.known.of(lower), weight)
		}
	}
}

// add appends what is new with its weight; what is there takes the greater one.
func add(words *[]string, weights *[]float32, at map[string]int, word string, weight float32) {
	if i, ok := at[word]; ok {
		(*weights)[i] = max((*weights)[i], weight)
		return
	}
	at[word] = len(*words)
	*words = append(*words, word)
	*weights = append(*weights, weight)
}

func lower(weights []float32, at map[string]int, word string, weight float32) {
	if i, ok := at[word]; ok {
		weights[i] = min(weights[i], weight)
	}
}

// isQualifier reports whether what stands between two names makes them one.
func isQualifier(between string) bool {
	switch between {
	case "::", ".", "->", "#":
		return true
	}
	return false
}

// isAcronym reports whether a word is in capitals alone, as SQL and TCP are, which
// name things in the world more often than in the source.
func isAcronym(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsUpper(r) })
}

func isCalled(rest string) bool { return strings.HasPrefix(rest, "()") }

func hasCapital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && len(word) > 1
}

// lookups are the terms that the index is asked for, symbols after the others.
func (q *question) lookups() (terms []string, weights []float32, symbols []bool) {
	terms = make([]string, 0, len(q.terms)+len(q.symbols))
	terms = append(terms, q.terms...)
	weights = append(make([]float32, 0, cap(terms)), q.weights...)
	symbols = make([]bool, len(q.terms), cap(terms))
	for i, s := range q.symbols {
		terms = append(terms, clip(symbolMark+s))
		weights = append(weights, q.sure[i])
		symbols = append(symbols, true)
	}
	return terms, weights, symbols
}
