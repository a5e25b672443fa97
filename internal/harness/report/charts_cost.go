package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sortedheap/internal/harness/report/chart"
	"sortedheap/internal/harness/result"
)

// buildCharts are what loading and indexing cost.
func buildCharts(rows []result.Row) []figure {
	var built []result.Row
	for _, r := range rows {
		if r.Build != nil && !slices.ContainsFunc(built, func(o result.Row) bool { return o.Engine == r.Engine && *o.Build == *r.Build }) {
			built = append(built, r)
		}
	}
	if len(built) == 0 {
		return nil
	}
	bars := chart.Bars{Label: "Seconds to load and index, size of indexes and of tables, write-ahead log, by engine", What: ""}
	for _, c := range []struct {
		title, unit string
		of          func(result.Build) float64
	}{
		{"time, s", "%.2f", func(b result.Build) float64 { return b.Seconds }},
		{"indexes, MB", "%.1f", func(b result.Build) float64 { return float64(b.IndexBytes) / 1e6 }},
		{"table, MB", "%.1f", func(b result.Build) float64 { return float64(b.TableBytes) / 1e6 }},
		{"write-ahead log, MB", "%.1f", func(b result.Build) float64 { return float64(b.WALBytes) / 1e6 }},
	} {
		g := chart.BarGroup{Title: c.title}
		for _, engine := range enginesOf(built) {
			for i, r := range where(built, func(r result.Row) bool { return r.Engine == engine }) {
				note := ownWords(r, built)
				if i > 0 && note == "" {
					note = "with filter column"
				}
				if v := c.of(*r.Build); v > 0 {
					text := fmt.Sprintf(c.unit, v)
					if v < 0.1 {
						text = fmt.Sprintf("%.3f", v)
					}
					g.Bars = append(g.Bars, plainBar(engine, note, v, text))
				}
			}
		}
		if len(g.Bars) > 0 {
			bars.Groups = append(bars.Groups, g)
		}
	}
	fitted := bars.Fit()
	return []figure{{Title: "Cost of building", Bars: &fitted, Caption: "Shorter is better."}}
}

// ownWords are the parameters of a row's point that some other row has otherwise.
func ownWords(r result.Row, rows []result.Row) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(r.Point), func(word string) bool {
		return !slices.ContainsFunc(rows, func(o result.Row) bool { return !slices.Contains(strings.Fields(o.Point), word) })
	}), " ")
}

// openShareCharts are lookups over the share of open blocks, by access path.
func openShareCharts(rows []result.Row) []figure {
	rows = where(rows, func(r result.Row) bool { return r.Params["access"] != nil && number64(r, "blocks") > 0 })
	if len(rows) == 0 {
		return nil
	}
	f := figure{Title: "Lookups over the share of open blocks",
		Caption: "Median by the client's clock, ms: by the zone map, by the btree, and as the extension chooses."}
	classes := map[string]string{"zone": "ours", "btree": "pgvector", "auto": "zvec"}
	marks := map[string]chart.Mark{"zone": chart.Circle, "btree": chart.Square, "auto": chart.Diamond}
	accesses := distinct(rows, param("access"))
	for _, a := range accesses {
		f.Legend = append(f.Legend, legendEntry{a, chart.Key(classes[a], marks[a])})
	}
	for _, keys := range distinct(rows, param("keys")) {
		of := where(rows, func(r result.Row) bool { return param("keys")(r) == keys })
		d := chart.XY{Label: "Median latency of lookups of " + keys + " keys over the share of open blocks; the table below has the values.",
			XTitle: "open blocks, %", YTitle: "ms", Height: panelHeight}
		var xs, ys []float64
		for _, r := range of {
			xs, ys = append(xs, 100*number64(r, "open_blocks")/number64(r, "blocks")), append(ys, r.ClientMS.P50)
		}
		d.X, d.Y = chart.NewLinear(xs, func(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }), chart.NewLog(ys)
		for _, a := range accesses {
			s := chart.Series{Name: a, Class: classes[a], Mark: marks[a], Line: true}
			for i, r := range of {
				if param("access")(r) == a {
					s.Points = append(s.Points, chart.Point{X: xs[i], Y: ys[i], XText: fmt.Sprintf("%.2f %% open", xs[i]), YText: latencyText(r.ClientMS), Note: r.Plan})
				}
			}
			slices.SortFunc(s.Points, func(a, b chart.Point) int { return int(math.Copysign(1, a.X-b.X)) })
			d.Series = append(d.Series, s)
		}
		f.Panels = append(f.Panels, panel{Title: keys + " keys", Drawing: d.HTML(), XY: d})
	}
	return []figure{f}
}
