package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sortedheap/internal/harness/report/chart"
	"sortedheap/internal/harness/result"
)

// questionCharts are the drawings of scenarios that ask questions about facts.
func questionCharts(rows []result.Row) []figure {
	rows = where(rows, func(r result.Row) bool { return r.Throughput == nil && r.Params["form"] != nil })
	if len(rows) == 0 {
		return nil
	}
	if len(pointsOf(rows)) > 1 {
		// Bars of the fastest way would choose among points, which differ in quality.
		return qualityCharts(rows)
	}
	return slices.Concat(qualityCharts(rows), timeCharts(rows), pipelineCharts(rows))
}

// qualityCharts have a panel for each question that engines answer differently
// well: quality against latency, a point for each way to answer.
func qualityCharts(rows []result.Row) []figure {
	f := figure{
		Title:   "Quality against latency",
		Caption: "Each point is one way to answer; the fastest of each engine has its name. Time falls and quality grows towards the lower right. Median by the client's clock, ms.",
		Legend:  legendOf(enginesOf(rows)),
	}
	if len(pointsOf(rows)) > 1 {
		f.Caption = "Each point is one of the sweep, each engine by its fastest way, joined in the order of the sweep. Time falls and quality grows towards the lower right. Median by the client's clock, ms."
	}
	for _, group := range questions(rows) {
		name, of := measureOfQuality(group)
		graded := where(group, func(r result.Row) bool {
			return of != nil && of(r) != nil && r.Params["seeding"] != "given" && r.Params["output"] != "count"
		})
		if len(graded) > 1 {
			f.Panels = append(f.Panels, qualityPanel(graded, name, of))
		}
	}
	if len(f.Panels) == 0 {
		return nil
	}
	return []figure{f}
}

func qualityPanel(rows []result.Row, name string, of func(result.Row) *float64) panel {
	var xs, ys []float64
	for _, r := range rows {
		xs, ys = append(xs, *of(r)), append(ys, r.ClientMS.P50)
	}
	title := questionTitle(rows[0])
	d := chart.XY{
		Label:  fmt.Sprintf("%s: %s against median latency of %d ways to answer; the table below has the values.", title, name, len(rows)),
		XTitle: name, YTitle: "ms", Height: panelHeight, X: chart.NewShares(xs), Y: chart.NewLog(ys),
	}
	swept := len(pointsOf(rows)) > 1
	for _, engine := range enginesOf(rows) {
		class, mark := look(engine)
		s := chart.Series{Name: engine, Class: class, Mark: mark, Line: swept}
		own := where(rows, func(r result.Row) bool { return engineName(r) == engine })
		best := fastest(own, clientClock)
		if swept {
			own = where(own, func(r result.Row) bool { return r.Case == best.Case })
		}
		for _, r := range own {
			p := chart.Point{X: *of(r), Y: r.ClientMS.P50, Name: formTitle(r) + pointSuffix(r),
				XText: percent(of(r)) + " %", YText: latencyText(r.ClientMS), Note: r.Plan}
			if r.Case == best.Case && r.Point == best.Point {
				p.Label = strings.TrimSpace(engine + " " + formTitle(r))
			}
			s.Points = append(s.Points, p)
		}
		d.Series = append(d.Series, s)
	}
	return panel{Title: title, Drawing: d.HTML(), XY: d}
}

// Parts of a call's time.
var (
	planningStage  = chart.Stage{Class: "p-plan", Name: "planning"}
	executionStage = chart.Stage{Class: "p-exec", Name: "execution in the server"}
	insideStage    = chart.Stage{Class: "p-inside", Name: "search inside the store"}
	searchStage    = chart.Stage{Class: "p-search", Name: "way to the store and back"}
	sqlStage       = chart.Stage{Class: "p-sql", Name: "SQL after the search"}
	clientStage    = chart.Stage{Class: "p-client", Name: "protocol and decoding in the client"}
	allStages      = []chart.Stage{planningStage, executionStage, insideStage, searchStage, sqlStage, clientStage}
)

// stagesBar splits the client's median by what is known of the parts.
func stagesBar(r result.Row, engine, note string) chart.Bar {
	bar := plainBar(engine, note, r.ClientMS.P50, ms(r.ClientMS.P50))
	bar.Parts = nil
	rest := r.ClientMS.P50
	add := func(s chart.Stage, value float64) {
		value = min(value, rest)
		if value > 0 {
			bar.Parts = append(bar.Parts, chart.Part{Class: s.Class, Value: value, Tip: s.Name + "\n" + ms(value) + " ms"})
			rest -= value
		}
	}
	switch inside, search := partMedian(r, "inside"), partMedian(r, "search"); {
	case r.ServerMS != nil:
		planning := 0.0
		if r.PlanningMS != nil {
			planning = r.PlanningMS.P50
		}
		add(planningStage, planning)
		add(executionStage, r.ServerMS.P50-planning)
		add(clientStage, rest)
	case !math.IsNaN(search):
		if math.IsNaN(inside) {
			add(insideStage, search) // in process: there is no way
		} else {
			add(insideStage, inside)
			add(searchStage, search-inside)
		}
		if sql := partMedian(r, "sql"); !math.IsNaN(sql) {
			add(sqlStage, sql)
		}
		add(clientStage, rest)
	case !math.IsNaN(inside):
		add(insideStage, inside)
		add(searchStage, rest)
	default:
		add(insideStage, rest)
	}
	return bar
}

// stagesIn are the stages that some bar has.
func stagesIn(b chart.Bars) []chart.Stage {
	return slices.DeleteFunc(slices.Clone(allStages), func(s chart.Stage) bool {
		for _, g := range b.Groups {
			for _, bar := range g.Bars {
				if slices.ContainsFunc(bar.Parts, func(p chart.Part) bool { return p.Class == s.Class }) {
					return false
				}
			}
		}
		return true
	})
}

// timeCharts take whole questions apart, each engine by its fastest way.
func timeCharts(rows []result.Row) []figure {
	bars := chart.Bars{Label: "Parts of the client's median time of whole questions, by engine", What: "ms"}
	for _, group := range questions(rows) {
		whole := where(group, func(r result.Row) bool {
			return r.Params["seeding"] == "search" && r.Params["output"] != "count" && len(hopsOf(r)) > 0
		})
		if g := engineBars(whole, func(r result.Row, engine string) chart.Bar { return stagesBar(r, engine, formTitle(r)+pointSuffix(r)) }); len(g.Bars) > 0 {
			bars.Groups = append(bars.Groups, g)
		}
	}
	if len(bars.Groups) == 0 {
		return nil
	}
	bars.Stages = stagesIn(bars)
	fitted := bars.Fit()
	return []figure{{Title: "Where the time of a question goes", Bars: &fitted,
		Caption: "Each engine by its fastest way. Parts are medians and differences of medians."}}
}

// engineBars has a bar for the fastest row of each engine.
func engineBars(rows []result.Row, bar func(r result.Row, engine string) chart.Bar) chart.BarGroup {
	var g chart.BarGroup
	for _, engine := range enginesOf(rows) {
		if r := fastest(where(rows, func(r result.Row) bool { return engineName(r) == engine }), clientClock); r != nil {
			g.Title = questionTitle(*r)
			g.Bars = append(g.Bars, bar(*r, engine))
		}
	}
	return g
}

// pipelineCharts set the stages of retrieval beside each other: the bare search,
// expansion of given seeds, with ranking, and whole questions.
func pipelineCharts(rows []result.Row) []figure {
	type stage struct {
		name string
		is   func(result.Row) bool
	}
	given := func(hops int, ranked bool) func(result.Row) bool {
		return func(r result.Row) bool {
			return r.Params["seeding"] == "given" && len(hopsOf(r)) == hops && (r.Params["score"] != "none") == ranked && r.Params["output"] != "count"
		}
	}
	stages := []stage{
		{"Search: nearest facts", func(r result.Row) bool { return len(hopsOf(r)) == 0 && r.Params["seeding"] == "search" }},
		{"Expand: one hop from given seeds", given(1, false)},
		{"Expand and rank: one hop from given seeds", given(1, true)},
		{"Expand and rank: two hops from given seeds", given(2, true)},
	}
	bars := chart.Bars{Label: "Client's median time of each stage of retrieval, by engine", What: "ms"}
	for _, s := range stages {
		g := engineBars(where(rows, s.is), func(r result.Row, engine string) chart.Bar {
			return plainBar(engine, formTitle(r)+pointSuffix(r), r.ClientMS.P50, ms(r.ClientMS.P50))
		})
		if len(g.Bars) > 0 {
			g.Title = s.name
			bars.Groups = append(bars.Groups, g)
		}
	}
	if len(bars.Groups) == 0 {
		return nil
	}
	fitted := bars.Fit()
	return []figure{{Title: "Stage by stage", Bars: &fitted,
		Caption: "Median by the client's clock, each engine by its fastest way. A question's search, expansion and ranking, measured one by one with the same seeds."}}
}
