package scenario

import (
	"fmt"
	"maps"
	"slices"

	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// AddSamples sets what was timed of a row: both clocks, parts, buffers, and how many
// rows came.
func AddSamples(row *result.Row, s measure.Samples) {
	row.Samples, row.ClientMS = len(s.ClientMS), result.NewLatency(stats.Summarize(s.ClientMS))
	row.RowsMean = stats.Summarize(s.Rows).Mean
	addParts(row, s)
	if len(s.ServerMS) > 0 {
		row.ServerMS = result.NewLatency(stats.Summarize(s.ServerMS))
		row.PlanningMS = result.NewLatency(stats.Summarize(s.PlanMS))
		row.Buffers = &result.Buffers{Hit: stats.Summarize(s.HitPages).Mean, Read: stats.Summarize(s.ReadPages).Mean}
	}
}

// addParts sets the parts of a row's calls alone.
func addParts(row *result.Row, s measure.Samples) {
	for name, ms := range s.Parts {
		if row.PartsMS == nil {
			row.PartsMS = map[string]*result.Latency{}
		}
		row.PartsMS[name] = result.NewLatency(stats.Summarize(ms))
	}
}

// Doubts are what the statistics of samples warn of, each once with the number of rows.
func Doubts(samples []measure.Samples) []string {
	rows := map[stats.Warning]int{}
	var short []int // sizes of small samples
	for _, s := range samples {
		n := len(s.ClientMS)
		if stats.TooFew(n, n) != "" {
			short = append(short, n)
		}
		for _, w := range stats.Summarize(s.ClientMS).Warnings {
			if w != stats.TooFew(n, n) {
				rows[w]++
			}
		}
	}
	if len(short) > 0 {
		rows[stats.TooFew(slices.Min(short), slices.Max(short))] = len(short)
	}
	var out []string
	for _, w := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, fmt.Sprintf("%d of %d rows: %s", rows[w], len(samples), w))
	}
	return out
}
