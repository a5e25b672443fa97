package exact

import (
	"errors"
	"fmt"
	"math"
)

// Score says what the results of several hops are ordered by.
type Score int

const (
	// Endpoint scores a row by its own distance.
	Endpoint Score = iota
	// Path adds the best distances on the way to it.
	Path
)

// Side says which id of a seed row starts the expansion.
type Side int

const (
	// ByEntity starts at what the seed row is about.
	ByEntity Side = iota
	// ByTarget starts at what the seed row leads to.
	ByTarget
)

// Search is one whole question: seeds, hops, score and cut.
type Search struct {
	AnnK       int     // seed rows
	TopK       int     // results
	Hops       []int32 // relation filter of each hop, at least one; AnyRelation allowed
	Score      Score
	Seeds      Side
	FilterSeed bool // only rows that pass the first hop's filter become seeds
}

// ErrNoHop is returned for a search or an expansion without hops.
var ErrNoHop = errors.New("no hop given")

// Answer runs a search for one query.
func (g *Graph) Answer(query []float32, s Search) ([]Result, error) {
	if len(s.Hops) == 0 {
		return nil, fmt.Errorf("answer query: %w", ErrNoHop)
	}
	filter := AnyRelation
	if s.FilterSeed {
		filter = s.Hops[0]
	}
	near, err := g.Seeds(query, s.AnnK, filter)
	if err != nil {
		return nil, err
	}
	seeds := g.Entities(near)
	if s.Seeds == ByTarget {
		seeds = g.Targets(near)
	}
	return g.Hops(query, seeds, s.Hops, s.Score, s.TopK)
}

// Hops expands seeds hop by hop and returns the k best rows of the last one.
func (g *Graph) Hops(query []float32, seeds, filters []int32, score Score, k int) ([]Result, error) {
	if len(filters) == 0 {
		return nil, fmt.Errorf("expand %d seeds: %w", len(seeds), ErrNoHop)
	}
	q, err := g.vector(query)
	if err != nil {
		return nil, fmt.Errorf("expand %d seeds: %w", len(seeds), err)
	}
	// best holds, per id at hand, the smallest sum of distances that leads
	// there; infinity when only unranked rows do, which still expand.
	best := make(map[int32]float64, len(seeds))
	for _, id := range seeds {
		best[id] = 0
	}
	var scored []Result
	for hop, filter := range filters {
		last := hop == len(filters)-1
		reached := make(map[int32]float64)
		scored = scored[:0]
		for _, row := range g.Expand(keys(best), filter) {
			fact := &g.rows[row]
			d := q.distance(fact.Embedding, g.norms[row])
			if score == Path {
				d += best[fact.Entity]
			}
			if last {
				scored = append(scored, Result{row, ranked(d)})
				continue
			}
			if math.IsNaN(d) {
				d = math.Inf(1)
			}
			if known, ok := reached[fact.Target]; !ok || d < known {
				reached[fact.Target] = d
			}
		}
		best = reached
	}
	return g.top(scored, k), nil
}

// ranked turns the score of a row that no ranked path reaches into the NaN
// that keeps it out of the results.
func ranked(score float64) float64 {
	if math.IsInf(score, 1) {
		return math.NaN()
	}
	return score
}

func keys(m map[int32]float64) []int32 {
	out := make([]int32, 0, len(m))
	for id := range m {
		out = append(out, id)
	}
	return out
}
