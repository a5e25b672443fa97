package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"sortedheap/internal/harness/result"
)

// partNames are the parts of a client's time, as result files name them.
var partNames = []string{"search", "inside", "sql"}

// writeParts tells where the client's time goes in engines that consist of
// several systems.
func writeParts(out *strings.Builder, rows []result.Row, format Format) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool { return r.Error != "" || r.PartsMS == nil || staged(r) })
	if len(rows) == 0 {
		return
	}
	t := newTable(format)
	t.AppendHeader(table.Row{"engine", "case", "client p50", "search p50", "inside p50", "sql p50"})
	for _, r := range rows {
		line := table.Row{r.Engine, r.Case, ms(r.ClientMS.P50)}
		for _, part := range partNames {
			line = append(line, ms(partMedian(r, part)))
		}
		t.AppendRow(line)
	}
	render(out, t, format)
	remark(out, format, "search: way to the vector store and back; inside: what the store itself reports of it; sql: expansion and ranking.")
	out.WriteString("\n")
}

// partMedian is NaN where a row has no such part.
func partMedian(r result.Row, part string) float64 {
	if l := r.PartsMS[part]; l != nil {
		return l.P50
	}
	return math.NaN()
}

// storeSeconds is the part of a build that a vector store took.
func storeSeconds(b *result.Build) string {
	if b.StoreSeconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", b.StoreSeconds)
}

func storeMB(b *result.Build) string {
	if b.StoreBytes == 0 {
		return ""
	}
	return mb(b.StoreBytes)
}
