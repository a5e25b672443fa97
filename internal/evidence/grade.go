package evidence

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Span is a piece of graded evidence: a definition in a file.
type Span struct {
	File   string `json:"file"`   // relative to the source tree
	Symbol string `json:"symbol"` // Type::Method or Type.Method
	Grade  int    `json:"grade"`  // 1 context, 2 a necessary part, 3 the heart of the answer
}

// Coverage is the share of keywords that a text contains, whatever their case.
func Coverage(text string, keywords []string) float64 {
	if len(keywords) == 0 {
		return 0
	}
	text = strings.ToLower(text)
	n := 0
	for _, k := range keywords {
		if strings.Contains(text, strings.ToLower(k)) {
			n++
		}
	}
	return float64(n) / float64(len(keywords))
}

// NDCG is the normalised discounted cumulative gain of the first k passages. The
// gain of a passage is 2^grade - 1 of the best span that it shows and that none
// before it did. Spans are matched by file and symbol; a passage that was cut by
// counting lines shows a span when a line of it holds the symbol's name.
func NDCG(passages []Passage, spans []Span, k int) float64 {
	gain := func(grade int) float64 { return math.Exp2(float64(grade)) - 1 }
	seen := make([]bool, len(spans))
	sum := 0.0
	for i, p := range passages[:min(k, len(passages))] {
		best := -1
		for j, s := range spans {
			if !seen[j] && p.shows(s) && (best < 0 || s.Grade > spans[best].Grade) {
				best = j
			}
		}
		if best >= 0 {
			seen[best] = true
			sum += gain(spans[best].Grade) / math.Log2(float64(i)+2)
		}
	}
	ideal := slices.SortedFunc(slices.Values(spans), func(a, b Span) int { return cmp.Compare(b.Grade, a.Grade) })
	whole := 0.0
	for i, s := range ideal[:min(k, len(ideal))] {
		whole += gain(s.Grade) / math.Log2(float64(i)+2)
	}
	if whole == 0 {
		return 0
	}
	return sum / whole
}

// shows reports whether a passage is of a span's definition.
func (p Passage) shows(s Span) bool {
	if p.File != s.File {
		return false
	}
	if p.Cut == CutSyntax && p.Symbol != "" {
		return p.Symbol == s.Symbol || endsIn(p.Symbol, s.Symbol) || endsIn(s.Symbol, p.Symbol)
	}
	name := lastName(s.Symbol)
	return slices.ContainsFunc(p.Lines, func(l Line) bool {
		held := false
		identifiers(l.Text, func(_ int, word string) { held = held || word == name })
		return held
	})
}

// endsIn reports whether a qualified name ends in another at a separator.
func endsIn(qualified, end string) bool {
	rest, ok := strings.CutSuffix(qualified, end)
	return ok && rest != "" && !isNameByte(rest[len(rest)-1])
}
