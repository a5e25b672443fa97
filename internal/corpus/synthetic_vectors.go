package corpus

import (
	"context"
	"errors"
	"fmt"
	"math"

	"sortedheap/internal/embed"
)

// SyntheticVectorsOptions says how much of the synthetic graph to search in.
type SyntheticVectorsOptions struct {
	Rows    int // at least 1
	Dim     int // 1 to embed.MaxDim
	Queries int // at least 1, at most Rows
}

// DefaultSyntheticVectors returns the published size, 10,000 rows of 384
// dimensions, with 1,000 queries.
func DefaultSyntheticVectors() SyntheticVectorsOptions {
	return SyntheticVectorsOptions{Rows: 10_000, Dim: 384, Queries: 1000}
}

// graph is the synthetic graph whose first rows these are.
func (o SyntheticVectorsOptions) graph() SyntheticOptions {
	g := DefaultSynthetic()
	g.Entities, g.Dim, g.Queries = (o.Rows+g.Degree-1)/g.Degree, o.Dim, 0
	return g
}

// Validate reports every option that is out of range.
func (o SyntheticVectorsOptions) Validate() error {
	var errs []error
	if o.Rows < 1 || o.Rows > maxSynthetic {
		errs = append(errs, fmt.Errorf("rows %d is outside 1..%d", o.Rows, maxSynthetic))
	} else if err := o.graph().Validate(); err != nil {
		errs = append(errs, err)
	}
	if o.Queries < 1 || o.Queries > o.Rows {
		errs = append(errs, fmt.Errorf("queries %d is outside 1..%d", o.Queries, max(1, o.Rows)))
	}
	return errors.Join(errs...)
}

// SyntheticVectors generates the embeddings of the synthetic graph without its
// facts. Query set "stored" are rows of it, spread evenly, as the published
// queries are rows; "between" has the same formula with the target half a step
// further, so that no row is at distance 0.
func SyntheticVectors(ctx context.Context, o SyntheticVectorsOptions) (*Vectors, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("generate synthetic vectors: %w", err)
	}
	g := o.graph()
	v := &Vectors{
		Name: "synthetic", Dim: o.Dim, Rows: make([]float32, 0, o.Rows*o.Dim),
		Params: map[string]any{"rows": o.Rows, "dim": o.Dim, "queries": o.Queries},
	}
	waves := newWaves(g.Entities, g.Dim)
	for i := range o.Rows {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("generate synthetic vectors: %w", err)
		}
		e, r, t := g.fact(i)
		v.Rows = append(v.Rows, waves.embedding(e, r, t)...)
	}
	stored, between := QuerySet{Name: "stored"}, QuerySet{Name: "between"}
	for i := range o.Queries {
		at := (2*i + 1) * o.Rows / (2 * o.Queries)
		stored.Vectors = append(stored.Vectors, v.Row(at)...)
		e, r, t := g.fact(at)
		between.Vectors = append(between.Vectors, offTheRows(e, r, t, o.Dim)...)
	}
	v.Queries = []QuerySet{stored, between}
	return v, nil
}

// offTheRows is a fact's vector with the target half a step further.
func offTheRows(e, r, t, dim int) []float32 {
	out := make([]float32, dim)
	for d := range out {
		sum := math.Sin(0.013*float64(e)*float64(d+1)) + math.Cos(0.017*(float64(t)+0.5)*float64(d+1)) + 0.031*float64(r)
		out[d] = embed.Written(sum)
	}
	return out
}
