package evidence

import (
	"cmp"
	"math"
	"slices"
)

// source is a way in which a fragment is found.
type source int

const (
	bySymbol source = iota
	byTerms
	byVector
	byReference
	sources
)

// farAway stands for the distance of a fragment that is not near.
const farAway = 2

// Reciprocal rank fusion: each list in which a fragment stands adds its weight
// over rank and damping. Ranks alone count, for scores of lists do not compare.
const damping = 10

var sourceWeight = [sources]float64{bySymbol: 1.5, byTerms: 1, byVector: 0.5, byReference: 0.35}

// strength is what a source says of a candidate; 0 for nothing.
func (c *candidate) strength(s source) float64 {
	switch s {
	case bySymbol:
		return c.symbol
	case byTerms:
		return c.lexical
	case byVector:
		return farAway - c.distance
	default:
		return c.rescue
	}
}

// fuse ranks candidates by each source, sets their scores, and sorts them best
// first; ties go to the lower number.
func fuse(all []candidate) {
	order := make([]int, len(all))
	for s := range sources {
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(all[b].strength(s), all[a].strength(s)), cmp.Compare(all[a].id, all[b].id))
		})
		rank := 0
		last := math.Inf(1)
		for at, i := range order {
			strength := all[i].strength(s)
			if strength <= 0 {
				all[i].ranks[s] = 0
				continue
			}
			if strength < last {
				rank, last = at+1, strength
			}
			all[i].ranks[s] = rank
		}
	}
	for i := range all {
		c := &all[i]
		c.score = 0
		for s, rank := range c.ranks {
			if rank > 0 {
				c.score += sourceWeight[s] * (damping + 1) / (damping + float64(rank))
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
}

var sourceNames = [sources]string{bySymbol: "symbol", byTerms: "terms", byVector: "vector", byReference: "reference"}

// found names the sources that a candidate stands in.
func (c *candidate) found() []string {
	var out []string
	for s, rank := range c.ranks {
		if rank > 0 {
			out = append(out, sourceNames[s])
		}
	}
	return out
}
