package ann

import (
	"math"
	"slices"

	"sortedheap/internal/harness/result"
)

// point is one place of a curve of recall and latency.
type point struct {
	ef      int
	recall  float64
	samples int
	rows    float64 // mean of an answer
	client  *result.Latency
	server  *result.Latency // nil without a server clock
}

// match is where a curve has a wanted recall.
type match struct {
	low, high point   // neighbours on the curve; the same when the first is above already
	share     float64 // of the way from low to high
}

// atRecall finds the first neighbours of a curve, ascending by ef, between which
// the recall passes the wanted one. It is false when the curve stays below.
func atRecall(curve []point, wanted float64) (match, bool) {
	i := slices.IndexFunc(curve, func(p point) bool { return p.recall >= wanted })
	switch {
	case i < 0:
		return match{}, false
	case i == 0:
		return match{low: curve[0], high: curve[0]}, true
	}
	low, high := curve[i-1], curve[i]
	return match{low: low, high: high, share: (wanted - low.recall) / (high.recall - low.recall)}, true
}

// atFirst tells that the first point has the recall already: its figures are
// upper bounds, and not interpolated.
func (m match) atFirst() bool { return m.low.ef == m.high.ef }

func (m match) ef() float64     { return m.between(float64(m.low.ef), float64(m.high.ef)) }
func (m match) recall() float64 { return m.between(m.low.recall, m.high.recall) }

// latency interpolates each figure; an interval of it would claim to know more
// than was measured.
func (m match) latency(of func(point) *result.Latency) *result.Latency {
	low, high := of(m.low), of(m.high)
	if low == nil || high == nil {
		return nil
	}
	return &result.Latency{P50: m.between(low.P50, high.P50), P95: m.between(low.P95, high.P95),
		P99: m.between(low.P99, high.P99), Mean: m.between(low.Mean, high.Mean)}
}

func (m match) between(low, high float64) float64 { return low + m.share*(high-low) }

func clientOf(p point) *result.Latency { return p.client }
func serverOf(p point) *result.Latency { return p.server }

// median is on the server's clock where there is one.
func (m match) median() float64 {
	for _, of := range []func(point) *result.Latency{serverOf, clientOf} {
		if l := m.latency(of); l != nil {
			return l.P50
		}
	}
	return math.NaN()
}
