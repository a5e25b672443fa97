// Package tokens counts text in the unit that budgets of answers are given in.
//
// Vocabulary:
//
//   - token: one piece of byte pair encoding cl100k_base, the vocabulary of
//     widely used language models. Special tokens count as plain text.
//   - budget: how many tokens a reader takes of an answer. The rest is not read.
//
// The vocabulary is part of the program, so counts are the same on every
// machine and ask nothing of the network.
package tokens

import (
	"fmt"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Budget is how many tokens of an answer are read where nobody says otherwise.
const Budget = 2000

// Counter counts tokens. It is safe for concurrent use, and making one costs a
// tenth of a second the first time: make one and keep it.
type Counter struct{ codec *codec.Codec }

// NewCounter returns a counter of cl100k_base.
func NewCounter() *Counter { return &Counter{codec.NewCl100kBase()} }

// Name identifies the rule by which tokens are counted.
func (c *Counter) Name() string { return c.codec.GetName() }

// Count returns how many tokens a text has; 0 for an empty one. A text that is
// cut in two has at least as many tokens in its parts, and few more.
func (c *Counter) Count(text string) (int, error) {
	n, err := c.codec.Count(text)
	if err != nil {
		return 0, fmt.Errorf("count tokens of %d bytes: %w", len(text), err)
	}
	return n, nil
}

// Cut returns the part of a text that a budget pays for: its first budget tokens,
// without a character that the last of them holds only a part of. A budget below
// 1 pays for nothing.
func (c *Counter) Cut(text string, budget int) (string, error) {
	_, pieces, err := c.codec.Encode(text)
	if err != nil {
		return "", fmt.Errorf("cut %d bytes to %d tokens: %w", len(text), budget, err)
	}
	if len(pieces) <= budget {
		return text, nil
	}
	end := 0
	for _, piece := range pieces[:max(budget, 0)] {
		end += len(piece)
	}
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], nil
}
