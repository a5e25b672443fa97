package stats

import "math"

// IndependentRatio is the ratio of a to b over values that have nothing to do
// with each other, such as medians of separate builds: geometric means, with
// Welch's interval on the log scale. All values must be positive. A side with
// fewer than two values leaves the bounds NaN.
func IndependentRatio(a, b []float64) Interval {
	if len(a) == 0 || len(b) == 0 {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	meanA, varA := logMoments(a)
	meanB, varB := logMoments(b)
	center := math.Exp(meanA - meanB)
	if len(a) < 2 || len(b) < 2 {
		return Interval{center, math.NaN(), math.NaN()}
	}
	sa, sb := varA/float64(len(a)), varB/float64(len(b))
	half := 0.0
	if sa+sb > 0 {
		freedom := (sa + sb) * (sa + sb) / (sa*sa/float64(len(a)-1) + sb*sb/float64(len(b)-1))
		half = student(int(freedom)) * math.Sqrt(sa+sb)
	}
	return Interval{center, center * math.Exp(-half), center * math.Exp(half)}
}

// logMoments are the mean and the variance of logarithms.
func logMoments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += math.Log(v) / float64(len(values))
	}
	for _, v := range values {
		variance += (math.Log(v) - mean) * (math.Log(v) - mean) / float64(max(1, len(values)-1))
	}
	return mean, variance
}

// student is the 97.5 % quantile of Student's t.
func student(freedom int) float64 {
	if freedom <= len(student97) {
		return student97[max(freedom, 1)-1]
	}
	return normal97
}
