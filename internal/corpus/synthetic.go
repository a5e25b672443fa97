package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"sortedheap/internal/corpus/pyrand"
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
	Queries      int // at most the rows there are
	PayloadBytes int // length to which payloads are filled; 0 for none

	Set   QuestionSet
	Seeds int   // entities each query names to start from; at most Entities, 0 for none
	Seed  int64 // of the choice of fair questions and of the seeds
}

// DefaultSynthetic returns the options of the published results' script: 5,000
// entities of 8 facts, 4 relations, 32 dimensions, 16 queries.
func DefaultSynthetic() SyntheticOptions {
	return SyntheticOptions{Entities: 5000, Degree: 8, Relations: 4, Dim: 32, Queries: 16, Seed: 42}
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
		{"seeds", o.Seeds, 0, max(0, o.Entities)},
	} {
		if limit.value < limit.least || limit.value > limit.most {
			errs = append(errs, fmt.Errorf("%s %d is outside %d..%d", limit.name, limit.value, limit.least, limit.most))
		}
	}
	if err := o.Set.check(); err != nil {
		errs = append(errs, err)
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
// decimals, not normalised. The original queries are the first rows in key order,
// each with its relation as the filter of the first hop; with 16 facts per entity,
// 16 of them all come from entity 1. A fair query is about a row of each of as many
// equal stretches, and its vector has the target half a step further, so that no
// row is at distance 0. There is no answer key.
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
			"query_set": string(o.Set.orOriginal()), "seeds": o.Seeds, "seed": o.Seed,
		},
	}
	waves := newWaves(o.Entities, o.Dim)
	for e := 1; e <= o.Entities; e++ {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("generate synthetic corpus: %w", err)
		}
		for s := range o.Degree {
			_, r, t := o.fact((e-1)*o.Degree + s)
			facts.Rows = append(facts.Rows, Fact{
				Entity: int32(e), Relation: int16(r), Target: int32(t),
				Embedding: waves.embedding(e, r, t),
				Payload:   syntheticPayload(e, r, t, o.PayloadBytes),
			})
		}
	}
	var err error
	if facts.Queries, err = syntheticQueries(facts.Rows, o); err != nil {
		return nil, fmt.Errorf("generate synthetic corpus: %w", err)
	}
	return facts, nil
}

// fact is entity, relation and target of row i, from 0.
func (o SyntheticOptions) fact(i int) (e, r, t int) {
	e, s := i/o.Degree+1, i%o.Degree
	r = s%o.Relations + 1
	return e, r, (entityFactor*e+relationFactor*r+slotFactor*s)%o.Entities + 1
}

// syntheticQueries asks about rows in key order, which the generator leaves only
// within an entity.
func syntheticQueries(rows []Fact, o SyntheticOptions) ([]Query, error) {
	draws := pyrand.New(o.Seed)
	n := min(o.Queries, len(rows))
	queries := make([]Query, n)
	for i := range queries {
		at := i
		if o.Set == Fair {
			at = pick(o.Seed, i, n, len(rows))
		}
		first := at - at%o.Degree
		own := slices.Clone(rows[first : first+o.Degree])
		slices.SortFunc(own, func(a, b Fact) int {
			return cmp.Or(cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Target, b.Target))
		})
		fact := own[at%o.Degree]
		queries[i] = Query{Text: fact.Payload, Embedding: fact.Embedding, Hop1: fact.Relation, Entity: fact.Entity}
		if o.Set == Fair {
			queries[i].Text = "beside " + fact.Payload
			queries[i].Embedding = offTheRows(int(fact.Entity), int(fact.Relation), int(fact.Target), o.Dim)
		}
		var err error
		if queries[i].Seeds, err = seedsBeside(fact.Entity, o, draws); err != nil {
			return nil, err
		}
	}
	return queries, nil
}

// seedsBeside is the entity, then others drawn evenly from all.
func seedsBeside(entity int32, o SyntheticOptions, draws *pyrand.Rand) ([]int32, error) {
	if o.Seeds == 0 {
		return nil, nil
	}
	drawn, err := draws.Sample(o.Entities, o.Seeds)
	if err != nil {
		return nil, fmt.Errorf("draw seeds: %w", err)
	}
	seeds := []int32{entity}
	for _, d := range drawn {
		if id := int32(d) + 1; id != entity && len(seeds) < o.Seeds {
			seeds = append(seeds, id)
		}
	}
	return seeds, nil
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
