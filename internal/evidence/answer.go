package evidence

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Budget is how much an answer may take.
type Budget struct {
	Tokens int // of Answer.Text, at least 1
	Files  int // different files, at least 1
}

// DefaultBudget is what an answer may take where nobody says otherwise.
func DefaultBudget() Budget { return Budget{Tokens: 2000, Files: 4} }

// Answer is the evidence for a question.
type Answer struct {
	Passages []Passage // best first
	// Tokens is an upper bound of the tokens of Text, at most the budget's.
	Tokens int
	Stages Stages
}

// Passage is what an answer shows of one fragment.
type Passage struct {
	File               string
	StartLine, EndLine int // of the fragment; Lines may be fewer
	Symbol, Kind, Cut  string
	Score              float64
	// Found says how the fragment was found: symbol, terms, vector, reference.
	Found []string
	Lines []Line // in order, at least one
}

// Line is a line of a file.
type Line struct {
	Number int // from 1
	Text   string
}

// Stages tell what an answer cost, in milliseconds of the client's clock. Where
// stages share a round trip, the second is 0 and the first has both; see Ask.
type Stages struct {
	Embed, ANN, Lexical, Rescue, Pack float64
}

// Text writes the evidence: a file's path, then its passages by line, each run of
// lines with the number of its first. A mark stands where lines were left out.
func (a Answer) Text() string {
	var s strings.Builder
	for _, group := range byFile(a.Passages) {
		s.WriteString(fileHeader(group[0].File))
		for _, run := range runs(group) {
			if run.elided {
				s.WriteString(elision)
			}
			s.WriteString(strconv.Itoa(run.lines[0].Number))
			s.WriteString(": ")
			for _, l := range run.lines {
				s.WriteString(l.Text)
				s.WriteString("\n")
			}
		}
	}
	return s.String()
}

const elision = "...\n"

func fileHeader(file string) string { return "== " + file + "\n" }

// Ask finds the evidence for a question within a budget. One round trip finds
// seeds, one fetches them and what they refer to.
func (x *Index) Ask(ctx context.Context, text string, b Budget) (Answer, error) {
	if b.Tokens < 1 || b.Files < 1 {
		return Answer{}, fmt.Errorf("ask for evidence: a budget of %d tokens in %d files is none", b.Tokens, b.Files)
	}
	vectors, err := x.embedder.Embed(ctx, []string{text})
	if err != nil {
		return Answer{}, fmt.Errorf("ask for evidence: embed question: %w", err)
	}
	return x.AskEmbedded(ctx, text, vectors[0], b)
}

// AskEmbedded is Ask of a question whose vector is known.
func (x *Index) AskEmbedded(ctx context.Context, text string, vector []float32, b Budget) (Answer, error) {
	q := parseQuestion(text)
	found, err := x.seed(ctx, q, vector)
	if err != nil {
		return Answer{}, fmt.Errorf("ask for evidence: %w", err)
	}
	fuse(found)
	found, err = x.fetch(ctx, found[:min(len(found), fetchRows)])
	if err != nil {
		return Answer{}, fmt.Errorf("ask for evidence: %w", err)
	}
	rank(q, found)
	p := newPacker(q, b, x.counter)
	if err := p.pack(found); err != nil {
		return Answer{}, fmt.Errorf("ask for evidence: %w", err)
	}
	return p.answer(), nil
}
