package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"sortedheap/internal/harness/report/chart"
)

// matrix is ratios with a column for each rival, so that a page of many runs can be
// taken in at one look.
type matrix struct {
	Rivals []legendEntry
	Groups []matrixGroup
}

type matrixGroup struct {
	Title string
	Rows  []matrixRow
}

// matrixRow has a cell for each rival; one without a ratio has no text.
type matrixRow struct {
	What  string
	Cells []matrixCell
}

type matrixCell struct {
	Against, Text, Sense, Tip string
	// Strength is how far from 1 the ratio is, as a share of a colour.
	Strength template.CSS
}

// fullStrength is the factor that has all of the colour.
const fullStrength = 10

// newMatrix keeps the order of groups and of what is compared in them.
func newMatrix(r chart.Ratios) *matrix {
	m := &matrix{}
	var names []string
	for _, name := range append([]string{plain}, rivals...) {
		if slices.ContainsFunc(r.Groups, func(g chart.RatioGroup) bool {
			return slices.ContainsFunc(g.Ratios, func(o chart.Ratio) bool { return o.Against == name })
		}) {
			names = append(names, name)
		}
	}
	m.Rivals = legendOf(names)
	for _, g := range r.Groups {
		group := matrixGroup{Title: g.Title}
		for _, one := range g.Ratios {
			i := slices.IndexFunc(group.Rows, func(row matrixRow) bool { return row.What == one.What })
			if i < 0 {
				i = len(group.Rows)
				group.Rows = append(group.Rows, matrixRow{one.What, make([]matrixCell, len(names))})
			}
			group.Rows[i].Cells[slices.Index(names, one.Against)] = cellOf(one)
		}
		m.Groups = append(m.Groups, group)
	}
	return m
}

func cellOf(r chart.Ratio) matrixCell {
	tip := r.What + "\nagainst " + r.Against + ": " + r.Verdict
	if r.Note != "" {
		tip += "\n" + r.Note
	}
	strength := math.Abs(math.Log(r.Value)) / math.Log(fullStrength)
	return matrixCell{Against: r.Against, Text: r.Text, Sense: r.Sense(), Tip: tip,
		Strength: template.CSS(fmt.Sprintf("%.0f%%", 6+28*min(1, strength)))}
}
