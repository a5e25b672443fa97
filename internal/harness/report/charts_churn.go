package report

import (
	"fmt"
	"slices"

	"sortedheap/internal/harness/report/chart"
	"sortedheap/internal/harness/result"
)

// Steps of churn, as parts of a bar.
var churnStages = []chart.Stage{{Class: "p-search", Name: "delete"}, {Class: "p-inside", Name: "vacuum"}, {Class: "p-exec", Name: "insert"}}

// churnCharts tell what deleting and inserting again did to each index: the curve
// before and after, and what the change cost. Sweeps have tables alone.
func churnCharts(rows, fresh []result.Row) []figure {
	worn := where(rows, func(r result.Row) bool { return quality(r).RecallAtK != nil && r.ClientMS != nil })
	if len(worn) == 0 || len(pointsOf(worn)) > 1 {
		return nil
	}
	f := figure{
		Title:   "After 30 % of the rows were deleted and inserted again",
		Caption: "The curve of the worn index; dashed, that of the fresh one. What lies further to the left lost recall.",
		Legend:  legendOf(enginesOf(worn)),
	}
	var both []result.Row
	for _, r := range worn {
		r.Point = "worn"
		both = append(both, r)
	}
	for _, r := range fresh {
		if r.Params["set"] == worn[0].Params["set"] && slices.Contains(enginesOf(worn), r.Engine) {
			r.Point = "fresh"
			both = append(both, r)
		}
	}
	for _, c := range []clock{clientClock, serverClock} {
		if p, ok := frontierPanel(both, c); ok {
			f.Panels = append(f.Panels, p)
		}
	}
	return append([]figure{f}, churnCost(worn)...)
}

// churnCost is the time of each step.
func churnCost(rows []result.Row) []figure {
	bars := chart.Bars{Label: "Seconds to delete 30 % of the rows, to vacuum, and to insert them again, by engine", What: "s", Stages: churnStages}
	g := chart.BarGroup{Title: "delete, vacuum, insert, s"}
	for _, engine := range enginesOf(rows) {
		r := where(rows, func(r result.Row) bool { return r.Engine == engine })[0]
		bar := plainBar(engine, "", 0, "")
		bar.Parts = nil
		for i, step := range []string{"delete_seconds", "vacuum_seconds", "insert_seconds"} {
			v := number64(r, step)
			bar.Total += v
			bar.Parts = append(bar.Parts, chart.Part{Class: churnStages[i].Class, Value: v, Tip: fmt.Sprintf("%s\n%.2f s", churnStages[i].Name, v)})
		}
		if bar.Total > 0 {
			bar.Value = fmt.Sprintf("%.2f", bar.Total)
			g.Bars = append(g.Bars, bar)
		}
	}
	if len(g.Bars) == 0 {
		return nil
	}
	bars.Groups = []chart.BarGroup{g}
	fitted := bars.Fit()
	return []figure{{Title: "What the change cost", Bars: &fitted, Caption: "Shorter is better."}}
}
