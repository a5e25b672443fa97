package wordpiece

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// words calls yield for each word of a text until it returns false.
func words(text string, yield func(word string) bool) {
	if !ascii(text) {
		text = norm.NFD.String(text)
	}
	var word []byte
	flush := func() bool {
		if len(word) == 0 {
			return true
		}
		whole := string(word)
		word = word[:0]
		return yield(whole)
	}
	for _, r := range text {
		switch kindOf(r) {
		case dropped:
		case space:
			if !flush() {
				return
			}
		case alone:
			if !flush() || !yield(strings.ToLower(string(r))) {
				return
			}
		case letter:
			word = utf8.AppendRune(word, unicode.ToLower(r))
		}
	}
	flush()
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// kind is what a character does to the words around it.
type kind int

const (
	letter  kind = iota // belongs to a word
	alone               // is a word
	space               // ends a word
	dropped             // is not there
)

// kindOf is the kind of a character in decomposed form. Bytes that are no UTF-8
// come as U+FFFD, which is dropped.
func kindOf(r rune) kind {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return space
	case r < utf8.RuneSelf:
		switch {
		case r <= 0x1f || r == 0x7f:
			return dropped
		case r == ' ':
			return space
		case '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			return letter
		}
		return alone
	case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Mn):
		return dropped
	case unicode.IsSpace(r):
		return space
	case unicode.IsPunct(r) || chinese(r):
		return alone
	}
	return letter
}

// chinese tells the ranges that BERT sets apart: ideographs, not the letters of
// Japanese or Korean.
func chinese(r rune) bool {
	for _, block := range [...][2]rune{
		{0x4e00, 0x9fff}, {0x3400, 0x4dbf}, {0x20000, 0x2a6df}, {0x2a700, 0x2b73f},
		{0x2b740, 0x2b81f}, {0x2b820, 0x2ceaf}, {0xf900, 0xfaff}, {0x2f800, 0x2fa1f},
	} {
		if block[0] <= r && r <= block[1] {
			return true
		}
	}
	return false
}
