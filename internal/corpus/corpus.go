package corpus

import (
	"context"
	"iter"
)

// Fact is one edge of a fact graph: entity -relation-> target, with the text
// that states it and the text's embedding.
type Fact struct {
	Entity    int32
	Relation  int16
	Target    int32
	Embedding []float32 // Dim components, rounded to six decimals
	Payload   string
}

// Query is one question put to a fact graph.
type Query struct {
	Text      string
	Embedding []float32 // Dim components, rounded to six decimals
	Hop1      int16     // relation filter of the first hop
	Hop2      int16     // relation filter of the second hop; 0 for one-hop corpora
	Answer    int32     // target id of the right final fact; 0 when there is no answer key
	Entity    int32     // entity that the query is about; 0 where it is about none
	Seeds     []int32   // distinct entities to start from, Entity first; nil where the corpus names none
}

// Facts is a loaded or generated fact graph with its queries.
type Facts struct {
	Name    string
	Dim     int
	Rows    []Fact         // in generator order
	Queries []Query        //
	Params  map[string]any // the options that produced it, for the result file
}

// Source is a fact graph that can be read row by row, again and again.
type Source interface {
	// Info returns the graph without its rows: name, dimension, queries and
	// parameters.
	Info() Facts
	// RowCount is the number of rows that All yields.
	RowCount() int
	// All yields the rows in generator order. An error ends it; the fact
	// beside an error means nothing.
	All(ctx context.Context) iter.Seq2[Fact, error]
}

var _ Source = (*Facts)(nil)

// Info returns f without its rows.
func (f *Facts) Info() Facts {
	info := *f
	info.Rows = nil
	return info
}

// RowCount returns the number of rows.
func (f *Facts) RowCount() int { return len(f.Rows) }

// All yields the rows in order, or the reason why ctx ended.
func (f *Facts) All(ctx context.Context) iter.Seq2[Fact, error] {
	return func(yield func(Fact, error) bool) {
		for i := range f.Rows {
			if err := ctx.Err(); err != nil {
				yield(Fact{}, err)
				return
			}
			if !yield(f.Rows[i], nil) {
				return
			}
		}
	}
}

// Collect reads a source into memory.
func Collect(ctx context.Context, s Source) (*Facts, error) {
	facts := s.Info()
	facts.Rows = make([]Fact, 0, s.RowCount())
	for fact, err := range s.All(ctx) {
		if err != nil {
			return nil, err
		}
		facts.Rows = append(facts.Rows, fact)
	}
	return &facts, nil
}
