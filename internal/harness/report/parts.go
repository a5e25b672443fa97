package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"sortedheap/internal/harness/result"
)

// outsideParts are the parts of a client's time where an engine consists of several
// systems.
var outsideParts = []string{"search", "inside", "sql"}

// partNames are the parts that rows have: of engines of several systems all, then
// others, in the order of the alphabet.
func partNames(rows []result.Row) []string {
	var names, others []string
	for _, r := range rows {
		for name := range r.PartsMS {
			switch {
			case name == outsideParts[0]:
				names = outsideParts
			case !slices.Contains(others, name):
				others = append(others, name)
			}
		}
	}
	others = slices.DeleteFunc(others, func(name string) bool { return slices.Contains(names, name) })
	slices.Sort(others)
	return slices.Concat(names, others)
}

// writeParts tells where the client's time goes in engines that consist of
// several systems, and in cases of several stages.
func writeParts(out *strings.Builder, rows []result.Row, format Format) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool { return r.Error != "" || r.PartsMS == nil || staged(r) })
	if len(rows) == 0 {
		return
	}
	t := newTable(format)
	names := partNames(rows)
	header := table.Row{"engine", "case", "client p50"}
	for _, name := range names {
		header = append(header, name+" p50")
	}
	t.AppendHeader(header)
	for _, r := range rows {
		line := table.Row{r.Engine, r.Case, ms(r.ClientMS.P50)}
		for _, part := range names {
			line = append(line, ms(partMedian(r, part)))
		}
		t.AppendRow(line)
	}
	render(out, t, format)
	if !slices.Contains(names, outsideParts[0]) {
		return
	}
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
