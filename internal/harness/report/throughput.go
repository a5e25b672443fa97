package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"sortedheap/internal/harness/result"
)

const throughputNotes = "Per row written or read. CPU: of the server process, from the kernel. /heap CPU, /heap rate: rows per second of CPU and of\n" +
	"wall time over heap's, mean of pairs with its 95 % interval; above 1 is better. /heap WAL, /heap buffers: below 1 is better.\n"

// writeThroughput is the table of streams of statements.
func writeThroughput(out *strings.Builder, rows []result.Row, format Format) {
	t := newTable(format)
	t.AppendHeader(table.Row{"case", "engine", "rows/s", "CPU us", "/heap CPU", "/heap rate", "WAL B", "/heap WAL", "buffers/row", "/heap buffers", "widens", "p50 ms"})
	last := ""
	for _, r := range rows {
		if r.Throughput == nil || r.Error != "" {
			continue
		}
		if last != "" && last != r.Case {
			t.AppendSeparator()
		}
		last = r.Case
		here := *r.Throughput
		reference := here
		if at := slices.IndexFunc(rows, func(o result.Row) bool {
			return o.Case == r.Case && o.Engine == "heap" && o.Throughput != nil && r.Engine != "heap"
		}); at >= 0 {
			reference = *rows[at].Throughput
		}
		t.AppendRow(table.Row{r.Case, r.Engine, fmt.Sprintf("%.0f", here.RowsPerSecond), optional(here.CPUMicros, "%.2f"),
			interval95(here.CPURatio), interval95(here.SpeedRatio),
			fmt.Sprintf("%.1f", here.WALBytes), quotient(&here.WALBytes, &reference.WALBytes, r.Engine),
			optional(here.Buffers, "%.2f"), quotient(here.Buffers, reference.Buffers, r.Engine),
			optional(here.Widens, "%.3f"), ms(r.ClientMS.P50)})
	}
	if t.Length() > 0 {
		render(out, t, format)
	}
}

func optional(v *float64, format string) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf(format, *v)
}

// interval95 is a ratio with its interval.
func interval95(r *result.Ratio) string {
	switch {
	case r == nil:
		return ""
	case r.Lo == nil || r.Hi == nil:
		return fmt.Sprintf("%.3f", r.Value)
	}
	return fmt.Sprintf("%.3f [%.3f %.3f]", r.Value, *r.Lo, *r.Hi)
}

// quotient is empty for the reference itself, and where less than a byte or
// access a row makes a ratio noise.
func quotient(a, b *float64, engine string) string {
	if engine == "heap" || a == nil || b == nil || *b < 1 {
		return ""
	}
	return fmt.Sprintf("%.3f", *a / *b)
}
