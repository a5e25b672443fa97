package stats_test

import (
	"math"
	"testing"

	"sortedheap/internal/harness/stats"
)

func TestPairedRatio(t *testing.T) {
	// Ratios e^0.1, e^0.2, e^0.3: mean 0.2, standard error 0.1/sqrt(3), t 4.303.
	a := []float64{math.Exp(0.1), 2 * math.Exp(0.2), 5 * math.Exp(0.3)}
	got := stats.PairedRatio(a, []float64{1, 2, 5})
	half := 4.303 * 0.1 / math.Sqrt(3)
	for _, c := range []struct{ got, want float64 }{
		{got.Center, math.Exp(0.2)}, {got.Lo, math.Exp(0.2 - half)}, {got.Hi, math.Exp(0.2 + half)},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("interval %+v: %g, want %g", got, c.got, c.want)
		}
	}
	if one := stats.PairedRatio([]float64{3}, []float64{2}); math.Abs(one.Center-1.5) > 1e-12 || !math.IsNaN(one.Lo) {
		t.Errorf("one pair: %+v", one)
	}
	if none := stats.PairedRatio(nil, nil); !math.IsNaN(none.Center) {
		t.Errorf("no pair: %+v", none)
	}
	many := make([]float64, 40)
	for i := range many {
		many[i] = 1
	}
	if same := stats.PairedRatio(many, many); same.Lo != 1 || same.Hi != 1 {
		t.Errorf("40 equal pairs: %+v", same)
	}
}
