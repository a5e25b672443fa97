package report

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"sortedheap/internal/harness/result"
)

// annScenario is the scenario whose rows are points of curves, better read side
// by side than one below the other.
const annScenario = "ann"

// rival is the engine that others are compared with.
const rival = "pgvector"

const annNotes = "recall: rows at least as near as the true k-th, percent, ties count; full: queries with as many rows as there are to get, percent.\n" +
	"/pgv: median against pgvector's, same clock, below 1 is faster; in filters against its fastest way that has recall 95 and full counts, if any.\n" +
	"At equal recall: interpolated between the neighbouring ef in brackets; <= marks an engine whose smallest ef has the recall already.\n" +
	"hnswlib: recall of that library on the same vectors with the same m, ef_construction and ef, from fixtures/graphs.\n"

// part selects the rows of one part of the scenario that were measured.
func part(rows []result.Row, name string) []result.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool { return r.Error != "" || r.Params["part"] != name })
}

// distinct lists the values of a parameter in the order of first appearance.
func distinct(rows []result.Row, of func(result.Row) string) []string {
	var out []string
	for _, r := range rows {
		if v := of(r); v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func param(name string) func(result.Row) string {
	return func(r result.Row) string {
		if v, ok := r.Params[name]; ok {
			return fmt.Sprint(v)
		}
		return ""
	}
}

func engineOf(r result.Row) string { return r.Engine }

// number64 reads a numeric parameter, whether it was just measured or read from
// a file; NaN where there is none.
func number64(r result.Row, name string) float64 {
	switch v := r.Params[name].(type) {
	case float64:
		return v
	case int:
		return float64(v)
	case int64:
		return float64(v)
	}
	return math.NaN()
}

// annTable has its first columns left and all others right aligned.
func annTable(format Format, left int, header ...any) table.Writer {
	t := newTable(format)
	configs := make([]table.ColumnConfig, 0, len(header))
	for i, name := range header {
		c := table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
		if i < left || name == "plan" {
			c.Align, c.AlignHeader = text.AlignLeft, text.AlignLeft
		}
		if name == "plan" && format == Text {
			c.WidthMax, c.WidthMaxEnforcer = planWidth, text.WrapSoft
		}
		configs = append(configs, c)
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	return t
}

func writeAnn(out *strings.Builder, rows []result.Row, format Format) {
	writeAnnBuilds(out, rows, format)
	for _, set := range distinct(part(rows, "curve"), param("set")) {
		of := func(name string) []result.Row {
			return slices.DeleteFunc(part(rows, name), func(r result.Row) bool { return r.Params["set"] != set })
		}
		title(out, format, "Queries: "+set)
		writeCurve(out, of("curve"), format)
		writeMatched(out, of("matched"), format)
	}
	writeClients(out, part(rows, "clients"), format)
	writeFilter(out, part(rows, "filter"), format)
	writeChurn(out, part(rows, "churn"), part(rows, "curve"), format)
}

func title(out *strings.Builder, format Format, text string) {
	switch format {
	case Markdown:
		text = "### " + text + "\n"
	case pageTables:
		text = "<h4>" + html.EscapeString(text) + "</h4>"
	}
	out.WriteString(text + "\n")
}

// writeAnnBuilds has a line for each index that was built.
func writeAnnBuilds(out *strings.Builder, rows []result.Row, format Format) {
	t := annTable(format, 3, "engine", "version", "index", "rows", "build s", "/pgv", "index MB", "/pgv", "WAL MB", "/pgv", "table MB")
	var first *result.Build
	seen := map[string]result.Build{}
	for _, r := range slices.Concat(part(rows, "curve"), part(rows, "filter")) {
		if r.Build == nil || seen[r.Engine] == *r.Build {
			continue
		}
		kind := "plain"
		if _, again := seen[r.Engine]; again || r.Params["part"] == "filter" {
			kind = "of filters"
		}
		seen[r.Engine] = *r.Build
		b := r.Build
		if r.Engine == rival && first == nil {
			first = b
		}
		ratios := [3]string{}
		if first != nil && b != first {
			ratios = [3]string{ratio(b.Seconds / first.Seconds), ratio(float64(b.IndexBytes) / float64(first.IndexBytes)),
				ratio(float64(b.WALBytes) / float64(first.WALBytes))}
		}
		t.AppendRow(table.Row{r.Engine, r.EngineVersion, kind, b.Rows, fmt.Sprintf("%.2f", b.Seconds), ratios[0],
			mb(b.IndexBytes), ratios[1], mb(b.WALBytes), ratios[2], mb(b.TableBytes)})
	}
	if t.Length() > 0 {
		render(out, t, format)
	}
}

// writeCurve has a line for each ef and the engines side by side; exact search
// stands below.
func writeCurve(out *strings.Builder, rows []result.Row, format Format) {
	swept := slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool { return param("ef_search")(r) == "" })
	engines := distinct(swept, engineOf)
	compared := slices.Contains(engines, rival)
	reference := slices.ContainsFunc(swept, func(r result.Row) bool { return r.Params["hnswlib_recall"] != nil })
	header := []any{"ef"}
	for _, e := range engines {
		header = append(header, e+" recall", "server p50", "p95", "client p50", "p95")
		if compared && e != rival {
			header = append(header, "/pgv")
		}
	}
	if reference {
		header = append(header, "hnswlib recall")
	}
	t := annTable(format, 0, header...)
	for _, ef := range distinct(swept, param("ef_search")) {
		line := table.Row{ef}
		at := func(engine string) *result.Row { return findAnn(swept, engine, ef) }
		for _, e := range engines {
			r := at(e)
			line = append(line, annFigures(r)...)
			if compared && e != rival {
				line = append(line, againstRow(r, at(rival)))
			}
		}
		if reference {
			line = append(line, finer(hnswlibOf(at(engines[0]))))
		}
		t.AppendRow(line)
	}
	if t.Length() > 0 {
		render(out, t, format)
	}
	for _, r := range rows {
		if param("ef_search")(r) == "" {
			server := math.NaN()
			if r.ServerMS != nil {
				server = r.ServerMS.P50
			}
			remark(out, format, fmt.Sprintf("%s (%s): recall %s, server p50 %s, client p50 %s; %s", r.Engine, r.EngineVersion,
				finer(quality(r).RecallAtK), ms(server), ms(r.ClientMS.P50), r.Plan))
			out.WriteString("\n")
		}
	}
	writePlans(out, swept, format)
}

// writePlans has a line for each plan, with its ef where an engine had several.
func writePlans(out *strings.Builder, swept []result.Row, format Format) {
	planOf := func(r result.Row) string { return r.Engine + ": " + r.Plan }
	plans := distinct(swept, planOf)
	for _, plan := range plans {
		of := slices.DeleteFunc(slices.Clone(swept), func(r result.Row) bool { return planOf(r) != plan })
		several := len(distinct(ofEngine(swept, of[0].Engine), planOf)) > 1
		line := "plan of " + plan
		if several {
			line += " at ef " + strings.Join(distinct(of, param("ef_search")), ", ")
		}
		remark(out, format, line)
	}
	out.WriteString("\n")
}

func ofEngine(rows []result.Row, engine string) []result.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool { return r.Engine != engine })
}

func findAnn(rows []result.Row, engine, ef string) *result.Row {
	i := slices.IndexFunc(rows, func(r result.Row) bool { return r.Engine == engine && param("ef_search")(r) == ef })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

func annFigures(r *result.Row) []any {
	if r == nil {
		return []any{"", "", "", "", ""}
	}
	server := result.Latency{P50: math.NaN(), P95: math.NaN()}
	if r.ServerMS != nil {
		server = *r.ServerMS
	}
	return []any{finer(quality(*r).RecallAtK), ms(server.P50), ms(server.P95), ms(r.ClientMS.P50), ms(r.ClientMS.P95)}
}

func hnswlibOf(r *result.Row) *float64 {
	if r == nil {
		return nil
	}
	v := number64(*r, "hnswlib_recall")
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func againstRow(r, reference *result.Row) string {
	if r == nil || reference == nil {
		return ""
	}
	return against(*r, reference)
}

// writeMatched compares engines where they find equally much.
func writeMatched(out *strings.Builder, rows []result.Row, format Format) {
	t := annTable(format, 2, "recall (interpolated)", "engine", "ef", "server p50", "client p50", "/pgv")
	last := ""
	for i := range rows {
		r := &rows[i]
		wanted := param("wanted_recall")(*r)
		if last != "" && last != wanted {
			t.AppendSeparator()
		}
		last = wanted
		ef := "<= " + number(number64(*r, "ef_search"))
		if r.Params["interpolated"] == true {
			ef = fmt.Sprintf("%s (%s)", number(number64(*r, "ef_search")), strings.Trim(strings.ReplaceAll(param("between")(*r), " ", ".."), "[]"))
		}
		against := ""
		if at := slices.IndexFunc(rows, func(o result.Row) bool { return o.Engine == rival && param("wanted_recall")(o) == wanted }); at >= 0 && r.Engine != rival {
			against = againstRow(r, &rows[at])
		}
		server := math.NaN()
		if r.ServerMS != nil {
			server = r.ServerMS.P50
		}
		t.AppendRow(table.Row{wanted, r.Engine, ef, ms(server), ms(r.ClientMS.P50), against})
	}
	if t.Length() > 0 {
		render(out, t, format)
	}
}

func writeClients(out *strings.Builder, rows []result.Row, format Format) {
	t := annTable(format, 2, "clients", "engine", "ef", "recall", "queries/s", "/pgv rate", "client p50", "p95", "p99")
	for _, r := range rows {
		if r.Load == nil {
			continue
		}
		t.AppendRow(table.Row{r.Load.Clients, r.Engine, param("ef_search")(r), finer(quality(r).RecallAtK), fmt.Sprintf("%.0f", r.Load.QueriesPerSecond),
			interval95(r.Load.SpeedRatio), ms(r.ClientMS.P50), ms(r.ClientMS.P95), ms(r.ClientMS.P99)})
	}
	if t.Length() > 0 {
		title(out, format, "Clients at once, each engine at its smallest ef with recall 95; /pgv rate above 1 is better")
		render(out, t, format)
	}
}

// writeFilter has the engines' ways to filter, by selectivity.
func writeFilter(out *strings.Builder, rows []result.Row, format Format) {
	t := annTable(format, 3, "passes %", "engine", "way", "ef", "recall", "full", "rows", "server p50", "p95", "client p50", "/pgv", "/exact", "plan")
	for _, selectivity := range distinct(rows, param("selectivity")) {
		group := slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool { return param("selectivity")(r) != selectivity })
		best := bestFilter(group)
		exact := slices.IndexFunc(group, func(r result.Row) bool { return r.Engine == "exact" })
		for i := range group {
			r := &group[i]
			against, beside := "", ""
			if best != nil && r != best {
				against = againstRow(r, best)
			}
			if exact >= 0 && i != exact {
				beside = againstRow(r, &group[exact])
			}
			f := annFigures(r)
			t.AppendRow(table.Row{selectivity, r.Engine, param("mode")(*r), param("ef_search")(*r), f[0], finer(quality(*r).FullCounts),
				number(r.RowsMean), f[1], f[2], f[3], against, beside, r.Plan})
		}
		t.AppendSeparator()
	}
	if t.Length() > 0 {
		title(out, format, "Filters, each way at its smallest ef with recall 95 and full counts, or the largest of the sweep")
		render(out, t, format)
	}
}

// bestFilter is the rival's fastest way that is good enough, or its best.
func bestFilter(group []result.Row) *result.Row {
	var ways []*result.Row
	for i := range group {
		if group[i].Engine == rival {
			ways = append(ways, &group[i])
		}
	}
	if len(ways) == 0 {
		return nil
	}
	good := func(r *result.Row) int {
		q := quality(*r)
		if q.RecallAtK != nil && *q.RecallAtK >= 0.95 && q.FullCounts != nil && *q.FullCounts == 1 {
			return 0
		}
		return 1
	}
	return slices.MinFunc(ways, func(a, b *result.Row) int {
		return cmp.Or(cmp.Compare(good(a), good(b)), cmp.Compare(median(*a), median(*b)))
	})
}

// writeChurn has the curve of worn indexes beside that of fresh ones, and what
// wearing them cost.
func writeChurn(out *strings.Builder, rows, fresh []result.Row, format Format) {
	if len(rows) == 0 {
		return
	}
	title(out, format, "Churn: 30 % deleted, vacuumed, inserted again")
	t := annTable(format, 1, "engine", "delete s", "vacuum s", "insert s", "WAL MB", "index MB fresh", "after", "growth")
	seen := map[string]bool{}
	for _, r := range rows {
		if r.Build == nil || seen[r.Engine] {
			continue
		}
		seen[r.Engine] = true
		before := number64(r, "fresh_index_bytes")
		t.AppendRow(table.Row{r.Engine, seconds(r, "delete_seconds"), seconds(r, "vacuum_seconds"), seconds(r, "insert_seconds"),
			mb(r.Build.WALBytes), mb(int64(before)), mb(r.Build.IndexBytes), ratio(float64(r.Build.IndexBytes) / before)})
	}
	render(out, t, format)
	engines := distinct(rows, engineOf)
	header := []any{"ef"}
	for _, e := range engines {
		header = append(header, e+" fresh", "after", "points", "server p50", "/fresh")
	}
	t = annTable(format, 0, header...)
	for _, ef := range distinct(rows, param("ef_search")) {
		line := table.Row{ef}
		for _, e := range engines {
			r := findAnn(rows, e, ef)
			if r == nil || quality(*r).RecallAtK == nil {
				line = append(line, "", "", "", "", "")
				continue
			}
			before, after := number64(*r, "fresh_recall"), *quality(*r).RecallAtK
			same := slices.DeleteFunc(slices.Clone(fresh), func(o result.Row) bool { return o.Params["set"] != r.Params["set"] })
			line = append(line, finer(&before), finer(&after), fmt.Sprintf("%+.2f", 100*(after-before)),
				annFigures(r)[1], againstRow(r, findAnn(same, e, ef)))
		}
		t.AppendRow(line)
	}
	render(out, t, format)
}

// finer has the digits in which curves differ.
func finer(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", 100**v)
}

func seconds(r result.Row, name string) string { return fmt.Sprintf("%.2f", number64(r, name)) }
