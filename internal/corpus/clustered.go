package corpus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
)

// ClusteredOptions says which clustered vectors to generate.
type ClusteredOptions struct {
	Rows     int // 1 to 2^31-1
	Dim      int // 1 to 16000
	Clusters int // 1 to 2^20
	Queries  int // at least 1
	Seed     int64
}

// DefaultClustered returns 10,000 rows of 128 dimensions in 100 clusters.
func DefaultClustered() ClusteredOptions {
	return ClusteredOptions{Rows: 10_000, Dim: 128, Clusters: 100, Queries: 1000, Seed: 42}
}

// Validate reports every option that is out of range.
func (o ClusteredOptions) Validate() error {
	var errs []error
	for _, limit := range []struct {
		name        string
		value, most int
	}{
		{"rows", o.Rows, math.MaxInt32}, {"dim", o.Dim, 16000},
		{"clusters", o.Clusters, 1 << 20}, {"queries", o.Queries, math.MaxInt32},
	} {
		if limit.value < 1 || limit.value > limit.most {
			errs = append(errs, fmt.Errorf("%s %d is outside 1..%d", limit.name, limit.value, limit.most))
		}
	}
	return errors.Join(errs...)
}

// The shape of a cluster, in units in which a centre's component has the
// standard deviation 1: along each of a few directions, which all clusters
// share, rows scatter so that a component's deviation is 0.58; in every
// component by 0.13 more. A cluster is thus a flat cloud that overlaps others,
// as clusters of text embeddings do, and not a ball, in which all rows of many
// dimensions would be equally far from each other.
const (
	clusterDirections = 16
	centreWeight      = 1 << 18
	noiseWeight       = 1 << 15
	clusteredScale    = 1.0 / (1 << 33)
)

// clustered is the part of the generator that all rows share.
type clustered struct {
	ClusteredOptions
	centres    []int32 // cluster, component
	directions []int32 // direction, component
}

// Clustered generates rows around random centres, and queries by the same rule.
// Row i depends on nothing but dimension, clusters, seed and i: a smaller corpus
// is the beginning of a larger one. All sums are of whole numbers and are
// rounded once, so every machine generates the same bits.
func Clustered(ctx context.Context, o ClusteredOptions) (*Vectors, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("generate clustered corpus: %w", err)
	}
	g := clustered{ClusteredOptions: o}
	g.centres = bells(o.Seed, streamCentres, o.Clusters*o.Dim)
	g.directions = bells(o.Seed, streamDirections, clusterDirections*o.Dim)
	v := &Vectors{
		Name: "clustered", Dim: o.Dim,
		Rows:    make([]float32, o.Rows*o.Dim),
		Queries: []QuerySet{{Name: "drawn", Vectors: make([]float32, o.Queries*o.Dim)}},
		Params: map[string]any{"rows": o.Rows, "dim": o.Dim, "clusters": o.Clusters,
			"queries": o.Queries, "seed": o.Seed},
	}
	if err := errors.Join(g.fill(ctx, streamRows, v.Rows), g.fill(ctx, streamQueries, v.Queries[0].Vectors)); err != nil {
		return nil, fmt.Errorf("generate clustered corpus: %w", err)
	}
	return v, nil
}

func bells(seed int64, stream uint64, n int) []int32 {
	out := make([]int32, n)
	d := newDraws(seed, stream, 0)
	for i := range out {
		out[i] = int32(d.bell())
	}
	return out
}

// fill makes all vectors of a stream, a few goroutines each a stretch of them.
func (g *clustered) fill(ctx context.Context, stream uint64, into []float32) error {
	const stretch = 4096
	n := len(into) / g.Dim
	stretches := make(chan int)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			sums := make([]int64, g.Dim)
			for first := range stretches {
				for i := first; i < min(first+stretch, n); i++ {
					g.vector(newDraws(g.Seed, stream, i), sums, into[i*g.Dim:(i+1)*g.Dim])
				}
			}
		})
	}
	for first := 0; first < n && ctx.Err() == nil; first += stretch {
		stretches <- first
	}
	close(stretches)
	workers.Wait()
	return ctx.Err()
}

// vector makes one vector; sums is room for its components. The largest sum has
// 42 bits.
func (g *clustered) vector(d draws, sums []int64, into []float32) {
	cluster := d.below(g.Clusters)
	for i, c := range g.centres[cluster*g.Dim : (cluster+1)*g.Dim] {
		sums[i] = centreWeight * int64(c)
	}
	for j := range clusterDirections {
		along := d.bell()
		for i, c := range g.directions[j*g.Dim : (j+1)*g.Dim] {
			sums[i] += along * int64(c)
		}
	}
	for i, sum := range sums {
		into[i] = float32(sum+noiseWeight*d.bell()) * clusteredScale
	}
}
