// Package terms turns questions and labels into the words that are compared:
// the terms of a question, folded text, and tokens. It knows no graph.
//
// Two lists of words matter to it, both data: words that carry no meaning in a
// question (stopwords.go), and nothing else. Verbs such as "calls" are content
// here; what a verb means for a search is decided above.
package terms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// minASCIILetters is the length below which a token of only a..z says nothing.
// Tokens with a digit, an underscore or a letter of another script are kept at
// any length.
const minASCIILetters = 3

// Segmenter cuts a lower-cased chunk of Chinese into words.
type Segmenter func(chunk string) []string

// Question returns the terms of a question in order, duplicates kept: what is
// left of its tokens without stopwords, or all of its tokens when nothing is.
// A nil segment cuts Chinese into overlapping pairs of characters.
func Question(question string, segment Segmenter) []string {
	all := Words(question, segment)
	content := make([]string, 0, len(all))
	for _, t := range all {
		if !stopwords[t] {
			content = append(content, t)
		}
	}
	if len(content) == 0 {
		return all
	}
	return content
}

// Words returns the tokens of a question that are long enough to say something,
// stopwords included.
func Words(question string, segment Segmenter) []string {
	if segment == nil {
		segment = pairs
	}
	var words []string
	for _, chunk := range strings.Fields(question) {
		lower := strings.ToLower(chunk)
		if strings.ContainsFunc(chunk, isHan) {
			words = append(words, segmented(lower, segment)...)
			continue
		}
		words = append(words, strings.FieldsFunc(lower, func(r rune) bool { return !isWord(r) })...)
	}
	return slices.DeleteFunc(words, tooShort)
}

// segmented returns the pieces of a Chinese chunk and the chunk itself.
func segmented(chunk string, segment Segmenter) []string {
	pieces := segment(chunk)
	if utf8.RuneCountInString(chunk) > 1 && !slices.Contains(pieces, chunk) {
		pieces = append(pieces, chunk)
	}
	return pieces
}

// pairs are the overlapping two-character pieces of a chunk.
func pairs(chunk string) []string {
	runes := []rune(chunk)
	if len(runes) < 2 {
		return []string{chunk}
	}
	pieces := make([]string, 0, len(runes))
	for i := range len(runes) - 1 {
		pieces = append(pieces, string(runes[i:i+2]))
	}
	return pieces
}

// isHan is true for the block that makes a chunk Chinese; kana and hangul alone
// do not.
func isHan(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF }

func isWord(r rune) bool { return r == '_' || isAlnum(r) }

func isAlnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func tooShort(token string) bool {
	if len(token) >= minASCIILetters {
		return false
	}
	for _, r := range token {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return true
}

// Fold decomposes text, drops combining marks and lower-cases the rest.
// Punctuation stays.
func Fold(text string) string {
	if isLowerASCII(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFKD.String(text) {
		if !unicode.Is(unicode.M, r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

func isLowerASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || (c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return true
}

// Tokens are the runs of letters and digits of folded text, in order.
func Tokens(text string) []string {
	return strings.FieldsFunc(Fold(text), func(r rune) bool { return !isAlnum(r) })
}

// Search returns the distinct tokens of terms, each at its first place: what is
// compared with labels.
func Search(list []string) []string {
	var distinct []string
	seen := map[string]bool{}
	for _, term := range list {
		for _, t := range Tokens(term) {
			if !seen[t] {
				seen[t] = true
				distinct = append(distinct, t)
			}
		}
	}
	return distinct
}

// Stopword says whether a lower-cased word carries no meaning in a question.
func Stopword(word string) bool { return stopwords[word] }
