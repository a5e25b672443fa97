package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// question is what is asked, as the index reads it.
type question struct {
	text    string
	terms   []string // distinct, in order
	weights []float32
	symbols []string // as they are written, that may be names of definitions
}

// partWeight is what the parts of an identifier weigh beside the whole.
const partWeight = 0.5

func parseQuestion(text string) question {
	q := question{text: text}
	at := map[string]int{}
	add := func(term string, weight float32) {
		if i, ok := at[term]; ok {
			q.weights[i] = max(q.weights[i], weight)
			return
		}
		at[term] = len(q.terms)
		q.terms = append(q.terms, term)
		q.weights = append(q.weights, weight)
	}
	seen := map[string]bool{}
	first := true
	identifiers(text, func(_ int, word string) {
		if (looksLikeSymbol(word, first)) && !seen[word] {
			seen[word] = true
			q.symbols = append(q.symbols, word)
		}
		first = false
		pieces, weight := parts(word), float32(1)
		if len(pieces) > 1 {
			add(clip(strings.ToLower(word)), 1)
			weight = partWeight
		}
		for _, p := range pieces {
			if lower := strings.ToLower(p); len(p) > 1 && !stopWords[lower] {
				add(stemmed(lower), weight)
			}
		}
	})
	return q
}

// looksLikeSymbol reports whether a word of a question may be a name: compound,
// or with a capital where a sentence has none.
func looksLikeSymbol(word string, first bool) bool {
	if isCompound(word) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && (!first || !stopWords[strings.ToLower(word)]) && len(word) > 1
}
