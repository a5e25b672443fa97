// Package stats summarizes samples and compares them. What makes a figure
// doubtful travels with it as a Warning, so a report cannot drop it.
package stats

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence of every interval in this package.
const Confidence = 0.95

// MinSamples is how many samples a published row should have.
const MinSamples = 1000

// Warning says why a figure is to be read with care.
type Warning string

// Summary describes one sample. All values have the sample's unit; they are
// NaN for an empty sample.
type Summary struct {
	N                   int
	P50, P95, P99, Mean float64
	Lo, Hi              float64   // interval of the median
	Blocks              []float64 // as Blocks cuts them
	Warnings            []Warning
}

// Summarize returns the summary of a sample in the order of measurement, which it
// does not keep.
func Summarize(sample []float64) Summary {
	if len(sample) == 0 {
		nan := math.NaN()
		return Summary{P50: nan, P95: nan, P99: nan, Mean: nan, Lo: nan, Hi: nan, Warnings: []Warning{"no samples"}}
	}
	sorted := slices.Sorted(slices.Values(sample))
	sum := 0.0
	for _, v := range sorted {
		sum += v
	}
	s := Summary{
		N: len(sorted), Mean: sum / float64(len(sorted)),
		P50: Quantile(sorted, 0.50), P95: Quantile(sorted, 0.95), P99: Quantile(sorted, 0.99), Blocks: Blocks(sample),
	}
	ofMedian := benchmath.AssumeNothing.Summary(benchmath.NewSample(sorted, &benchmath.DefaultThresholds), Confidence)
	s.Lo, s.Hi = ofMedian.Lo, ofMedian.Hi
	for _, w := range ofMedian.Warnings {
		s.Warnings = append(s.Warnings, Warning(w.Error()))
	}
	if w := TooFew(s.N, s.N); w != "" {
		s.Warnings = append(s.Warnings, w)
	}
	return s
}

// TooFew is the warning for samples of sizes between least and most; empty when
// the largest is large enough.
func TooFew(least, most int) Warning {
	switch {
	case most >= MinSamples:
		return ""
	case least == most:
		return Warning(fmt.Sprintf("%d samples, fewer than %d", least, MinSamples))
	}
	return Warning(fmt.Sprintf("%d to %d samples, fewer than %d", least, most, MinSamples))
}

// Quantile interpolates linearly in a sorted, non-empty sample; 0 <= q <= 1.
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Interval is a value with its confidence interval.
type Interval struct {
	Center, Lo, Hi float64
}

// Clear reports whether the interval excludes v.
func (i Interval) Clear(v float64) bool { return i.Lo > v || i.Hi < v }

// Ratio returns the ratio of two medians with known intervals. Errors are taken as independent and combined on the log scale.
func Ratio(a, b Interval) Interval {
	center := divide(a.Center, b.Center)
	if !(a.Lo > 0 && b.Lo > 0) || math.IsInf(a.Hi, 0) || math.IsInf(b.Hi, 0) {
		return Interval{center, math.NaN(), math.NaN()}
	}
	down := math.Hypot(math.Log(a.Center/a.Lo), math.Log(b.Hi/b.Center))
	up := math.Hypot(math.Log(a.Hi/a.Center), math.Log(b.Center/b.Lo))
	return Interval{center, center * math.Exp(-down), center * math.Exp(up)}
}

func divide(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
