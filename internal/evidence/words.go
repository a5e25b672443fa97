package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// identifiers calls yield for each identifier, word or number of a text, with
// where it begins.
func identifiers(text string, yield func(at int, word string)) {
	start := -1
	for i, r := range text {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			yield(start, text[start:i])
			start = -1
		}
	}
	if start >= 0 {
		yield(start, text[start:])
	}
}

// parts cuts an identifier at underscores, at changes of case and between letters
// and digits: "HTTPServer_v2" gives HTTP, Server, v, 2.
func parts(identifier string) []string {
	var out []string
	start, prev := 0, ' '
	flush := func(end int) {
		if end > start {
			out = append(out, identifier[start:end])
		}
	}
	for i, r := range identifier {
		switch {
		case r == '_':
			flush(i)
			start = i + 1
		case i == start:
		case unicode.IsUpper(r) && !unicode.IsUpper(prev), unicode.IsDigit(r) != unicode.IsDigit(prev):
			flush(i)
			start = i
		case unicode.IsUpper(r) && unicode.IsUpper(prev) && lowerFollows(identifier[i+utf8.RuneLen(r):]):
			flush(i)
			start = i
		}
		prev = r
	}
	flush(len(identifier))
	return out
}

func lowerFollows(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLower(r)
}

// isCompound reports whether an identifier could not be a word of a sentence: it
// has an underscore or a capital inside, or letters and digits.
func isCompound(identifier string) bool {
	var lower, digit, letter bool
	for i, r := range identifier {
		switch {
		case r == '_':
			if len(identifier) > 1 {
				return true
			}
		case unicode.IsDigit(r):
			digit = true
		case unicode.IsUpper(r) && i > 0 && lower:
			return true
		default:
			letter = true
			lower = lower || unicode.IsLower(r)
		}
	}
	return digit && letter || letter && !lower && utf8.RuneCountInString(identifier) > 1
}

// maxTermBytes is the length from which a term is cut.
const maxTermBytes = 64

// stems remembers the terms of words.
type stems map[string]string

// maxStems is how many words are remembered.
const maxStems = 1 << 16

func (s stems) of(word string) string {
	stem, ok := s[word]
	if !ok {
		if len(s) >= maxStems {
			clear(s)
		}
		stem = stemmed(word)
		s[word] = stem
	}
	return stem
}

// stemmed returns the term of a word.
func stemmed(word string) string {
	word = strings.ToLower(word)
	if len(word) > maxTermBytes {
		end := maxTermBytes
		for !utf8.RuneStart(word[end]) {
			end--
		}
		return word[:end]
	}
	if len(word) < 4 || !isASCIILetters(word) {
		return word
	}
	return english.Stem(word, true)
}

func isASCIILetters(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// stopWords tell nothing of what a text is about.
var stopWords = wordSet(`a about after all also an and any are as at be because been before being
	between both but by can could did do does doing during each either every for from further had has have having
	here how i if in into is it its itself let may me might more most must my no nor not of off on once only or
	other our out over own per same she should so some such than that the their them then there these they this
	those through to too under until up upon us via was way we were what when where whether which while who whom
	whose why will with within without would you your`)

// fillers are what sentences of questions are made of beside; as parts of
// identifiers they tell something.
var fillers = wordSet(`happen happens happened handle handles work works explain describe tell tells show shows find
	exactly kind thing things part parts place places somewhere something gets get code use uses used using`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
