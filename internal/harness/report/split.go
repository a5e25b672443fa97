package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"sortedheap/internal/harness/result"
)

// stageNames are the stages of a graph function's call, as result files name them.
var stageNames = []string{"open", "walk", "seed rows", "hops", "rank", "payload"}

// staged tells whether a row's parts are stages inside the server.
func staged(r result.Row) bool { return r.PartsMS["walk"] != nil }

// writeSplit tells where the time of one call goes: stages by the server's own
// clock, what executor and planner add to them, what protocol and client add, and
// what the comparisons of vectors alone would take.
func writeSplit(out *strings.Builder, rows []result.Row, format Format) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool { return r.Error != "" || !staged(r) })
	if len(rows) == 0 {
		return
	}
	t := newTable(format)
	header := table.Row{"engine", "case", "client"}
	for _, name := range stageNames {
		header = append(header, name)
	}
	t.AppendHeader(append(header, "executor", "protocol", "floor"))
	for _, r := range rows {
		line := table.Row{r.Engine, r.Case, microseconds(r.ClientMS.P50)}
		inside := 0.0
		for _, name := range stageNames {
			median := partMedian(r, name)
			inside += median
			line = append(line, microseconds(median))
		}
		executor, protocol := math.NaN(), math.NaN()
		if r.ServerMS != nil {
			executor, protocol = max(0, r.ServerMS.P50-inside), r.ClientMS.P50-r.ServerMS.P50
		}
		t.AppendRow(append(line, microseconds(executor), microseconds(protocol), microseconds(partMedian(r, "floor"))))
	}
	render(out, t, format)
	remark(out, format, "medians in us; stages by the server's clock in passes after the timed ones, in which all cases take turns as in these; floor: the same comparisons of vectors by the kernels alone, all in the CPU's caches.")
	out.WriteString("\n")
}

func microseconds(ms float64) string {
	if math.IsNaN(ms) {
		return ""
	}
	return fmt.Sprintf("%.1f", 1000*ms)
}
