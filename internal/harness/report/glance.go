package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sortedheap/internal/harness/report/chart"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// smokeTest is a scenario too small to tell anything of speed.
const smokeTest = "butler"

// glance sums files up: ours against each rival, question by question, wins and
// losses alike. nil where there is nothing to compare.
func glance(files []*result.File) (*chart.Ratios, []tile) {
	r := chart.Ratios{Label: "Median latency and cost of sorted_heap against each rival; below 1 sorted_heap is better", Better: "sorted_heap better", Worse: "rival better"}
	for _, f := range files {
		for _, name := range scenarios(f) {
			if name == smokeTest {
				continue
			}
			// The points of a sweep are for its own charts: the best of them would not be
			// a fair one to show.
			rows := where(f.Rows, func(r result.Row) bool { return r.Scenario == name && r.Error == "" && (r.Point == "" || isBuild(r)) })
			rows = middleBuilds(rows)
			g := chart.RatioGroup{Title: scenarioTitle(name)}
			if name == annScenario {
				g.Ratios = matchedRatios(rows)
				g.Ratios = append(g.Ratios, buildRatios(part(rows, "curve"))...)
			} else {
				g.Ratios = slices.Concat(questionRatios(rows), streamCosts[0].ratios(rows), buildRatios(rows))
			}
			if corpus := corpusTitle(f, name); corpus != "" {
				g.Title += ", " + corpus
			}
			if len(g.Ratios) > 0 {
				r.Groups = append(r.Groups, g)
			}
		}
	}
	if len(r.Groups) == 0 {
		return nil, nil
	}
	fitted := r.Fit()
	return &fitted, tiles(fitted)
}

// corpusTitle tells runs of one scenario apart.
func corpusTitle(f *result.File, name string) string {
	var words []string
	switch p := f.Params; {
	case name == "multihop" && p["chains"] != nil:
		words = append(words, fmt.Sprintf("%s chains of %v dimensions", thousands(wholeNumber(p["chains"])), p["dim"]))
	case wholeNumber(p["rows"]) != "" && p["dim"] != nil:
		words = append(words, fmt.Sprintf("%s rows of %v dimensions", thousands(wholeNumber(p["rows"])), p["dim"]))
		if name == annScenario {
			words = append(words, vectorsOf(f)...)
			words = append(words, fmt.Sprintf("m %v", p["m"]))
			if refine, ok := p["refine"].(string); ok && refine != "" {
				words = append(words, "refined by "+refine)
			}
		}
	}
	if set := f.Params["query_set"]; set != nil {
		words = append(words, fmt.Sprintf("%v questions", set))
	}
	return strings.Join(words, ", ")
}

// vectorsOf tells corpora of as many vectors apart; the generated graph's need no word.
func vectorsOf(f *result.File) []string {
	switch f.Params["corpus"] {
	case "vectors":
		return []string{"given vectors"}
	case "clustered":
		return []string{thousands(wholeNumber(f.Params["clusters"])) + " clusters"}
	}
	return nil
}

// shortName tells runs of one scenario apart in a word or two.
func shortName(f *result.File, name string) string {
	words := []string{name}
	add := func(format, digits string) {
		if rest, ok := strings.CutSuffix(digits, "000"); ok {
			digits = rest + "K"
		}
		if digits != "" {
			words = append(words, fmt.Sprintf(format, digits))
		}
	}
	switch p := f.Params; name {
	case "multihop":
		add("%s", wholeNumber(p["chains"]))
	case "synthetic":
		add("%sd", wholeNumber(p["dim"]))
	case annScenario:
		add("%s", wholeNumber(p["rows"]))
		words = append(words, vectorsOf(f)...)
		add("m %s", wholeNumber(p["m"]))
		if refine, ok := p["refine"].(string); ok && refine != "" {
			words = append(words, refine)
		}
	}
	if f.Params["query_set"] == "fair" {
		words = append(words, "fair")
	}
	return strings.Join(words, " ")
}

// thousands are set apart by commas.
func thousands(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// questionRatios are of whole questions, or of given seeds where a scenario has
// no others: the fastest way of ours against the fastest of each rival.
func questionRatios(rows []result.Row) []chart.Ratio {
	var out []chart.Ratio
	for _, seeding := range []string{"search", "given"} {
		for _, group := range questions(rows) {
			group = where(group, func(r result.Row) bool {
				return r.Params["seeding"] == seeding && r.Params["output"] == "rows" && r.Params["form"] != nil
			})
			mine := where(group, func(r result.Row) bool { return r.Engine == ours })
			against := rivals
			if len(where(group, func(r result.Row) bool { return r.Engine == rival })) == 0 {
				against = append([]string{"heap"}, rivals...)
			}
			for _, name := range against {
				theirs := where(group, func(r result.Row) bool {
					return r.Engine == name && (r.Params["form"] == "in" || r.Params["form"] == "join")
				})
				if one, ok := latencyRatio(questionTitle, name, mine, theirs); ok {
					out = append(out, one)
				}
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// latencyRatio compares the fastest rows on the clock that both have.
func latencyRatio(title func(result.Row) string, name string, mine, theirs []result.Row) (chart.Ratio, bool) {
	c := serverClock
	a, b := fastest(mine, c), fastest(theirs, c)
	if a == nil || b == nil {
		c = clientClock
		a, b = fastest(mine, c), fastest(theirs, c)
	}
	if a == nil || b == nil {
		return chart.Ratio{}, false
	}
	i := stats.Ratio(interval(c.of(*a)), interval(c.of(*b)))
	one := ratioOf(title(*a), name, i.Center, i.Lo, i.Hi, "faster", "slower")
	var notes []string
	if c == clientClock {
		notes = append(notes, "client's clock")
	}
	if note := qualityNote(*a, *b); note != "" {
		notes = append(notes, note)
	}
	one.Note = strings.Join(notes, ", ")
	return one, true
}

// qualityNote is there where answers differ in quality.
func qualityNote(a, b result.Row) string {
	_, of := measureOfQuality([]result.Row{a})
	if of == nil || of(a) == nil || of(b) == nil || percent(of(a)) == percent(of(b)) {
		return ""
	}
	return fmt.Sprintf("quality %s %% to its %s %%", percent(of(a)), percent(of(b)))
}

func ratioOf(what, against string, value, lo, hi float64, better, worse string) chart.Ratio {
	class, mark := look(against)
	return chart.Ratio{What: what, Against: against, Class: class, Mark: mark, Value: value, Lo: lo, Hi: hi,
		Text: factor(value), Verdict: inWords(value, lo, hi, better, worse)}
}

// factor has the digits that count.
func factor(v float64) string {
	if v < 0.1 {
		return fmt.Sprintf("%.3f×", v)
	}
	return fmt.Sprintf("%.2f×", v)
}

// inWords says a ratio as people do.
func inWords(v, lo, hi float64, better, worse string) string {
	switch {
	case !math.IsNaN(lo) && lo <= 1 && hi >= 1:
		return "no difference shown"
	case v < 0.67:
		return fmt.Sprintf("%.1f times %s", 1/v, better)
	case v < 0.995:
		return fmt.Sprintf("%.0f %% %s", 100*(1-v), better)
	case v <= 1.005:
		return "equal"
	case v < 1.5:
		return fmt.Sprintf("%.0f %% %s", 100*(v-1), worse)
	}
	return fmt.Sprintf("%.1f times %s", v, worse)
}

// clockNote is there where a rival has the client's clock alone.
func clockNote(rows []result.Row) string {
	if fastest(rows, serverClock) == nil {
		return "client's clock"
	}
	return ""
}

// matchedRatios compare searches at equal recall.
func matchedRatios(rows []result.Row) []chart.Ratio {
	matched := part(rows, "matched")
	var out []chart.Ratio
	for _, set := range distinct(matched, param("set")) {
		for _, wanted := range distinct(matched, param("wanted_recall")) {
			at := func(engine string) []result.Row {
				return where(matched, func(r result.Row) bool {
					return r.Engine == engine && param("set")(r) == set && param("wanted_recall")(r) == wanted
				})
			}
			for _, name := range rivals {
				title := func(result.Row) string { return "Search at recall " + wanted + ", " + set + " queries" }
				if one, ok := latencyRatio(title, name, at(ours), at(name)); ok {
					one.Note = strings.TrimPrefix(clockNote(at(name))+", interpolated", ", ")
					out = append(out, one)
				}
			}
		}
	}
	return out
}

// buildRatios compare the first build of each engine.
func buildRatios(rows []result.Row) []chart.Ratio {
	of := func(engine string) *result.Build {
		i := slices.IndexFunc(rows, func(r result.Row) bool { return r.Engine == engine && r.Build != nil })
		if i < 0 {
			return nil
		}
		return rows[i].Build
	}
	mine := of(ours)
	if mine == nil {
		return nil
	}
	var out []chart.Ratio
	for _, name := range rivals {
		theirs := of(name)
		if theirs == nil {
			continue
		}
		if theirs.Seconds > 0 && mine.Seconds > 0 {
			out = append(out, ratioOf("Build time", name, mine.Seconds/theirs.Seconds, math.NaN(), math.NaN(), "faster", "slower"))
		}
		if theirs.IndexBytes > 0 && mine.IndexBytes > 0 {
			out = append(out, ratioOf("Size of indexes", name, float64(mine.IndexBytes)/float64(theirs.IndexBytes), math.NaN(), math.NaN(), "smaller", "larger"))
		}
	}
	return out
}

// tiles count who is better, and show the best and the worst ratio.
func tiles(r chart.Ratios) []tile {
	var all []chart.Ratio
	better := 0
	for _, g := range r.Groups {
		for _, one := range g.Ratios {
			all = append(all, one)
			if one.Value < 1 && !(one.Lo <= 1 && one.Hi >= 1) {
				better++
			}
		}
	}
	byValue := func(a, b chart.Ratio) int { return int(math.Copysign(1, a.Value-b.Value)) }
	best, worst := slices.MinFunc(all, byValue), slices.MaxFunc(all, byValue)
	describe := func(o chart.Ratio) string { return o.What + ", against " + o.Against }
	return []tile{
		{fmt.Sprintf("%d of %d", better, len(all)), "comparisons where sorted_heap is better", "intervals that hold 1 do not count", better*2 > len(all)},
		{factor(best.Value), best.Verdict, describe(best), best.Value < 1},
		{factor(worst.Value), worst.Verdict, describe(worst), worst.Value < 1},
	}
}
