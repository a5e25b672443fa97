package report

import (
	"math"
	"slices"
	"strings"

	"sortedheap/internal/harness/report/chart"
	"sortedheap/internal/harness/result"
)

// streamCost is one thing that a stream of statements costs per row.
type streamCost struct {
	title, better, worse string
	of                   func(mine, theirs result.Throughput) (value, lo, hi float64)
}

// streamCosts begin with the verdict and end with what is free of noise.
var streamCosts = []streamCost{
	{"CPU of the server per row", "less", "more", func(mine, _ result.Throughput) (float64, float64, float64) { return inverse(mine.CPURatio) }},
	{"Time per row, one client", "less", "more", func(mine, _ result.Throughput) (float64, float64, float64) { return inverse(mine.SpeedRatio) }},
	{"Write-ahead log per row", "less", "more", func(mine, theirs result.Throughput) (float64, float64, float64) {
		return counted(&mine.WALBytes, &theirs.WALBytes)
	}},
	{"Buffer accesses per row", "fewer", "more", func(mine, theirs result.Throughput) (float64, float64, float64) {
		return counted(mine.Buffers, theirs.Buffers)
	}},
}

// inverse is the cost where a file has a rate.
func inverse(rate *result.Ratio) (value, lo, hi float64) {
	if rate == nil || rate.Value == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	value, lo, hi = 1/rate.Value, math.NaN(), math.NaN()
	if rate.Lo != nil && rate.Hi != nil && *rate.Lo > 0 {
		lo, hi = 1 / *rate.Hi, 1 / *rate.Lo
	}
	return value, lo, hi
}

// counted is a ratio without an interval. Less than a byte or an access in a
// hundred rows is none.
func counted(mine, theirs *float64) (value, lo, hi float64) {
	if mine == nil || theirs == nil || *theirs < 0.01 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return *mine / *theirs, math.NaN(), math.NaN()
}

// ratios are the cost of all kinds of statements against heap.
func (c streamCost) ratios(rows []result.Row) []chart.Ratio {
	var out []chart.Ratio
	for _, r := range rows {
		if r.Throughput == nil || r.Engine == plain {
			continue
		}
		at := slices.IndexFunc(rows, func(o result.Row) bool { return o.Engine == plain && o.Case == r.Case && o.Throughput != nil })
		if at < 0 {
			continue
		}
		if value, lo, hi := c.of(*r.Throughput, *rows[at].Throughput); !math.IsNaN(value) {
			out = append(out, ratioOf(streamTitle(r.Case), plain, value, lo, hi, c.better, c.worse))
		}
	}
	return out
}

// plain is the engine of heap tables and btrees.
const plain = "heap"

// streamTitle says in words what a stream does.
func streamTitle(name string) string {
	titles := map[string]string{
		"point":         "Read a row by its key",
		"range_5000":    "Read 5,000 rows in key order",
		"update":        "Update a column that is no key",
		"insert":        "Insert rows anywhere",
		"insert_append": "Insert rows at the end",
		"delete_insert": "Delete a row and insert it again",
	}
	if t, ok := titles[name]; ok {
		return t
	}
	if rest, ok := strings.CutPrefix(name, "copy_"); ok {
		return "COPY, " + strings.ReplaceAll(rest, "_", ", ")
	}
	return name
}

// streamCharts are streams of statements against the same on a heap table.
func streamCharts(rows []result.Row) []figure {
	ratios := chart.Ratios{Label: "Cost per row against a heap table, by kind of statement", Better: "cheaper than heap", Worse: "dearer"}
	for _, c := range streamCosts {
		if g := (chart.RatioGroup{Title: c.title, Ratios: c.ratios(rows)}); len(g.Ratios) > 0 {
			ratios.Groups = append(ratios.Groups, g)
		}
	}
	if len(ratios.Groups) == 0 {
		return nil
	}
	fitted := ratios.Fit()
	return []figure{{Title: "Cost of statements against heap", Ratios: &fitted,
		Caption: "The same statements on a sorted_heap table and on a heap table, in turns; the thin line is the 95 % interval over pairs. CPU is the verdict: waiting for a disk or a busy machine is not in it."}}
}
