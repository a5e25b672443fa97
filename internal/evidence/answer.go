package evidence

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sortedheap/internal/harness/measure"
)

// Budget is how much an answer may take.
type Budget struct {
	Tokens int // of Answer.Text, at least 1
	Files  int // different files, at least 1
}

func (b Budget) check() error {
	if b.Tokens < 1 || b.Files < 1 {
		return fmt.Errorf("ask for evidence: a budget of %d tokens in %d files is none", b.Tokens, b.Files)
	}
	return nil
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

// Stages tell what an answer cost, in milliseconds of the client's clock: the
// question's vector, the round trip that finds seeds, the two that follow references
// and fetch rows, and the choice of lines.
type Stages struct {
	Embed, Seeds, Rescue, Pack float64
}

// laps times one stage after another.
type laps struct {
	watch measure.Stopwatch
	last  float64
}

func startLaps() *laps { return &laps{watch: measure.Start()} }

// lap is the time since the last, in milliseconds.
func (l *laps) lap() float64 {
	now := 1000 * l.watch.Seconds()
	d := now - l.last
	l.last = now
	return d
}

// Text writes the evidence: a file's path, then its passages by line, each run of
// lines with the number of its first. A mark stands where lines were left out.
func (a Answer) Text() string {
	var s strings.Builder
	for _, section := range a.Sections() {
		s.WriteString(section.Text)
	}
	return s.String()
}

// Section is what an answer shows of one file.
type Section struct {
	File string
	Text string // ends with a line end
}

// Sections are the parts of Text, file by file, the best first.
func (a Answer) Sections() []Section {
	var out []Section
	for _, group := range byFile(a.Passages) {
		var s strings.Builder
		s.WriteString(fileHeader(group[0].File))
		for _, run := range runs(group) {
			if run.elided {
				s.WriteString(elision)
			}
			s.WriteString(strconv.Itoa(run.lines[0].Number))
			s.WriteString(":")
			for _, l := range run.lines {
				s.WriteString(l.Text)
				s.WriteString("\n")
			}
		}
		out = append(out, Section{group[0].File, s.String()})
	}
	return out
}

const elision = "...\n"

func fileHeader(file string) string { return "== " + file + "\n" }

// Ask finds the evidence for a question within a budget. One round trip finds
// seeds, one what they refer to, and one fetches both.
func (x *Index) Ask(ctx context.Context, text string, b Budget) (Answer, error) {
	watch := startLaps()
	vectors, err := x.embedder.Embed(ctx, []string{text})
	if err != nil {
		return Answer{}, fmt.Errorf("ask for evidence: embed question: %w", err)
	}
	took := watch.lap()
	a, err := x.AskEmbedded(ctx, text, vectors[0], b)
	a.Stages.Embed = took
	return a, err
}

// AskEmbedded is Ask of a question whose vector is known.
func (x *Index) AskEmbedded(ctx context.Context, text string, vector []float32, b Budget) (Answer, error) {
	if err := b.check(); err != nil {
		return Answer{}, err
	}
	var stages Stages
	watch := startLaps()
	q := parseQuestion(text, x.stems)
	found, err := x.seed(ctx, &q, vector)
	if err != nil {
		return Answer{}, fmt.Errorf("ask for evidence: %w", err)
	}
	stages.Seeds = watch.lap()
	x.weights.fuse(found)
	stages.Pack = watch.lap()
	rows, err := x.fetch(ctx, found[:min(len(found), fetchRows)])
	if err != nil {
		return Answer{}, fmt.Errorf("ask for evidence: %w", err)
	}
	stages.Rescue = watch.lap()
	a, err := x.pack(&q, rows, b)
	if err != nil {
		return Answer{}, fmt.Errorf("ask for evidence: %w", err)
	}
	stages.Pack += watch.lap()
	a.Stages = stages
	return a, nil
}

// pack ranks fetched candidates and chooses their lines.
func (x *Index) pack(q *question, found []candidate, b Budget) (Answer, error) {
	for i := range found {
		found[i].read(q)
	}
	x.weights.rank(q, found)
	p := newPacker(&x.weights, q, b, x.counter)
	if err := p.pack(distinct(found)); err != nil {
		return Answer{}, err
	}
	return p.answer(), nil
}
