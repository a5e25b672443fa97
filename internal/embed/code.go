package embed

import (
	"strings"
	"unicode/utf8"
)

// This file has the mode for source code, whose identifiers consist of words.

// maxCodeTokens is how much of a text CodeAware reads, in tokens.
const maxCodeTokens = 512

// CodeTokens returns the tokens of source text, at most limit of them: each
// maximal run of ASCII letters, digits, underscores and apostrophes in lower case,
// followed by the words in it, where it consists of several. "HTTPServer_v2" gives
// "httpserver_v2", "http", "server", "v", "2".
func CodeTokens(text string, limit int) []string {
	var out []string
	for start, end := nextRun(text, 0); start >= 0 && len(out) < limit; start, end = nextRun(text, end) {
		run := text[start:end]
		whole := strings.ToLower(run)
		out = append(out, whole)
		for _, word := range Words(run) {
			if word != whole {
				out = append(out, word)
			}
		}
	}
	return out[:min(len(out), max(limit, 0))]
}

// nextRun is where the next run of token characters from a place on lies; start is
// -1 where there is none.
func nextRun(text string, from int) (start, end int) {
	for start = from; start < len(text) && !isCodeByte(text[start]); start++ {
	}
	if start == len(text) {
		return -1, start
	}
	for end = start; end < len(text) && isCodeByte(text[end]); end++ {
	}
	return start, end
}

func isCodeByte(c byte) bool { return c == '_' || isTokenByte(c) }

// Words splits an identifier at everything that is no letter or digit, between
// letters and digits, before a capital that follows a small letter and before the
// last of several capitals that a small letter follows. The words are in lower
// case. Letters beyond ASCII count as small.
func Words(identifier string) []string {
	var words []string
	start := -1
	flush := func(end int) {
		if start >= 0 {
			words = append(words, strings.ToLower(identifier[start:end]))
		}
		start = -1
	}
	before := separator
	for i := range len(identifier) {
		now := kindOf(identifier[i])
		switch {
		case now == separator:
			flush(i)
		case start < 0:
			start = i
		case now == before, now == small && before == capital && i == start+1:
		case now == small && before == capital:
			flush(i - 1)
			start = i - 1
		default:
			flush(i)
			start = i
		}
		before = now
	}
	flush(len(identifier))
	return words
}

// kind is what a byte of an identifier is.
type kind int

const (
	separator kind = iota
	small
	capital
	digit
)

func kindOf(c byte) kind {
	switch {
	case 'a' <= c && c <= 'z', c >= utf8.RuneSelf:
		return small
	case 'A' <= c && c <= 'Z':
		return capital
	case '0' <= c && c <= '9':
		return digit
	}
	return separator
}

// codeTokens calls yield as tokens does, for the first tokens of source text.
func codeTokens(text string, yield func(token string)) {
	all := CodeTokens(text, maxCodeTokens)
	for _, token := range all {
		yield(token)
	}
	switch {
	case len(all) > 0:
	case text == "":
		yield("_")
	default:
		yield(strings.ToLower(text))
	}
}
