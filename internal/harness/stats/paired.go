package stats

import "math"

// student97 is the 97.5 % quantile of Student's t for 1, 2, ... degrees of
// freedom; beyond the table the normal quantile is close enough.
var student97 = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

const normal97 = 1.960

// PairedRatio is the ratio of a to b over pairs that were measured side by
// side: the geometric mean, with the 95 % interval of Student's t on the log
// scale. All values must be positive and the slices as long as each other. Fewer
// than two pairs have no interval; its bounds are NaN then.
func PairedRatio(a, b []float64) Interval {
	n := len(a)
	if n == 0 || n != len(b) {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	logs := make([]float64, n)
	mean := 0.0
	for i := range a {
		logs[i] = math.Log(a[i] / b[i])
		mean += logs[i] / float64(n)
	}
	if n == 1 {
		return Interval{math.Exp(mean), math.NaN(), math.NaN()}
	}
	squares := 0.0
	for _, l := range logs {
		squares += (l - mean) * (l - mean)
	}
	half := student(n-1) * math.Sqrt(squares/float64(n-1)/float64(n))
	return Interval{math.Exp(mean), math.Exp(mean - half), math.Exp(mean + half)}
}
