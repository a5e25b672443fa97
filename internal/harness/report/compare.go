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

// comparison is one case in two files.
type comparison struct {
	id       caseID
	clock    clock
	from, to float64 // medians, ms
	ratio    stats.Interval
	basis    string // what the interval is over
	quality  []string
	graded   bool
	same     int     // queries with the same answer
	asked    int     // queries with an answer in both
	shared   float64 // mean share of rows that answers have in common; NaN: not known
}

// caseID is what makes rows of two files the same case.
type caseID struct{ scenario, corpus, engine, name, point string }

func (id caseID) String() string {
	return strings.Join(strings.Fields(id.scenario+" "+id.engine+" "+id.name+" "+id.point), " ")
}

const buildPoint = "build="

// idOf leaves the number of a build out: builds are repetitions of one case.
func idOf(r result.Row) caseID {
	point := slices.DeleteFunc(strings.Fields(r.Point), func(p string) bool { return strings.HasPrefix(p, buildPoint) })
	return caseID{r.Scenario, r.Corpus, r.Engine, r.Case, strings.Join(point, " ")}
}

// Compare writes the ratios of b to a, case by case, with intervals, what became
// of the quality, and the share of queries with the same answer.
func Compare(w io.Writer, a, b *result.File) error {
	compared, notes := compareFiles(a, b)
	if len(compared) == 0 {
		return fmt.Errorf("compare: the files have no measured row in common")
	}
	notes = append(notes, differences(a, b)...)
	var out strings.Builder
	fmt.Fprintf(&out, "A: %s\nB: %s\n\n", environment(a.Env), environment(b.Env))
	writeComparison(&out, compared)
	for i, n := range notes {
		fmt.Fprintf(&out, "[%d] %s\n", i+1, n)
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

// compareFiles pairs the rows of both files; the notes tell of rows without a
// pair and of plans that changed.
func compareFiles(a, b *result.File) (compared []comparison, notes []string) {
	before, order := byCase(a)
	after, orderB := byCase(b)
	for _, id := range order {
		switch rows := after[id]; {
		case rows == nil:
			notes = append(notes, id.String()+" is only in A")
		case failed(before[id]) || failed(rows):
			notes = append(notes, id.String()+" was not measured in both")
		default:
			compared = append(compared, compare(id, before[id], rows))
			if from, to := before[id][0].Plan, rows[0].Plan; from != to {
				notes = append(notes, fmt.Sprintf("%s has plan %q in A, %q in B", id, from, to))
			}
		}
	}
	for _, id := range orderB {
		if before[id] == nil {
			notes = append(notes, id.String()+" is only in B")
		}
	}
	return compared, notes
}

func byCase(f *result.File) (rows map[caseID][]result.Row, order []caseID) {
	rows = map[caseID][]result.Row{}
	for _, r := range f.Rows {
		id := idOf(r)
		if rows[id] == nil {
			order = append(order, id)
		}
		rows[id] = append(rows[id], r)
	}
	return rows, order
}

func failed(rows []result.Row) bool {
	return slices.ContainsFunc(rows, func(r result.Row) bool { return r.Error != "" })
}

// compare takes all builds of a case together.
func compare(id caseID, a, b []result.Row) comparison {
	c := comparison{id: id, clock: serverClock}
	if !all(a, b, func(r result.Row) bool { return r.ServerMS != nil }) {
		c.clock = clientClock
	}
	c.from, c.to = middle(medians(a, c.clock)), middle(medians(b, c.clock))
	c.ratio, c.basis = ratioOfRows(a, b, c.clock)
	c.quality, c.graded = qualityChanges(a, b)
	c.same, c.asked, c.shared = sameAnswers(a[0], b[0])
	return c
}

// sameAnswers counts queries with the same rows in the same order, and says which
// share of the rows answers have in common, where the files name the rows.
func sameAnswers(a, b result.Row) (same, asked int, shared float64) {
	if o, named := result.CompareAnswers(a, b); named {
		return o.SameOrder, o.Queries, o.Shared
	}
	if len(a.Answers) != len(b.Answers) {
		return 0, 0, math.NaN()
	}
	for i, print := range a.Answers {
		asked++
		if b.Answers[i] == print {
			same++
		}
	}
	return same, asked, math.NaN()
}

// answersText is how many queries have the same answer, and how much of the
// others.
func answersText(same, asked int, shared float64) string {
	switch {
	case asked == 0:
		return ""
	case math.IsNaN(shared) || same == asked:
		return fmt.Sprintf("%d/%d", same, asked)
	}
	return fmt.Sprintf("%d/%d, %.1f %% of rows", same, asked, 100*shared)
}

func all(a, b []result.Row, is func(result.Row) bool) bool {
	return !slices.ContainsFunc(slices.Concat(a, b), func(r result.Row) bool { return !is(r) })
}

func medians(rows []result.Row, c clock) []float64 {
	out := make([]float64, 0, len(rows))
	for _, r := range rows {
		out = append(out, c.of(r).P50)
	}
	return out
}

func middle(values []float64) float64 {
	return stats.Quantile(slices.Sorted(slices.Values(values)), 0.5)
}

// ratioOfRows has its interval from what varies most that the files tell of:
// builds, else parts of the runs, else single calls.
func ratioOfRows(a, b []result.Row, c clock) (ratio stats.Interval, basis string) {
	positive := func(values []float64) bool { return len(values) > 0 && slices.Min(values) > 0 }
	if len(a) > 1 || len(b) > 1 {
		if from, to := medians(a, c), medians(b, c); positive(from) && positive(to) {
			return stats.IndependentRatio(to, from), "builds"
		}
	}
	from, to := c.of(a[0]), c.of(b[0])
	if len(from.Blocks) == len(to.Blocks) && positive(from.Blocks) && positive(to.Blocks) {
		return stats.PairedRatio(to.Blocks, from.Blocks), "blocks"
	}
	return stats.Ratio(interval(to), interval(from)), "calls"
}

// qualityChanges lists the values that differ, by their means over builds.
func qualityChanges(a, b []result.Row) (changes []string, graded bool) {
	for _, v := range qualityValues {
		from, to := meanQuality(a, v.of), meanQuality(b, v.of)
		if from == nil && to == nil {
			continue
		}
		graded = true
		if from == nil || to == nil || *from != *to {
			changes = append(changes, fmt.Sprintf("%s %s to %s", v.name, v.text(from), v.text(to)))
		}
	}
	return changes, graded
}

// qualityValue is a graded value of a row.
type qualityValue struct {
	name string
	of   func(result.Quality) *float64
	text func(*float64) string
}

// qualityValues are all of them.
var qualityValues = []qualityValue{
	{"hit@1", func(q result.Quality) *float64 { return q.HitAt1 }, percentOrNone},
	{"hit@k", func(q result.Quality) *float64 { return q.HitAtK }, percentOrNone},
	{"recall", func(q result.Quality) *float64 { return q.RecallAtK }, percentOrNone},
	{"full", func(q result.Quality) *float64 { return q.FullCounts }, percentOrNone},
	{"keywords", func(q result.Quality) *float64 { return q.KeywordPct }, percentOrNone},
	{"full keywords", func(q result.Quality) *float64 { return q.FullPct }, percentOrNone},
	{"keywords paid", func(q result.Quality) *float64 { return q.KeywordBudget }, percentOrNone},
	{"full paid", func(q result.Quality) *float64 { return q.FullBudget }, percentOrNone},
	{"nDCG", func(q result.Quality) *float64 { return q.NDCG }, percentOrNone},
	{"seeds", func(q result.Quality) *float64 { return q.SeedCoverage }, percentOrNone},
	{"rank p50", func(q result.Quality) *float64 { return q.AnswerRankP50 }, numberOrNone},
	{"rank mean", func(q result.Quality) *float64 { return q.AnswerRankMean }, numberOrNone},
	{"rank max", func(q result.Quality) *float64 { return q.AnswerRankMax }, numberOrNone},
}

func percentOrNone(v *float64) string {
	if v == nil {
		return "none"
	}
	return finer(v)
}

func numberOrNone(v *float64) string {
	if v == nil {
		return "none"
	}
	return number(*v)
}

func meanQuality(rows []result.Row, of func(result.Quality) *float64) *float64 {
	sum := 0.0
	for _, r := range rows {
		v := of(quality(r))
		if v == nil {
			return nil
		}
		sum += *v
	}
	mean := sum / float64(len(rows))
	return &mean
}

// verdict says what the interval shows.
func (c comparison) verdict() string {
	switch {
	case math.IsNaN(c.ratio.Lo):
		return "unknown"
	case !c.ratio.Clear(1):
		return "same"
	case c.ratio.Center < 1:
		return "faster"
	}
	return "slower"
}

func writeComparison(out *strings.Builder, compared []comparison) {
	t := newTable(Text)
	header := table.Row{"engine", "case"}
	pointed := slices.ContainsFunc(compared, func(c comparison) bool { return c.id.point != "" })
	if pointed {
		header = append(header, "point")
	}
	t.AppendHeader(append(header, "A p50", "B p50", "B/A", "95 % interval", "B is", "clock", "quality", "same answers"))
	counts, graded, equal := map[string]int{}, 0, 0
	bases := map[string]int{}
	for _, c := range compared {
		counts[c.verdict()]++
		bases[c.basis]++
		line := table.Row{c.id.engine, c.id.name}
		if pointed {
			line = append(line, c.id.point)
		}
		span, grade := "", ""
		if !math.IsNaN(c.ratio.Lo) {
			span = fmt.Sprintf("%.2f .. %.2f", c.ratio.Lo, c.ratio.Hi)
		}
		if c.graded {
			graded++
			grade = strings.Join(c.quality, ", ")
			if grade == "" {
				equal++
				grade = "="
			}
		}
		t.AppendRow(append(line, ms(c.from), ms(c.to), ratio(c.ratio.Center), span, c.verdict(), c.clock, grade, answersText(c.same, c.asked, c.shared)))
	}
	render(out, t, Text)
	fmt.Fprintf(out, "%d cases: B is faster in %d, slower in %d, no difference shown in %d", len(compared), counts["faster"], counts["slower"], counts["same"])
	if counts["unknown"] > 0 {
		fmt.Fprintf(out, ", too few samples in %d", counts["unknown"])
	}
	fmt.Fprintf(out, ". Quality is the same in %d of %d.\n", equal, graded)
	if changed, all := differentAnswers(compared); all > 0 {
		fmt.Fprintf(out, "Answers differ in %d of %d questions.\n", changed, all)
	}
	for _, b := range []struct{ name, text string }{
		{"builds", "B/A is of medians of builds; its interval is over the builds, so chance in building an index is in it.\n"},
		{"blocks", "B/A is of medians of consecutive parts of both runs; its interval is over the parts, so a machine's drift within a run is in it, what differs from build to build is not (benchgraph repeat shows that).\n"},
		{"calls", "B/A is of medians where a file has no parts of a run; its interval takes calls as independent, drift is not in it.\n"},
	} {
		if bases[b.name] > 0 {
			out.WriteString(b.text)
		}
	}
}

// differentAnswers counts questions, case by case, whose answers are not the same
// rows in the same order.
func differentAnswers(compared []comparison) (changed, asked int) {
	for _, c := range compared {
		changed += c.asked - c.same
		asked += c.asked
	}
	return changed, asked
}

// commonClock prefers the server's, when both rows have it.
func commonClock(a, b result.Row) (name clock, from, to *result.Latency) {
	if a.ServerMS != nil && b.ServerMS != nil {
		return serverClock, a.ServerMS, b.ServerMS
	}
	return clientClock, a.ClientMS, b.ClientMS
}

func interval(l *result.Latency) stats.Interval {
	if l.P50Lo == nil || l.P50Hi == nil {
		return stats.Interval{Center: l.P50, Lo: math.NaN(), Hi: math.NaN()}
	}
	return stats.Interval{Center: l.P50, Lo: *l.P50Lo, Hi: *l.P50Hi}
}

// differences lists what makes two files hard to compare, and their warnings.
func differences(a, b *result.File) []string {
	var notes []string
	differ := func(what string, x, y any) {
		if fmt.Sprint(x) != fmt.Sprint(y) {
			notes = append(notes, fmt.Sprintf("%s differs: %v in A, %v in B", what, x, y))
		}
	}
	if a.Env.Time == b.Env.Time && a.Env.Commit == b.Env.Commit {
		notes = append(notes, "A and B began at the same moment: they are one run")
	}
	differ("cpu", a.Env.CPU, b.Env.CPU)
	differ("PostgreSQL", a.Env.Postgres, b.Env.Postgres)
	for _, k := range keysOf(a.Params, b.Params) {
		differ("parameter "+k, a.Params[k], b.Params[k])
	}
	for _, k := range keysOf(a.Env.Settings, b.Env.Settings) {
		differ("setting "+k, a.Env.Settings[k], b.Env.Settings[k])
	}
	for _, k := range keysOf(a.Env.Extensions, b.Env.Extensions) {
		differ("version of "+k, a.Env.Extensions[k], b.Env.Extensions[k])
	}
	for _, warning := range a.Warnings {
		notes = append(notes, "A: "+warning)
	}
	for _, warning := range b.Warnings {
		notes = append(notes, "B: "+warning)
	}
	return notes
}

// keysOf are the keys of two maps, sorted.
func keysOf[V any](a, b map[string]V) []string {
	var keys []string
	for _, m := range []map[string]V{a, b} {
		for k := range m {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	slices.Sort(keys)
	return keys
}
