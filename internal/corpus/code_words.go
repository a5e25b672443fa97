package corpus

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"sortedheap/internal/embed"
)

// promptStopWords say nothing of what a question is about.
var promptStopWords = map[string]bool{
	"a": true, "an": true, "and": true, "approach": true, "are": true, "between": true, "by": true, "does": true, "for": true,
	"from": true, "handle": true, "happens": true, "how": true, "in": true, "is": true, "jarvis": true, "of": true, "or": true,
	"the": true, "to": true, "what": true, "when": true, "which": true, "with": true,
}

// tells says whether a word in lower case tells something: no stop word, and longer
// than two characters or a number.
func tells(word string) bool {
	return !promptStopWords[word] && (len(word) > 2 || word != "" && strings.Trim(word, "0123456789") == "")
}

// identifiers returns the maximal runs of ASCII letters, digits, underscores and
// extra characters that begin with a letter or an underscore; with numbers also
// those of digits.
func identifiers(text, extra string, numbers bool) []string {
	inside := func(c byte) bool {
		return c == '_' || c < 0x80 && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))) || strings.IndexByte(extra, c) >= 0
	}
	var out []string
	for i := 0; i < len(text); {
		digit := '0' <= text[i] && text[i] <= '9'
		end := i
		switch {
		case digit:
			for ; end < len(text) && '0' <= text[end] && text[end] <= '9'; end++ {
			}
		case inside(text[i]) && strings.IndexByte(extra, text[i]) < 0:
			for ; end < len(text) && inside(text[end]); end++ {
			}
		default:
			i++
			continue
		}
		if !digit || numbers {
			out = append(out, text[i:end])
		}
		i = end
	}
	return out
}

// PromptTerms returns the words and numbers of a question that tell something, in
// lower case, each once, in the order of the question.
func PromptTerms(text string) []string {
	var terms []string
	for _, word := range identifiers(text, "", true) {
		if word = strings.ToLower(word); tells(word) && !slices.Contains(terms, word) {
			terms = append(terms, word)
		}
	}
	return terms
}

// PromptSymbols returns the words of a question that look like names in source: with
// a capital inside, an underscore, or more than one letter and all of them capitals.
// Each comes once, as it is first written.
func PromptSymbols(text string) []string {
	var symbols []string
	seen := map[string]bool{}
	for _, word := range identifiers(text, "?", false) {
		lower := strings.ToLower(word)
		looks := strings.Contains(word, "_") || strings.ContainsFunc(word[1:], unicode.IsUpper)
		if looks && !promptStopWords[lower] && !seen[lower] {
			seen[lower] = true
			symbols = append(symbols, word)
		}
	}
	return symbols
}

// seedTokens is how many words a lexical seed has at most.
const seedTokens = 192

// lexicalSeed names a file by words: of its path and the paths it requires first,
// then of its summary; by how often they come, shorter ones and then the alphabet.
func lexicalSeed(path string, required []string, summary string) string {
	const all = 1 << 30
	counts, boosted := map[string]int{}, map[string]bool{}
	add := func(text string, boost bool) {
		for _, token := range embed.CodeTokens(text, all) {
			if tells(token) {
				counts[token]++
				boosted[token] = boosted[token] || boost
			}
		}
	}
	add(path, true)
	for _, p := range required {
		add(p, true)
	}
	add(summary, false)
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(compareBool(boosted[b], boosted[a]), cmp.Compare(counts[b], counts[a]), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return "# File Lexical Seed: " + path + "\n" + strings.Join(words[:min(len(words), seedTokens)], " ")
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
