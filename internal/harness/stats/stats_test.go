package stats_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"sortedheap/internal/harness/stats"
)

func sequence(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64((i*7919)%n) + 1 // 1..n, shuffled when n is no multiple of 7919
	}
	return out
}

func TestSummarize(t *testing.T) {
	s := stats.Summarize(sequence(1001))
	if s.N != 1001 || s.P50 != 501 || s.P95 != 951 || s.P99 != 991 || s.Mean != 501 {
		t.Errorf("summary of 1..1001: %+v", s)
	}
	// The binomial interval of the median of 1001 is 501 give or take 31.
	if s.Lo < 468 || s.Lo > 472 || s.Hi < 530 || s.Hi > 534 {
		t.Errorf("interval of the median is %v..%v, want about 470..532", s.Lo, s.Hi)
	}
	if len(s.Warnings) != 0 {
		t.Errorf("warnings %v for 1001 samples", s.Warnings)
	}
}

func TestFewSamplesWarn(t *testing.T) {
	s := stats.Summarize(sequence(64))
	if len(s.Warnings) == 0 || !strings.Contains(string(s.Warnings[len(s.Warnings)-1]), "64 samples") {
		t.Errorf("warnings %v, want one about 64 samples", s.Warnings)
	}
	if s := stats.Summarize([]float64{3}); s.P50 != 3 || s.P99 != 3 || !math.IsInf(s.Lo, -1) {
		t.Errorf("one sample: %+v, want an open interval", s)
	}
	if s := stats.Summarize(nil); !math.IsNaN(s.P50) || len(s.Warnings) == 0 {
		t.Errorf("no sample: %+v, want NaN and a warning", s)
	}
}

func TestQuantile(t *testing.T) {
	for _, c := range []struct{ q, want float64 }{{0, 10}, {0.5, 25}, {1, 40}, {0.25, 17.5}} {
		if got := stats.Quantile([]float64{10, 20, 30, 40}, c.q); got != c.want {
			t.Errorf("quantile %v is %v, want %v", c.q, got, c.want)
		}
	}
}

// The interval must cover a known ratio about as often as it promises.
func TestRatioCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	covered := 0
	const trials = 200
	for range trials {
		a, b := make([]float64, 200), make([]float64, 200)
		for i := range a {
			a[i], b[i] = 2*rng.ExpFloat64(), rng.ExpFloat64()
		}
		r := stats.Ratio(ofMedian(a), ofMedian(b))
		if r.Lo <= 2 && 2 <= r.Hi {
			covered++
		}
		if r.Lo > r.Center || r.Center > r.Hi {
			t.Fatalf("interval %+v does not hold its center", r)
		}
	}
	if covered < 180 || covered == trials {
		t.Errorf("the true ratio lies in %d of %d intervals, want about %d", covered, trials, trials*95/100)
	}
}

func ofMedian(sample []float64) stats.Interval {
	s := stats.Summarize(sample)
	return stats.Interval{Center: s.P50, Lo: s.Lo, Hi: s.Hi}
}

func TestRatio(t *testing.T) {
	r := stats.Ratio(stats.Interval{Center: 2, Lo: 1.8, Hi: 2.2}, stats.Interval{Center: 1, Lo: 0.9, Hi: 1.1})
	if r.Center != 2 || !r.Clear(1) || r.Lo > 1.75 || r.Lo < 1.5 || r.Hi < 2.25 || r.Hi > 2.5 {
		t.Errorf("ratio of 2 (1.8..2.2) to 1 (0.9..1.1) is %+v", r)
	}
	same := stats.Ratio(stats.Interval{Center: 1, Lo: 0.9, Hi: 1.1}, stats.Interval{Center: 1, Lo: 0.9, Hi: 1.1})
	if same.Clear(1) {
		t.Errorf("equal medians are told apart: %+v", same)
	}
	if open := stats.Ratio(stats.Interval{Center: 1}, stats.Interval{Center: 1}); !math.IsNaN(open.Lo) || open.Clear(1) {
		t.Errorf("without intervals the ratio claims %+v", open)
	}
}
