package embed

import (
	"fmt"
	"strings"
)

// Mode says how a text becomes weighted tokens.
type Mode int

const (
	// Lexical gives each token the weight 1.
	Lexical Mode = iota
	// Multihop weighs tokens for the person-parent-city corpus.
	Multihop
	// CodeAware gives each token of source code and each word in it the weight 1.
	CodeAware
)

// maxTokens is how much of a text is read, in tokens; the rest does not count.
const maxTokens = 256

// Weights of Multihop.
const (
	strongWeight = 2.5
	plainWeight  = 1
)

// String returns the mode's name.
func (m Mode) String() string {
	switch m {
	case Lexical:
		return "lexical"
	case Multihop:
		return "multihop"
	case CodeAware:
		return "code-aware"
	default:
		return fmt.Sprintf("Mode(%d)", int(m))
	}
}

// weigh returns the token that is hashed for a token of the text, and its
// weight; a weight of 0 mutes it.
func (m Mode) weigh(token string) (string, float64) {
	if m != Multihop {
		return token, plainWeight
	}
	token = strings.TrimSuffix(token, "'s")
	switch token {
	case "", "where", "does", "the", "a", "an", "of", "in":
		return token, 0
	case "parent", "lives", "live", "city":
		return token, strongWeight
	default:
		return token, plainWeight
	}
}

// each calls yield for the tokens of a text that the mode reads.
func (m Mode) each(text string, yield func(token string)) {
	if m == CodeAware {
		codeTokens(text, yield)
		return
	}
	tokens(text, yield)
}

// tokens calls yield for the first maxTokens tokens of text. A text without
// any token is its own only token, and an empty one stands as "_".
func tokens(text string, yield func(token string)) {
	seen, start := 0, -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && isTokenByte(text[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start < 0 {
			continue
		}
		yield(strings.ToLower(text[start:i]))
		if seen++; seen == maxTokens {
			return
		}
		start = -1
	}
	switch {
	case seen > 0:
	case text == "":
		yield("_")
	default:
		yield(text)
	}
}

func isTokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '\''
}
