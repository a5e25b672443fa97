package measure

import "testing"

func TestAffordable(t *testing.T) {
	for _, c := range []struct {
		budget float64
		passes int
		first  []float64
		want   int
	}{
		{0, 16, []float64{1000}, 16},      // no limit
		{1000, 16, []float64{30, 30}, 16}, // 960 ms in all
		{1000, 16, []float64{100, 110, 150}, 3},
		{1000, 16, []float64{1, 1, 900}, 16}, // a hiccup
		{1000, 16, []float64{5000}, 1},       // the first was taken anyway
	} {
		if got := (Plan{Inputs: len(c.first), Passes: c.passes, Budget: c.budget}).affordable(c.first); got != c.want {
			t.Errorf("budget %g, first pass %v: %d passes, want %d", c.budget, c.first, got, c.want)
		}
	}
}

// A trial takes as many passes as it may, and they are spread.
func TestTakes(t *testing.T) {
	for all := 1; all <= 20; all++ {
		for n := 1; n <= all; n++ {
			taken, last, widest := 1, 0, 0
			for pass := 1; pass < all; pass++ {
				if takes(pass, n, all) {
					taken++
					widest = max(widest, pass-last)
					last = pass
				}
			}
			if taken != n || widest > (all+n-1)/n {
				t.Errorf("%d of %d passes: %d taken, widest step %d", n, all, taken, widest)
			}
		}
	}
}
