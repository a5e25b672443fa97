package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"sortedheap/internal/harness/stats"
)

func TestBlocks(t *testing.T) {
	sample := make([]float64, 1000)
	for i := range sample {
		sample[i] = float64(1 + i/50) // block b is b+1 throughout
	}
	blocks := stats.Blocks(sample)
	for i, b := range blocks {
		if b != float64(i+1) {
			t.Errorf("block %d is %v, want %d", i, b, i+1)
		}
	}
	if len(blocks) != stats.MaxBlocks {
		t.Errorf("%d blocks, want %d", len(blocks), stats.MaxBlocks)
	}
	if few := stats.Blocks(sample[:99]); few != nil {
		t.Errorf("99 values have blocks %v", few)
	}
	for i := range sample {
		sample[i] = 0.123456
	}
	if got := stats.Blocks(sample)[0]; got != 0.1235 {
		t.Errorf("0.123456 to four digits is %v", got)
	}
	for i := range sample {
		sample[i] = 123456
	}
	if got := stats.Blocks(sample)[0]; got != 123500 {
		t.Errorf("123456 to four digits is %v", got)
	}
}

// Blocks of two runs over drifting machines: the interval must cover the true
// ratio about as often as it promises, where one of single calls would not.
func TestRatioOfBlocksCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const trials, truth = 300, 1.1
	covered := 0
	for range trials {
		r := stats.PairedRatio(stats.Blocks(drifting(rng, truth)), stats.Blocks(drifting(rng, 1)))
		if r.Lo <= truth && truth <= r.Hi {
			covered++
		}
	}
	if covered < trials*90/100 || covered == trials {
		t.Errorf("the true ratio lies in %d of %d intervals, want about %d", covered, trials, trials*95/100)
	}
}

// drifting is a run of calls whose level changes every 50 calls.
func drifting(rng *rand.Rand, level float64) []float64 {
	sample := make([]float64, 1000)
	drift := 1.0
	for i := range sample {
		if i%50 == 0 {
			drift = math.Exp(0.05 * rng.NormFloat64())
		}
		sample[i] = level * drift * math.Exp(0.1*rng.NormFloat64())
	}
	return sample
}

func TestIndependentRatio(t *testing.T) {
	// Logs 0, 0.2 and 0, 0.2: equal means, variance 0.02 each, two degrees of
	// freedom together.
	a := []float64{1, math.Exp(0.2)}
	got := stats.IndependentRatio(a, a)
	half := 4.303 * math.Sqrt(0.02)
	for _, c := range []struct{ got, want float64 }{{got.Center, 1}, {got.Lo, math.Exp(-half)}, {got.Hi, math.Exp(half)}} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("interval %+v: %g, want %g", got, c.got, c.want)
		}
	}
	if one := stats.IndependentRatio([]float64{2}, a); !math.IsNaN(one.Lo) || one.Center < 1.8 || one.Center > 1.82 {
		t.Errorf("one value against two: %+v", one)
	}
	if same := stats.IndependentRatio([]float64{3, 3}, []float64{1, 1}); math.Abs(same.Lo-3) > 1e-9 || math.Abs(same.Hi-3) > 1e-9 {
		t.Errorf("without spread: %+v", same)
	}
}
