package ccore

import (
	"math"
	"math/rand/v2"
)

// reference is the distance by the definition, in float64, and the size of its
// sums, in which errors are measured.
func reference(metric Metric, a, b []float32) (distance, size float64) {
	var dot, dotSize, aa, bb, l2sq, l1 float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		dotSize += math.Abs(x * y)
		aa += x * x
		bb += y * y
		l2sq += (x - y) * (x - y)
		l1 += math.Abs(x - y)
	}
	switch metric {
	case Cosine:
		if aa == 0 || bb == 0 {
			return math.NaN(), 1
		}
		return 1 - dot/(math.Sqrt(aa)*math.Sqrt(bb)), 1
	case L2:
		return math.Sqrt(l2sq), math.Sqrt(l2sq)
	case InnerProduct:
		return -dot, dotSize
	default:
		return l1, l1
	}
}

// tolerance of a distance whose sums have the given size, for n components.
func tolerance(size float64, n int) float64 {
	return size * (8 + float64(n)/32) * 0x1p-23
}

var allMetrics = []Metric{Cosine, L2, InnerProduct, L1}

// matrix returns n whole numbers from -limit to limit: sums of them are exact.
func matrix(rng *rand.Rand, n, limit int) []float32 {
	m := make([]float32, n)
	for i := range m {
		m[i] = float32(rng.IntN(2*limit+1) - limit)
	}
	return m
}
