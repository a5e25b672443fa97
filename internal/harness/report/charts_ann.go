package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"sortedheap/internal/harness/report/chart"
	"sortedheap/internal/harness/result"
)

const (
	frontierHeight = 300
	panelHeight    = 220
)

// annCharts are the drawings of the scenario of nearest neighbours.
func annCharts(rows []result.Row) []figure {
	var out []figure
	curve := where(part(rows, "curve"), func(r result.Row) bool { return r.Params["ef_search"] != nil && quality(r).RecallAtK != nil })
	for _, set := range distinct(curve, param("set")) {
		of := where(curve, func(r result.Row) bool { return r.Params["set"] == set })
		out = append(out, frontier(set, of), annStages(set, of))
	}
	out = append(out, clientCharts(part(rows, "clients"))...)
	out = append(out, filterCharts(part(rows, "filter"))...)
	out = append(out, churnCharts(part(rows, "churn"), curve)...)
	return append(out, buildCharts(slices.Concat(part(rows, "curve"), part(rows, "filter")))...)
}

// frontier is latency over recall, a curve for each engine, on both clocks.
func frontier(set string, rows []result.Row) figure {
	f := figure{
		Title:   "Latency against recall, " + set + " queries",
		Caption: "Each point is one ef_search. Time falls and recall grows towards the lower right. Engines outside of PostgreSQL have the client's clock alone.",
		Legend:  legendOf(enginesOf(rows)),
	}
	for _, c := range []clock{clientClock, serverClock} {
		if p, ok := frontierPanel(rows, c); ok {
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

func frontierPanel(rows []result.Row, c clock) (panel, bool) {
	timed := where(rows, func(r result.Row) bool { return c.of(r) != nil })
	if len(timed) == 0 {
		return panel{}, false
	}
	var xs, ys []float64
	most := 1.0
	for _, r := range timed {
		xs, ys = append(xs, *quality(r).RecallAtK), append(ys, c.of(r).P50)
		most = max(most, float64(r.Queries)*max(1, r.RowsMean))
	}
	d := chart.XY{
		Label:  fmt.Sprintf("Median latency by the %s's clock over recall, a curve for each of %d engines; the table below has the values.", c, len(enginesOf(timed))),
		XTitle: "recall", YTitle: "ms", Better: "better", Height: frontierHeight,
		// A recall of 1 is one that misses less than a row of all the answers.
		X: chart.NewRecall(xs, max(1/most, 1e-4)), Y: chart.NewLog(ys),
	}
	for _, engine := range enginesOf(timed) {
		class, mark := look(engine)
		own := where(timed, func(r result.Row) bool { return r.Engine == engine })
		for i, at := range pointsOf(own) {
			// Curves of one engine at several points are told apart by what stands at
			// their last point, and all but the first are dashed.
			s := chart.Series{Name: engine, Class: class, Mark: mark, Line: true, Dashed: i > 0}
			for _, r := range own {
				if r.Point == at {
					s.Points = append(s.Points, chart.Point{X: *quality(r).RecallAtK, Y: c.of(r).P50, Name: "ef " + param("ef_search")(r) + pointSuffix(r),
						XText: fmt.Sprintf("recall %.4f", *quality(r).RecallAtK), YText: latencyText(c.of(r)), Note: r.Plan})
				}
			}
			s.Points[len(s.Points)-1].Label = at
			d.Series = append(d.Series, s)
		}
	}
	return panel{Title: fmt.Sprintf("Median by the %s's clock, ms", c), Drawing: d.HTML(), XY: d}, true
}

// pointsOf are the points of a sweep that rows are of; the empty one where there
// is no sweep.
func pointsOf(rows []result.Row) []string {
	var points []string
	for _, r := range rows {
		if !slices.Contains(points, r.Point) {
			points = append(points, r.Point)
		}
	}
	return points
}

// latencyText is a median with its interval.
func latencyText(l *result.Latency) string {
	text := ms(l.P50) + " ms"
	if l.P50Lo != nil && l.P50Hi != nil {
		text += fmt.Sprintf(" (%s to %s)", ms(*l.P50Lo), ms(*l.P50Hi))
	}
	return text
}

// pointSuffix tells rows of one case apart in files of many points.
func pointSuffix(r result.Row) string {
	if r.Point == "" {
		return ""
	}
	return ", " + r.Point
}

// annStages takes a search apart, each engine at its smallest ef with enough
// recall.
func annStages(set string, rows []result.Row) figure {
	f := figure{
		Title:   "Where the time of a search goes, " + set + " queries",
		Caption: "Each engine at its smallest ef with that recall, or at its largest. Parts are medians and differences of medians.",
	}
	bars := chart.Bars{Label: "Parts of the client's median time of a search, by engine", What: "ms"}
	for _, wanted := range []float64{0.95, 0.99} {
		g := chart.BarGroup{Title: fmt.Sprintf("recall of %g or more", wanted)}
		for _, engine := range enginesOf(rows) {
			if r := smallestWith(where(rows, func(r result.Row) bool { return r.Engine == engine }), wanted); r != nil {
				g.Bars = append(g.Bars, stagesBar(*r, engine, "ef "+param("ef_search")(*r)+", recall "+strconv.FormatFloat(*quality(*r).RecallAtK, 'f', 3, 64)))
			}
		}
		bars.Groups = append(bars.Groups, g)
	}
	bars.Stages = stagesIn(bars)
	fitted := bars.Fit()
	f.Bars = &fitted
	return f
}

// smallestWith is the row of the smallest ef with a recall, or of the largest.
func smallestWith(rows []result.Row, recall float64) *result.Row {
	var best, last *result.Row
	for i := range rows {
		r := &rows[i]
		ef := number64(*r, "ef_search")
		if last == nil || ef > number64(*last, "ef_search") {
			last = r
		}
		if *quality(*r).RecallAtK >= recall && (best == nil || ef < number64(*best, "ef_search")) {
			best = r
		}
	}
	if best == nil {
		return last
	}
	return best
}

// clientCharts are the answers per second of clients that ask at once.
func clientCharts(rows []result.Row) []figure {
	bars := chart.Bars{Label: "Queries per second by number of clients and engine", What: "queries/s"}
	for _, n := range distinct(rows, func(r result.Row) string {
		if r.Load == nil {
			return ""
		}
		return strconv.Itoa(r.Load.Clients)
	}) {
		g := chart.BarGroup{Title: n + " at once"}
		for _, r := range rows {
			if r.Load == nil || strconv.Itoa(r.Load.Clients) != n {
				continue
			}
			g.Bars = append(g.Bars, plainBar(r.Engine, "ef "+param("ef_search")(r)+", p99 "+ms(r.ClientMS.P99)+" ms", r.Load.QueriesPerSecond, fmt.Sprintf("%.0f", r.Load.QueriesPerSecond)))
		}
		bars.Groups = append(bars.Groups, g)
	}
	if len(bars.Groups) == 0 {
		return nil
	}
	fitted := bars.Fit()
	return []figure{{Title: "Clients at once", Bars: &fitted,
		Caption: "Closed loops: each client asks again as soon as it has its answer. Every engine works at its smallest ef with recall 0.95. Longer is better."}}
}

// filterCharts are searches among the rows that a condition leaves.
func filterCharts(rows []result.Row) []figure {
	bars := chart.Bars{Label: "Median latency of filtered searches by share of rows that pass, engine and way", What: "ms"}
	for _, selectivity := range distinct(rows, param("selectivity")) {
		g := chart.BarGroup{Title: selectivity + " % of the rows pass"}
		for _, r := range where(rows, func(r result.Row) bool { return param("selectivity")(r) == selectivity }) {
			note := param("mode")(r)
			if recall := quality(r).RecallAtK; recall != nil {
				note += fmt.Sprintf(", recall %.3f", *recall)
			}
			g.Bars = append(g.Bars, plainBar(r.Engine, note, median(r), ms(median(r))))
		}
		bars.Groups = append(bars.Groups, g)
	}
	if len(bars.Groups) == 0 {
		return nil
	}
	fitted := bars.Fit()
	return []figure{{Title: "Filtered searches", Bars: &fitted,
		Caption: "Median, the server's clock where there is one. Each way at its smallest ef with recall 0.95 and full counts, or at its largest. Shorter is better; mind the recall."}}
}

// plainBar has one part in the engine's colour.
func plainBar(engine, note string, value float64, text string) chart.Bar {
	class, mark := look(engine)
	if math.IsNaN(value) {
		value = 0
	}
	return chart.Bar{Name: engine, Note: note, Class: class, Mark: mark, Value: text, Total: value,
		Parts: []chart.Part{{Class: "s-" + class, Value: value}}}
}
