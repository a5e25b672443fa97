package chart

import (
	"math"
	"strconv"
)

// Scale maps values to a share of an axis, 0 to 1, and says where ticks stand.
// The zero value has no extent; NewLinear, NewLog and NewRecall make scales.
type Scale struct {
	lo, hi float64
	bend   func(float64) float64 // monotonic; where a value lies before it is stretched
	ticks  []Tick
}

// Tick is a labelled place on an axis.
type Tick struct {
	Value float64
	Label string
}

// Place is where a value lies, 0 at the low end; values outside of the scale lie
// at its ends.
func (s Scale) Place(v float64) float64 {
	lo, hi := s.bend(s.lo), s.bend(s.hi)
	if hi == lo {
		return 0.5
	}
	return min(1, max(0, (s.bend(v)-lo)/(hi-lo)))
}

// Ticks are the labelled places, ascending.
func (s Scale) Ticks() []Tick { return s.ticks }

// NewLog has decades with as many round numbers between as there is room for, and
// covers all values, which must be above 0.
func NewLog(values []float64) Scale {
	lo, hi := extent(values)
	s := Scale{lo: lo / 1.15, hi: hi * 1.15, bend: math.Log10}
	for _, mantissas := range [][]float64{{1, 1.5, 2, 3, 4, 5, 6, 8}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}} {
		if s.ticks = decades(s.lo, s.hi, mantissas); len(s.ticks) <= maxTicks {
			break
		}
	}
	return s
}

// decades are the multiples of powers of ten in a range.
func decades(lo, hi float64, mantissas []float64) []Tick {
	var ticks []Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for _, m := range mantissas {
			if v := m * math.Pow(10, e); v >= lo && v <= hi {
				ticks = append(ticks, Tick{v, short(v)})
			}
		}
	}
	return ticks
}

// maxTicks is how many labels an axis has room for.
const maxTicks = 8

// NewLinear covers all values with round steps.
func NewLinear(values []float64, label func(float64) string) Scale {
	lo, hi := extent(values)
	if hi == lo {
		lo, hi = lo-0.5*math.Abs(lo)-0.01, hi+0.5*math.Abs(hi)+0.01
	}
	step := niceStep((hi - lo) / 4)
	s := Scale{lo: math.Floor(lo/step) * step, hi: math.Ceil(hi/step) * step, bend: func(v float64) float64 { return v }}
	for i := 0; ; i++ {
		v := s.lo + float64(i)*step
		if v > s.hi+step/2 {
			return s
		}
		s.ticks = append(s.ticks, Tick{v, label(v)})
	}
}

// recallTicks are labelled where they fit.
var recallTicks = []float64{0.1, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999}

// NewRecall spreads shares near 1, where curves differ: what counts there is how
// much is missed. best is the smallest share above 0 that the data can miss;
// 1 itself lies at the right end, a step beyond.
func NewRecall(values []float64, best float64) Scale {
	lo, hi := extent(values)
	missed := func(v float64) float64 { return -math.Log10(max(1-v, best/2)) }
	lo = min(lo, 0.95)
	s := Scale{lo: lo, hi: max(hi, 0.99), bend: missed}
	for _, v := range recallTicks {
		if v >= s.lo && v <= s.hi && 1-v >= best {
			s.ticks = append(s.ticks, Tick{v, strconv.FormatFloat(v, 'f', -1, 64)})
		}
	}
	if hi >= 1-best/2 {
		s.ticks = append(s.ticks, Tick{1, "1"})
	}
	return s.thin()
}

// thin drops ticks whose labels would touch, keeping the last.
func (s Scale) thin() Scale {
	const gap = 0.09
	var kept []Tick
	for i := len(s.ticks) - 1; i >= 0; i-- {
		at := s.Place(s.ticks[i].Value)
		if len(kept) == 0 || s.Place(kept[0].Value)-at >= gap {
			kept = append([]Tick{s.ticks[i]}, kept...)
		}
	}
	s.ticks = kept
	return s
}

// NewShares covers shares of 1 linearly, 1 included and nothing beyond.
func NewShares(values []float64) Scale {
	lo, _ := extent(values)
	lo = min(lo, 0.95)
	step := niceStep((1 - lo) / 4)
	s := Scale{hi: 1, bend: func(v float64) float64 { return v }}
	for i := 0; s.lo == 0; i++ {
		at := 1 - float64(i)*step
		s.ticks = append([]Tick{{at, strconv.FormatFloat(math.Round(1000*at)/10, 'f', -1, 64) + " %"}}, s.ticks...)
		if at <= lo || at <= step/2 {
			s.lo = at
			break
		}
	}
	return s
}

func extent(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo > hi {
		return 0.1, 1
	}
	return lo, hi
}

func niceStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= least {
			return m * power
		}
	}
	return 10 * power
}

// short has the digits that a tick needs.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
