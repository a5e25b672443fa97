package corpus

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Description is what a reader wants to know of a corpus before using it.
type Description struct {
	Name         string
	Dim          int            // components of each embedding
	Rows         int            // facts
	Relations    map[int16]int  // facts per relation
	Entities     int            // distinct entity ids
	Targets      int            // distinct target ids
	PayloadBytes int64          // of all facts
	VectorBytes  int64          // of all embeddings as float4
	ZeroVectors  int            // facts without a direction, never ranked
	Digest       string         // SHA-256 of the canonical dump, hexadecimal
	Queries      int            // questions
	Answered     int            // of them with an answer key
	Params       map[string]any // the options that produced it
	Sample       []Fact         // spread evenly over the rows
	Questions    []Query        // the first few
}

// Describe reads a source twice, once to count and once for its digest. The
// sample holds at most sample rows and as many queries.
func Describe(ctx context.Context, s Source, sample int) (Description, error) {
	info := s.Info()
	d := Description{
		Name: info.Name, Dim: info.Dim, Params: info.Params, Relations: map[int16]int{},
		Queries: len(info.Queries), Questions: info.Queries[:min(max(sample, 0), len(info.Queries))],
	}
	for _, q := range info.Queries {
		if q.Answer != 0 {
			d.Answered++
		}
	}
	step := 1
	if sample > 0 {
		step = max(1, s.RowCount()/sample)
	}
	entities, targets := map[int32]struct{}{}, map[int32]struct{}{}
	for fact, err := range s.All(ctx) {
		if err != nil {
			return Description{}, fmt.Errorf("describe corpus %s: %w", info.Name, err)
		}
		if d.Rows%step == 0 && len(d.Sample) < sample {
			d.Sample = append(d.Sample, fact)
		}
		d.Rows++
		d.Relations[fact.Relation]++
		entities[fact.Entity] = struct{}{}
		targets[fact.Target] = struct{}{}
		d.PayloadBytes += int64(len(fact.Payload))
		d.VectorBytes += 4 * int64(len(fact.Embedding))
		if !slices.ContainsFunc(fact.Embedding, func(x float32) bool { return x != 0 }) {
			d.ZeroVectors++
		}
	}
	d.Entities, d.Targets = len(entities), len(targets)
	var err error
	if d.Digest, err = Digest(ctx, s); err != nil {
		return Description{}, fmt.Errorf("describe corpus %s: %w", info.Name, err)
	}
	return d, nil
}

// sampleRunes is how much of a text a sample line shows, in characters.
const sampleRunes = 72

// WriteText writes the description for people.
func (d Description) WriteText(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("corpus", "%s, %d dimensions", d.Name, d.Dim)
	for _, key := range slices.Sorted(maps.Keys(d.Params)) {
		line("  "+key, "%v", d.Params[key])
	}
	line("rows", "%d", d.Rows)
	for _, relation := range slices.Sorted(maps.Keys(d.Relations)) {
		line(fmt.Sprintf("  relation %d", relation), "%d", d.Relations[relation])
	}
	line("entities", "%d", d.Entities)
	line("targets", "%d", d.Targets)
	line("payload", "%.1f MB", float64(d.PayloadBytes)/1e6)
	line("vectors", "%.1f MB, %d of them zero", float64(d.VectorBytes)/1e6, d.ZeroVectors)
	line("queries", "%d, %d with an answer key", d.Queries, d.Answered)
	line("digest", "%s", d.Digest)
	for _, f := range d.Sample {
		line("fact", "%d -%d-> %d: %s", f.Entity, f.Relation, f.Target, shorten(f.Payload))
	}
	for _, q := range d.Questions {
		line("query", "%s", shorten(q.Text))
	}
	return out.Flush()
}

// shorten cuts a text to one line of a sample.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= sampleRunes {
		return text
	}
	runes := []rune(text)
	return string(runes[:sampleRunes-1]) + "…"
}
