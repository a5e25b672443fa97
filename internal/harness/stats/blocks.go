package stats

import (
	"math"
	"slices"
)

const (
	// MaxBlocks is how many blocks a sample is cut into.
	MaxBlocks = 20
	// minBlock is how many values the median of a block needs to be one.
	minBlock = 5
)

// Blocks cuts a sample, in the order in which it was measured, into consecutive
// blocks of equally many values, give or take one, and returns their medians to
// four digits: a machine's drift and its hiccups are in the spread of the
// blocks, which the sample's own spread, query by query, hides. A sample that
// is too small for MaxBlocks has none.
func Blocks(sample []float64) []float64 {
	if len(sample) < MaxBlocks*minBlock {
		return nil
	}
	out := make([]float64, MaxBlocks)
	for i := range out {
		block := slices.Sorted(slices.Values(sample[i*len(sample)/MaxBlocks : (i+1)*len(sample)/MaxBlocks]))
		out[i] = fourDigits(Quantile(block, 0.5))
	}
	return out
}

func fourDigits(v float64) float64 {
	if v == 0 {
		return 0
	}
	// Dividing by a whole power of ten leaves the shortest spelling.
	places := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	if places < 0 {
		power := math.Pow10(-places)
		return math.Round(v/power) * power
	}
	power := math.Pow10(places)
	return math.Round(v*power) / power
}
