package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"sortedheap/internal/harness/result"
)

// Files of a sweep have rows of one case at several points; files of a repeat have
// them of several builds.

// isBuild says whether a row is one of several builds.
func isBuild(r result.Row) bool { return strings.HasPrefix(r.Point, buildPoint) }

// repeated says whether rows are of builds.
func repeated(rows []result.Row) bool { return slices.ContainsFunc(rows, isBuild) }

// byCaseOf groups the measured rows of a case, in order of first appearance.
func byCaseOf(rows []result.Row) [][]result.Row {
	var groups [][]result.Row
	at := map[caseID]int{}
	for _, r := range rows {
		if r.Error != "" {
			continue
		}
		id := idOf(r)
		id.point = ""
		i, known := at[id]
		if !known {
			i = len(groups)
			at[id] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// middleBuilds has one row for each case of builds, that of the middle median (the
// lower of two), so that charts show neither the best nor the worst.
func middleBuilds(rows []result.Row) []result.Row {
	if !repeated(rows) {
		return rows
	}
	var out []result.Row
	for _, builds := range byCaseOf(rows) {
		sorted := slices.SortedFunc(slices.Values(builds), func(a, b result.Row) int {
			return int(math.Copysign(1, median(a)-median(b)))
		})
		row := sorted[(len(sorted)-1)/2]
		row.Point = ""
		out = append(out, row)
	}
	return out
}

// gradedIn are the quality values that some row has.
func gradedIn(rows []result.Row) []qualityValue {
	return slices.DeleteFunc(slices.Clone(qualityValues), func(v qualityValue) bool {
		return !slices.ContainsFunc(rows, func(r result.Row) bool { return v.of(quality(r)) != nil })
	})
}

// writeBuildSpread has median, least and most over the builds of each case.
func writeBuildSpread(out *strings.Builder, rows []result.Row, format Format) {
	t := newTable(format)
	header := table.Row{"engine", "case", "builds", "server p50", "client p50"}
	graded := gradedIn(rows)
	for _, v := range graded {
		header = append(header, v.name)
	}
	t.AppendHeader(append(header, "build s", "index MB"))
	for _, builds := range byCaseOf(rows) {
		line := table.Row{builds[0].Engine, builds[0].Case, len(builds),
			spread(builds, latencyOf(serverClock), ms), spread(builds, latencyOf(clientClock), ms)}
		for _, v := range graded {
			line = append(line, spread(builds, func(r result.Row) *float64 { return v.of(quality(r)) }, func(x float64) string { return v.text(&x) }))
		}
		t.AppendRow(append(line,
			spread(builds, buildOf(func(b result.Build) float64 { return b.Seconds }), func(x float64) string { return fmt.Sprintf("%.2f", x) }),
			spread(builds, buildOf(func(b result.Build) float64 { return float64(b.IndexBytes) / 1e6 }), func(x float64) string { return fmt.Sprintf("%.1f", x) })))
	}
	title(out, format, "Over builds: median [least .. most], one value where all builds agree")
	render(out, t, format)
}

func latencyOf(c clock) func(result.Row) *float64 {
	return func(r result.Row) *float64 {
		if l := c.of(r); l != nil {
			return &l.P50
		}
		return nil
	}
}

func buildOf(of func(result.Build) float64) func(result.Row) *float64 {
	return func(r result.Row) *float64 {
		if r.Build == nil {
			return nil
		}
		v := of(*r.Build)
		return &v
	}
}

// spread is a median with least and most.
func spread(rows []result.Row, of func(result.Row) *float64, text func(float64) string) string {
	var values []float64
	for _, r := range rows {
		if v := of(r); v != nil {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return ""
	}
	center, least, most := text(middle(values)), text(slices.Min(values)), text(slices.Max(values))
	if least == most {
		return center
	}
	return fmt.Sprintf("%s [%s .. %s]", center, least, most)
}

// writeSweep has the points of each case below one another, with what became of
// the answers since the first.
func writeSweep(out *strings.Builder, rows []result.Row, format Format) {
	t := newTable(format)
	header := table.Row{"engine", "case", "point", "server p50", "client p50"}
	graded := gradedIn(rows)
	for _, v := range graded {
		header = append(header, v.name)
	}
	t.AppendHeader(append(header, "same answers"))
	for _, points := range byCaseOf(rows) {
		for i, r := range points {
			line := table.Row{r.Engine, r.Case, r.Point, spread(points[i:i+1], latencyOf(serverClock), ms), ms(r.ClientMS.P50)}
			for _, v := range graded {
				text := ""
				if value := v.of(quality(r)); value != nil {
					text = v.text(value)
				}
				line = append(line, text)
			}
			same := ""
			if i > 0 {
				same = sameAnswers(points[0], r)
			}
			t.AppendRow(append(line, same))
		}
		t.AppendSeparator()
	}
	title(out, format, "Points of each case; same answers: questions answered as at its first point")
	render(out, t, format)
}

// sameAnswers counts questions with the same rows in the same order.
func sameAnswers(a, b result.Row) string {
	if len(a.Answers) == 0 || len(a.Answers) != len(b.Answers) {
		return ""
	}
	same := 0
	for i := range a.Answers {
		if a.Answers[i] == b.Answers[i] {
			same++
		}
	}
	return fmt.Sprintf("%d/%d", same, len(a.Answers))
}
