// Package plain makes text from source files safe to print: names of files and
// symbols are chosen by whoever wrote them, and a terminal obeys what it is
// sent.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxField is how many characters of a field are shown.
const MaxField = 256

// Field removes control and invisible formatting characters, among them escape
// sequences' first byte and marks that turn the direction of writing, and cuts
// what is longer than MaxField.
func Field(s string) string {
	clean := strip(s, false)
	if len(clean) <= MaxField {
		return clean
	}
	if n := utf8.RuneCountInString(clean); n > MaxField {
		return string([]rune(clean)[:MaxField])
	}
	return clean
}

// Lines removes the same characters as Field but keeps line ends and tabs, and
// cuts nothing.
func Lines(s string) string { return strip(s, true) }

func strip(s string, lines bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return hidden(r) }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) && !(lines && (r == '\n' || r == '\t')) {
			return -1
		}
		return r
	}, s)
}

// hidden is also true for bytes that are no UTF-8.
func hidden(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}
