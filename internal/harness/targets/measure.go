package targets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// values read rows; a row without the value has NaN.
var values = map[Value]func(result.Row) stats.Interval{
	"server_ms": func(r result.Row) stats.Interval { return latency(r.ServerMS) },
	"client_ms": func(r result.Row) stats.Interval { return latency(r.ClientMS) },
	"client_p99_ms": func(r result.Row) stats.Interval {
		if r.ClientMS == nil {
			return missing()
		}
		return exactly(r.ClientMS.P99)
	},
	"queries_per_second": func(r result.Row) stats.Interval {
		if r.Load == nil {
			return missing()
		}
		return exactly(r.Load.QueriesPerSecond)
	},
	"build_seconds": func(r result.Row) stats.Interval {
		return ofBuild(r, func(b result.Build) float64 { return b.Seconds })
	},
	"index_bytes": func(r result.Row) stats.Interval {
		return ofBuild(r, func(b result.Build) float64 { return float64(b.IndexBytes) })
	},
	"hit_at_1": func(r result.Row) stats.Interval {
		return ofQuality(r, func(q result.Quality) *float64 { return q.HitAt1 })
	},
	"hit_at_k": func(r result.Row) stats.Interval {
		return ofQuality(r, func(q result.Quality) *float64 { return q.HitAtK })
	},
	"recall": func(r result.Row) stats.Interval {
		return ofQuality(r, func(q result.Quality) *float64 { return q.RecallAtK })
	},
	"fresh_recall":   func(r result.Row) stats.Interval { return ofParams(r, "fresh_recall") },
	"hnswlib_recall": func(r result.Row) stats.Interval { return ofParams(r, "hnswlib_recall") },
	// Of streams of statements: rows per second of CPU over heap's, its lower end, and
	// what a row costs.
	"cpu_rate": func(r result.Row) stats.Interval {
		return ofStream(r, func(t result.Throughput) stats.Interval { return rate(t.CPURatio) })
	},
	"cpu_rate_low": func(r result.Row) stats.Interval {
		return ofStream(r, func(t result.Throughput) stats.Interval { return exactly(rate(t.CPURatio).Lo) })
	},
	"cpu_cost": func(r result.Row) stats.Interval {
		return ofStream(r, func(t result.Throughput) stats.Interval {
			i := rate(t.CPURatio)
			return stats.Interval{Center: 1 / i.Center, Lo: 1 / i.Hi, Hi: 1 / i.Lo}
		})
	},
	"wal_per_row": func(r result.Row) stats.Interval {
		return ofStream(r, func(t result.Throughput) stats.Interval { return exactly(t.WALBytes) })
	},
	"buffers_per_row": func(r result.Row) stats.Interval {
		return ofStream(r, func(t result.Throughput) stats.Interval { return exactly(deref(t.Buffers)) })
	},
	"widens_per_row": func(r result.Row) stats.Interval {
		return ofStream(r, func(t result.Throughput) stats.Interval { return exactly(deref(t.Widens)) })
	},
}

func exactly(v float64) stats.Interval {
	return stats.Interval{Center: v, Lo: math.NaN(), Hi: math.NaN()}
}

func missing() stats.Interval { return exactly(math.NaN()) }

func deref(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

func latency(l *result.Latency) stats.Interval {
	if l == nil {
		return missing()
	}
	return stats.Interval{Center: l.P50, Lo: deref(l.P50Lo), Hi: deref(l.P50Hi)}
}

func rate(r *result.Ratio) stats.Interval {
	if r == nil {
		return missing()
	}
	return stats.Interval{Center: r.Value, Lo: deref(r.Lo), Hi: deref(r.Hi)}
}

func ofBuild(r result.Row, of func(result.Build) float64) stats.Interval {
	if r.Build == nil {
		return missing()
	}
	return exactly(of(*r.Build))
}

func ofQuality(r result.Row, of func(result.Quality) *float64) stats.Interval {
	if r.Quality == nil {
		return missing()
	}
	return exactly(deref(of(*r.Quality)))
}

func ofParams(r result.Row, name string) stats.Interval {
	if v, ok := r.Params[name].(float64); ok {
		return exactly(v)
	}
	return missing()
}

func ofStream(r result.Row, of func(result.Throughput) stats.Interval) stats.Interval {
	if r.Throughput == nil {
		return missing()
	}
	return of(*r.Throughput)
}

// Outcome is a target and what was measured.
type Outcome struct {
	Target
	Found    bool
	Measured float64
	Lo, Hi   float64      // 95 % interval; NaN: none
	Met      bool         // by the value; the interval is for the reader
	Row      string       // the row that counts, by case and pair
	Builds   int          // that took part
	File     *result.File // where it is from; of the newer side, where there are two
}

// sample is a target's value in one build.
type sample struct {
	stats.Interval
	file *result.File
	of   string
}

// Measure finds what files tell of each target.
func (l *List) Measure(files []*result.File) [][]Outcome {
	newestFirst := slices.SortedStableFunc(slices.Values(files), func(a, b *result.File) int { return cmp.Compare(b.Env.Time, a.Env.Time) })
	out := make([][]Outcome, len(l.Groups))
	for i, g := range l.Groups {
		for _, t := range g.Targets {
			out[i] = append(out[i], t.measure(newestFirst))
		}
	}
	return out
}

func (t Target) measure(newestFirst []*result.File) Outcome {
	o := Outcome{Target: t, Measured: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	var samples []sample
	switch {
	case t.How == growth:
		samples = t.grown(newestFirst)
	default:
		for _, f := range newestFirst {
			samples = append(samples, t.inFile(f)...)
			if len(samples) > 0 && !t.EveryBuild {
				break
			}
		}
	}
	if len(samples) == 0 {
		return o
	}
	slices.SortStableFunc(samples, func(a, b sample) int { return t.worseFirst(a.Center, b.Center) })
	chosen := samples[0]
	if !t.EveryBuild {
		chosen = samples[len(samples)/2]
	}
	o.Found, o.Measured, o.Lo, o.Hi = true, chosen.Center, chosen.Lo, chosen.Hi
	o.Row, o.File, o.Builds = chosen.of, chosen.file, len(samples)
	o.Met = t.AtMost != nil && o.Measured <= *t.AtMost || t.AtLeast != nil && o.Measured >= *t.AtLeast
	return o
}

func (t Target) worseFirst(a, b float64) int {
	if t.AtMost != nil {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// inFile has a sample for each build in a file: the worst of its pairs.
func (t Target) inFile(f *result.File) []sample {
	var builds []string
	for _, r := range f.Rows {
		if t.Of.picks(f, r) && !slices.Contains(builds, r.Point) && (r.Point == "" || strings.HasPrefix(r.Point, "build=")) {
			builds = append(builds, r.Point)
		}
	}
	var out []sample
	for _, build := range builds {
		var pairs []sample
		for _, key := range t.keys(f, build) {
			if s, ok := t.pair(f, build, key); ok {
				pairs = append(pairs, s)
			}
		}
		if len(pairs) > 0 {
			slices.SortStableFunc(pairs, func(a, b sample) int { return t.worseFirst(a.Center, b.Center) })
			out = append(out, pairs[0])
		}
	}
	return out
}

// keys are the values of By that rows of a build have.
func (t Target) keys(f *result.File, build string) []string {
	var keys []string
	for _, r := range f.Rows {
		if key := t.key(f, r); r.Point == build && t.Of.picks(f, r) && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

func (t Target) key(f *result.File, r result.Row) string {
	var words []string
	for _, name := range t.By {
		words = append(words, strings.ReplaceAll(name, "_", " ")+" "+text(param(f, r, name)))
	}
	return strings.Join(words, ", ")
}

// pair combines both sides; false where one is not there.
func (t Target) pair(f *result.File, build, key string) (sample, bool) {
	in := func(s Selector) (stats.Interval, string) {
		return t.best(f, s, func(r result.Row) bool { return r.Point == build && t.key(f, r) == key })
	}
	of, name := in(t.Of)
	other := stats.Interval{Center: 0, Lo: math.NaN(), Hi: math.NaN()}
	for i, s := range t.Over {
		side, _ := in(s)
		if i == 0 {
			other = side
		} else {
			other = exactly(other.Center + side.Center)
		}
	}
	s := sample{file: f, of: strings.TrimPrefix(strings.Join([]string{name, key}, ", "), ", ")}
	s.of = strings.TrimSuffix(s.of, ", ")
	switch t.How {
	case ratio:
		s.Interval = stats.Ratio(of, other)
	case difference:
		s.Interval = exactly(of.Center - other.Center)
	default:
		s.Interval = of
	}
	return s, !math.IsNaN(s.Center) && !math.IsInf(s.Center, 0)
}

// best is the best value among picked rows, and the case that has it.
func (t Target) best(f *result.File, s Selector, also func(result.Row) bool) (stats.Interval, string) {
	best, name := missing(), ""
	for _, r := range f.Rows {
		if !s.picks(f, r) || !also(r) {
			continue
		}
		v := values[s.Value](r)
		if !math.IsNaN(v.Center) && (math.IsNaN(best.Center) || t.worseFirst(v.Center, best.Center) > 0) {
			best, name = v, r.Case
		}
	}
	return best, name
}

// grown is the exponent with which a value grows between two files' numbers of rows.
func (t Target) grown(newestFirst []*result.File) []sample {
	side := func(s Selector) (float64, float64, *result.File) {
		for _, f := range newestFirst {
			v, _ := t.best(f, s, func(r result.Row) bool { return r.Point == "" })
			rows, ok := f.Params["rows"].(float64)
			if ok && !math.IsNaN(v.Center) {
				return v.Center, rows, f
			}
		}
		return math.NaN(), math.NaN(), nil
	}
	large, many, f := side(t.Of)
	small, few, _ := side(t.Over[0])
	exponent := math.Log(large/small) / math.Log(many/few)
	if math.IsNaN(exponent) || math.IsInf(exponent, 0) {
		return nil
	}
	return []sample{{exactly(exponent), f, fmt.Sprintf("%.3f ms at %.0f rows, %.3f ms at %.0f", large, many, small, few)}}
}

// picks says whether a row counts.
func (s Selector) picks(f *result.File, r result.Row) bool {
	if r.Error != "" || r.Scenario != s.Scenario || r.Engine != s.Engine || !s.pattern.MatchString(r.Case) {
		return false
	}
	for name, want := range s.Params {
		if text(param(f, r, name)) != text(want) {
			return false
		}
	}
	return true
}

// param is a parameter of a row, or else of its file; corpus is one of a row.
func param(f *result.File, r result.Row, name string) any {
	if name == "corpus" {
		return r.Corpus
	}
	if v, ok := r.Params[name]; ok {
		return v
	}
	return f.Params[name]
}

// text is a parameter's value, numbers without what JSON adds.
func text(v any) string {
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}
