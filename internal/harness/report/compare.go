package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// Compare writes the ratios of b to a, row by row of the same scenario,
// engine and case, with intervals and the share of queries with the same
// answer.
func Compare(w io.Writer, a, b *result.File) error {
	t := newTable(Text)
	t.AppendHeader(table.Row{"engine", "case", "A p50", "B p50", "B/A", "95 % interval", "clock", "same answers"})
	var notes []string
	compared := 0
	for _, before := range a.Rows {
		after := find(b, before)
		id := before.Scenario + " " + before.Engine + " " + before.Case
		switch {
		case after == nil:
			notes = append(notes, id+" is only in A")
			continue
		case before.Error != "" || after.Error != "":
			notes = append(notes, id+" was not measured in both")
			continue
		}
		compared++
		clock, from, to := commonClock(before, *after)
		r := stats.Ratio(interval(to), interval(from))
		verdict := fmt.Sprintf("%.2f .. %.2f", r.Lo, r.Hi)
		if math.IsNaN(r.Lo) {
			verdict = "unknown"
		} else if !r.Clear(1) {
			verdict += " ~"
		}
		t.AppendRow(table.Row{before.Engine, before.Case, ms(from.P50), ms(to.P50), ratio(r.Center), verdict, clock, overlap(before.Answers, after.Answers)})
		if before.Plan != after.Plan {
			notes = append(notes, fmt.Sprintf("%s has plan %q in A, %q in B", id, before.Plan, after.Plan))
		}
	}
	for _, row := range b.Rows {
		if find(a, row) == nil {
			notes = append(notes, row.Scenario+" "+row.Engine+" "+row.Case+" is only in B")
		}
	}
	if compared == 0 {
		return fmt.Errorf("compare: the files have no measured row in common")
	}
	notes = append(notes, differences(a, b)...)
	var out strings.Builder
	fmt.Fprintf(&out, "A: %s\nB: %s\n\n", environment(a.Env), environment(b.Env))
	render(&out, t, Text)
	out.WriteString("B/A below 1: B is faster. ~ marks an interval that holds 1: no difference shown.\n")
	for i, n := range notes {
		fmt.Fprintf(&out, "[%d] %s\n", i+1, n)
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func find(f *result.File, like result.Row) *result.Row {
	for i, r := range f.Rows {
		if r.Scenario == like.Scenario && r.Corpus == like.Corpus && r.Engine == like.Engine && r.Case == like.Case {
			return &f.Rows[i]
		}
	}
	return nil
}

// commonClock prefers the server's, when both rows have it.
func commonClock(a, b result.Row) (name string, from, to *result.Latency) {
	if a.ServerMS != nil && b.ServerMS != nil {
		return "server", a.ServerMS, b.ServerMS
	}
	return "client", a.ClientMS, b.ClientMS
}

func interval(l *result.Latency) stats.Interval {
	if l.P50Lo == nil || l.P50Hi == nil {
		return stats.Interval{Center: l.P50, Lo: math.NaN(), Hi: math.NaN()}
	}
	return stats.Interval{Center: l.P50, Lo: *l.P50Lo, Hi: *l.P50Hi}
}

// overlap is the share of queries with the same rows in the same order.
func overlap(a, b []string) string {
	if len(a) == 0 || len(a) != len(b) {
		return ""
	}
	same := 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
	}
	return fmt.Sprintf("%d/%d", same, len(a))
}

// differences lists what makes two files hard to compare, and their warnings.
func differences(a, b *result.File) []string {
	var notes []string
	differ := func(what string, x, y any) {
		if fmt.Sprint(x) != fmt.Sprint(y) {
			notes = append(notes, fmt.Sprintf("%s differs: %v in A, %v in B", what, x, y))
		}
	}
	differ("cpu", a.Env.CPU, b.Env.CPU)
	differ("PostgreSQL", a.Env.Postgres, b.Env.Postgres)
	keys := map[string]bool{}
	for k := range a.Params {
		keys[k] = true
	}
	for k := range b.Params {
		keys[k] = true
	}
	var sorted []string
	for k := range keys {
		sorted = append(sorted, k)
	}
	slices.Sort(sorted)
	for _, k := range sorted {
		differ("parameter "+k, a.Params[k], b.Params[k])
	}
	for _, warning := range a.Warnings {
		notes = append(notes, "A: "+warning)
	}
	for _, warning := range b.Warnings {
		notes = append(notes, "B: "+warning)
	}
	return notes
}
