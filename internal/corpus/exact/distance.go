package exact

import (
	"fmt"
	"math"
)

// vector is a vector prepared for many distances to it.
type vector struct {
	components []float64
	norm       float64
}

func (g *Graph) vector(query []float32) (vector, error) {
	if len(query) != g.dim {
		return vector{}, fmt.Errorf("%d components where the graph has %d: %w", len(query), g.dim, ErrDimension)
	}
	wide := make([]float64, len(query))
	for i, x := range query {
		wide[i] = float64(x)
	}
	return vector{wide, math.Sqrt(dot(wide, query))}, nil
}

// distance returns the cosine distance, 0 to 2, to a row with a known norm; NaN
// when either norm is 0.
func (v vector) distance(row []float32, rowNorm float64) float64 {
	if v.norm == 0 || rowNorm == 0 {
		return math.NaN()
	}
	similarity := dot(v.components, row) / (v.norm * rowNorm)
	return 1 - min(max(similarity, -1), 1)
}

// dot sums in a fixed order, so equal vectors have equal distances.
func dot(a []float64, b []float32) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * float64(b[i])
		s1 += a[i+1] * float64(b[i+1])
		s2 += a[i+2] * float64(b[i+2])
		s3 += a[i+3] * float64(b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += a[i] * float64(b[i])
	}
	return (s0 + s1) + (s2 + s3)
}
