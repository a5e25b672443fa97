package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"sortedheap/internal/embed"
)

// Multipliers that scatter the targets of the synthetic graph.
const (
	entityFactor   = 48271
	relationFactor = 997
	slotFactor     = 811
)

// maxSynthetic bounds entities, degree and rows, so that no intermediate
// product leaves int64 and every id fits int4.
const maxSynthetic = math.MaxInt32

// SyntheticOptions says which regular graph of formula vectors to generate.
type SyntheticOptions struct {
	Entities     int // 1 to 2^31-1
	Degree       int // facts per entity, at least 1
	Relations    int // facts are dealt to relations 1 to Relations in turn; at most 32767
	Dim          int // components of each embedding, 1 to embed.MaxDim
	Queries      int // the first rows in key order; at most the rows there are
	PayloadBytes int // length to which payloads are filled; 0 for none
}

// DefaultSynthetic returns the options of the published results' script: 5,000
// entities of 8 facts, 4 relations, 32 dimensions, 16 queries.
func DefaultSynthetic() SyntheticOptions {
	return SyntheticOptions{Entities: 5000, Degree: 8, Relations: 4, Dim: 32, Queries: 16}
}

// Validate reports every option that is out of range, and a shape in which two
// facts of an entity would have the same key.
func (o SyntheticOptions) Validate() error {
	var errs []error
	for _, limit := range []struct {
		name        string
		value       int
		least, most int
	}{
		{"entities", o.Entities, 1, maxSynthetic},
		{"degree", o.Degree, 1, maxSynthetic},
		{"relations", o.Relations, 1, math.MaxInt16},
		{"dim", o.Dim, 1, embed.MaxDim},
		{"queries", o.Queries, 0, maxSynthetic},
		{"payload bytes", o.PayloadBytes, 0, 1 << 20},
	} {
		if limit.value < limit.least || limit.value > limit.most {
			errs = append(errs, fmt.Errorf("%s %d is outside %d..%d", limit.name, limit.value, limit.least, limit.most))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if o.Entities > maxSynthetic/o.Degree {
		return fmt.Errorf("%d entities of %d facts are more than %d rows", o.Entities, o.Degree, maxSynthetic)
	}
	// Slots of one relation are Relations apart, so these are all the
	// distances between them.
	for apart := o.Relations; apart < o.Degree; apart += o.Relations {
		if slotFactor*apart%o.Entities == 0 {
			return fmt.Errorf("%d facts per entity in %d relations over %d entities repeat a key", o.Degree, o.Relations, o.Entities)
		}
	}
	return nil
}

// Synthetic generates the regular graph: fact s of entity e has relation
// s mod Relations + 1 and a target scattered by fixed multipliers. Component d
// of its embedding is sin(0.013 e (d+1)) + cos(0.017 t (d+1)) + 0.031 r, six
// decimals, not normalised. Queries are rows of the graph itself, in key order,
// with their relation as the filter of the first hop: with 16 facts per entity
// or more, 16 queries all come from entity 1. There is no answer key.
func Synthetic(ctx context.Context, o SyntheticOptions) (*Facts, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("generate synthetic corpus: %w", err)
	}
	facts := &Facts{
		Name: "synthetic",
		Dim:  o.Dim,
		Rows: make([]Fact, 0, o.Entities*o.Degree),
		Params: map[string]any{
			"entities": o.Entities, "degree": o.Degree, "relations": o.Relations, "dim": o.Dim,
			"queries": o.Queries, "payload_bytes": o.PayloadBytes, "embedder": "formula",
		},
	}
	waves := newWaves(o.Entities, o.Dim)
	for e := 1; e <= o.Entities; e++ {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("generate synthetic corpus: %w", err)
		}
		for s := range o.Degree {
			r := s%o.Relations + 1
			t := (entityFactor*e+relationFactor*r+slotFactor*s)%o.Entities + 1
			facts.Rows = append(facts.Rows, Fact{
				Entity: int32(e), Relation: int16(r), Target: int32(t),
				Embedding: waves.embedding(e, r, t),
				Payload:   syntheticPayload(e, r, t, o.PayloadBytes),
			})
		}
	}
	facts.Queries = syntheticQueries(facts.Rows, o)
	return facts, nil
}

// syntheticQueries takes the first rows in key order: those of the first
// entities, each entity's sorted.
func syntheticQueries(rows []Fact, o SyntheticOptions) []Query {
	entities := (o.Queries + o.Degree - 1) / o.Degree
	first := slices.Clone(rows[:min(entities*o.Degree, len(rows))])
	slices.SortFunc(first, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Target, b.Target))
	})
	queries := make([]Query, min(o.Queries, len(first)))
	for i := range queries {
		queries[i] = Query{Text: first[i].Payload, Embedding: first[i].Embedding, Hop1: first[i].Relation}
	}
	return queries
}

// waves holds the cosine of every target and dimension, which Degree facts
// share on average.
type waves struct {
	dim     int
	cosines []float64 // target-1, dimension
	sines   []float64 // of entity
	entity  int
}

func newWaves(entities, dim int) *waves {
	w := &waves{dim: dim, cosines: make([]float64, entities*dim), sines: make([]float64, dim)}
	for t := 1; t <= entities; t++ {
		row := w.cosines[(t-1)*dim : t*dim]
		for d := range row {
			row[d] = math.Cos(0.017 * float64(t) * float64(d+1))
		}
	}
	return w
}

func (w *waves) embedding(e, r, t int) []float32 {
	if e != w.entity {
		for d := range w.sines {
			w.sines[d] = math.Sin(0.013 * float64(e) * float64(d+1))
		}
		w.entity = e
	}
	out := make([]float32, w.dim)
	cosines := w.cosines[(t-1)*w.dim : t*w.dim]
	shift := 0.031 * float64(r)
	for d := range out {
		out[d] = embed.Written(w.sines[d] + cosines[d] + shift)
	}
	return out
}

const (
	fillerAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	fillerPeriod   = 64 // bytes after which the filler repeats
)

// syntheticPayload names the fact and fills up to size bytes behind a bar with
// a period of letters drawn by a 32-bit linear congruential generator, so that
// payloads differ between facts and compress well within one.
func syntheticPayload(e, r, t, size int) string {
	name := fmt.Sprintf("fact:%d:%d:%d", e, r, t)
	if size <= len(name) {
		return name
	}
	state := uint32(entityFactor*e ^ relationFactor*r ^ slotFactor*t)
	var period [fillerPeriod]byte
	for i := range period {
		state = state*1664525 + 1013904223 + uint32(i)
		period[i] = fillerAlphabet[state%uint32(len(fillerAlphabet))]
	}
	out := make([]byte, 0, size)
	out = append(out, name...)
	out = append(out, '|')
	for len(out) < size {
		out = append(out, period[:min(fillerPeriod, size-len(out))]...)
	}
	return string(out)
}
