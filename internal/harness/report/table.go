// Package report turns result files into text. It reads result files only: no
// database, no clock, and no number that is not in a file.
package report

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"sortedheap/fixtures"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/targets"
)

// Format is a way to write tables.
type Format string

// The formats.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	CSV      Format = "csv"
	GoBench  Format = "gobench" // of Go's benchmarks, which benchstat reads
	Page     Format = "page"    // HTML with charts
	Targets  Format = "targets" // of the project, beside what was measured
	// pageTables are those behind the charts of a page.
	pageTables Format = "tables of a page"
)

// Write writes files as tables, one per scenario and file, with the
// environment above and the warnings below. CSV has all rows in one table and
// nothing else; GoBench has a line for each part of a run; Page is one HTML file
// that needs nothing beside itself; Targets is Markdown.
func Write(w io.Writer, files []*result.File, format Format) error {
	var out strings.Builder
	switch format {
	case CSV:
		writeCSV(&out, files)
	case GoBench:
		if err := writeGoBench(&out, files); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	case Page:
		if err := writePage(&out, files); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	case Targets:
		list, err := targets.Parse(fixtures.Targets())
		if err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		return list.Write(w, files)
	case Text, Markdown:
		for _, f := range files {
			writeFile(&out, f, format)
		}
	default:
		return fmt.Errorf("write report: unknown format %q", format)
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func writeFile(out *strings.Builder, f *result.File, format Format) {
	for _, name := range scenarios(f) {
		fmt.Fprintf(out, "%s\n%s\n\n", heading(name, f, format), environment(f.Env))
		writeScenario(out, f, name, format)
		writeMissing(out, where(f.Rows, func(r result.Row) bool { return r.Scenario == name }))
	}
	writeNotes(out, f.Rows, f.Warnings)
}

// writeScenario has the tables of one scenario.
func writeScenario(out *strings.Builder, f *result.File, name string, format Format) {
	rows := where(f.Rows, func(r result.Row) bool { return r.Scenario == name })
	if repeated(rows) {
		writeBuildSpread(out, rows, format)
		return
	}
	points := distinct(rows, func(r result.Row) string { return r.Point })
	if len(points) == 0 {
		writeRows(out, rows, format)
		return
	}
	writeSweep(out, rows, format)
	for _, p := range points {
		title(out, format, "At "+p)
		writeRows(out, where(rows, func(r result.Row) bool { return r.Point == p }), format)
	}
}

// writeRows has the tables of one point.
func writeRows(out *strings.Builder, rows []result.Row, format Format) {
	if len(rows) > 0 && rows[0].Scenario == annScenario {
		writeAnn(out, rows, format)
		return
	}
	writeMeasured(out, rows, format)
	writeParts(out, rows, format)
	writeSplit(out, rows, format)
	writeThroughput(out, rows, format)
	writeBuilds(out, rows, format)
}

func scenarios(f *result.File) []string {
	var names []string
	for _, r := range f.Rows {
		if !slices.Contains(names, r.Scenario) {
			names = append(names, r.Scenario)
		}
	}
	return names
}

func heading(name string, f *result.File, format Format) string {
	line := name + ": " + strings.Join(parameters(f), ", ")
	if format == Markdown {
		return "## " + line + "\n"
	}
	return line
}

// parameters are the choices of a run that a reader needs to see.
func parameters(f *result.File) []string {
	var params []string
	for _, key := range []string{"corpus", "chains", "books", "paragraphs", "entities", "degree", "clusters", "source", "files", "edges", "questions", "wording", "embedder", "rows", "dim", "metric", "element", "payload_bytes", "copy_rows", "wide_copy_rows", "pairs", "seconds", "queries", "query_set", "runs", "ann_k", "top_k", "token_budget", "m", "ef_construction", "ef_search", "refine", "scan_mode", "build_workers", "builds"} {
		if v, ok := f.Params[key]; ok && v != "" {
			if n := wholeNumber(v); n != "" {
				v = n
			}
			params = append(params, fmt.Sprintf("%s %v", key, v))
		}
	}
	return params
}

// wholeNumber spells a number without an exponent, as a reader of JSON loses the
// difference between 1000000 and 1e+06; empty for anything else.
func wholeNumber(v any) string {
	switch n := v.(type) {
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1e15 {
			return strconv.FormatInt(int64(n), 10)
		}
	case int:
		return strconv.Itoa(n)
	case int64:
		return strconv.FormatInt(n, 10)
	}
	return ""
}

func environment(e result.Env) string {
	return fmt.Sprintf("%s, %d cores, Linux %s, PostgreSQL %s, shared_buffers %s, commit %s, %s, load %.1f",
		e.CPU, e.Cores, e.Kernel, e.Postgres, e.Settings["shared_buffers"], e.Commit, e.Time, e.Load1)
}

// writeMeasured is the table of cases. Rows of one question stand together;
// ratios are of server medians (client medians where there is no server clock).
func writeMeasured(out *strings.Builder, rows []result.Row, format Format) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool { return r.Error != "" || r.Throughput != nil })
	if len(rows) == 0 {
		return
	}
	t := newTable(format)
	header := table.Row{"engine", "case", "server p50", "p95", "p99", "client p50", "p95", "p99"}
	ratios, qualities := ratioColumns(rows), extraColumns(rows)
	for _, c := range ratios {
		header = append(header, c.name)
	}
	for _, c := range qualities {
		header = append(header, c.name)
	}
	t.AppendHeader(append(header, "rows", "buffers", "plan"))
	for _, group := range questions(rows) {
		for _, r := range group {
			server := r.ServerMS
			if server == nil {
				server = &result.Latency{P50: math.NaN(), P95: math.NaN(), P99: math.NaN()}
			}
			line := table.Row{r.Engine, r.Case, ms(server.P50), ms(server.P95), ms(server.P99),
				ms(r.ClientMS.P50), ms(r.ClientMS.P95), ms(r.ClientMS.P99)}
			for _, c := range ratios {
				line = append(line, against(r, c.reference(group, r)))
			}
			for _, c := range qualities {
				line = append(line, c.format(c.value(quality(r))))
			}
			t.AppendRow(append(line, number(r.RowsMean), buffers(r.Buffers), r.Plan))
		}
		t.AppendSeparator()
	}
	render(out, t, format)
}

// ratioColumn compares a row with another of its group.
type ratioColumn struct {
	name      string
	note      string
	reference func(group []result.Row, r result.Row) *result.Row
}

// ratioColumns are the fastest plain SQL of each rival for the same question, or
// the row that the scenario names, as far as there are any.
func ratioColumns(rows []result.Row) []ratioColumn {
	all := []ratioColumn{
		{"/heap", "median against heap's fastest plain SQL for the same question, same clock", func(group []result.Row, _ result.Row) *result.Row { return fastestSQL(group, "heap") }},
		{"/pgv", "median against pgvector's fastest plain SQL for the same question, same clock", func(group []result.Row, _ result.Row) *result.Row { return fastestSQL(group, "pgvector") }},
		{"/zvec", "client median against zvec in process and its fastest SQL for the same question", func(group []result.Row, _ result.Row) *result.Row { return fastestSQL(group, "zvec") }},
		{"/qdrant", "client median against Qdrant and its fastest SQL for the same question", func(group []result.Row, _ result.Row) *result.Row { return fastestSQL(group, "qdrant") }},
		{"/ref", "median against the reference on the same table, same clock", namedReference},
	}
	return slices.DeleteFunc(all, func(c ratioColumn) bool {
		return !slices.ContainsFunc(rows, func(r result.Row) bool { return c.reference(rows, r) != nil })
	})
}

// extraColumn is a quality value that not every scenario has.
type extraColumn struct {
	name   string
	value  func(result.Quality) *float64
	format func(*float64) string
}

// extraColumns returns the columns that some row fills.
func extraColumns(rows []result.Row) []extraColumn {
	all := []extraColumn{
		{"hit@1", func(q result.Quality) *float64 { return q.HitAt1 }, percent},
		{"hit@k", func(q result.Quality) *float64 { return q.HitAtK }, percent},
		{"seeds", func(q result.Quality) *float64 { return q.SeedCoverage }, percent},
		{"recall", func(q result.Quality) *float64 { return q.RecallAtK }, percent},
		{"lead", func(q result.Quality) *float64 { return q.LeadPrecision }, percent},
		{"keywords", func(q result.Quality) *float64 { return q.KeywordPct }, percent},
		{"full", func(q result.Quality) *float64 { return q.FullPct }, percent},
		{"keywords paid", func(q result.Quality) *float64 { return q.KeywordBudget }, percent},
		{"full paid", func(q result.Quality) *float64 { return q.FullBudget }, percent},
		{"nDCG", func(q result.Quality) *float64 { return q.NDCG }, percent},
		{"tokens", func(q result.Quality) *float64 { return q.TokensMean }, whole},
	}
	return slices.DeleteFunc(all, func(c extraColumn) bool {
		return !slices.ContainsFunc(rows, func(r result.Row) bool { return c.value(quality(r)) != nil })
	})
}

// writeBuilds is what each engine's store cost.
func writeBuilds(out *strings.Builder, rows []result.Row, format Format) {
	t := newTable(format)
	header := table.Row{"engine", "version", "rows", "build s", "table MB", "index MB", "WAL MB"}
	outside := slices.ContainsFunc(rows, func(r result.Row) bool { return r.Build != nil && r.Build.StoreSeconds > 0 })
	if outside {
		header = append(header, "store s", "store MB")
	}
	t.AppendHeader(header)
	seen := map[string]bool{}
	for _, r := range rows {
		if r.Build == nil || seen[r.Engine] {
			continue
		}
		seen[r.Engine] = true
		b := r.Build
		line := table.Row{r.Engine, r.EngineVersion, b.Rows, fmt.Sprintf("%.2f", b.Seconds), mb(b.TableBytes), mb(b.IndexBytes), mb(b.WALBytes)}
		if outside {
			line = append(line, storeSeconds(b), storeMB(b))
		}
		t.AppendRow(line)
	}
	if t.Length() > 0 {
		render(out, t, format)
	}
}

func writeMissing(out *strings.Builder, rows []result.Row) {
	missing := false
	for _, r := range rows {
		if r.Error != "" {
			missing = true
			fmt.Fprintf(out, "not measured: %s: %s\n", strings.Join(strings.Fields(r.Engine+" "+r.Case+" "+r.Point), " "), r.Error)
		}
	}
	if missing {
		out.WriteString("\n")
	}
}

// writeNotes explains the columns that the tables have, then lists the warnings.
func writeNotes(out *strings.Builder, rows []result.Row, warnings []string) {
	curves := slices.ContainsFunc(rows, func(r result.Row) bool { return r.Scenario == annScenario && r.Error == "" })
	measured := slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool {
		return r.Error != "" || r.Throughput != nil || r.Scenario == annScenario
	})
	if len(measured) > 0 || curves {
		out.WriteString("Times in ms. server: plan + exec of pg_stat_statements; client: prepared, binary, one warm connection; buffers: hit + read, mean.\n")
	}
	for _, c := range ratioColumns(measured) {
		out.WriteString(c.name + ": " + c.note + "; below 1 is faster.\n")
	}
	if slices.ContainsFunc(measured, func(r result.Row) bool { return quality(r).KeywordPct != nil }) {
		out.WriteString("keywords: share of a question's keywords that the answer shows; full: questions whose answers show all; paid: within the token budget; tokens: of the whole answer, mean.\n")
	}
	if slices.ContainsFunc(measured, func(r result.Row) bool { return quality(r).LeadPrecision != nil }) {
		out.WriteString("recall: true rows shown; lead: share of true rows among those up to the last true one.\n")
	} else if slices.ContainsFunc(measured, func(r result.Row) bool { return quality(r).SeedCoverage != nil || quality(r).RecallAtK != nil }) {
		out.WriteString("seeds: share of queries whose seeds reach the answer; recall: rows at least as near as the true k-th.\n")
	}
	if slices.ContainsFunc(rows, func(r result.Row) bool { return r.Throughput != nil }) {
		out.WriteString(throughputNotes)
	}
	if curves {
		out.WriteString(annNotes)
	}
	for i, w := range warnings {
		fmt.Fprintf(out, "[%d] %s\n", i+1, w)
	}
	out.WriteString("\n")
}

// planWidth is where a plan goes on in the next line.
const planWidth = 56

func newTable(format Format) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options.DrawBorder = false
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	right := []string{"server p50", "p95", "p99", "client p50", "/heap", "/pgv", "/zvec", "/qdrant", "/ref", "hit@1", "hit@k", "seeds", "recall", "keywords", "full", "keywords paid", "full paid", "nDCG", "tokens", "rows", "buffers", "build s", "table MB", "index MB", "WAL MB",
		"store s", "store MB", "search p50", "inside p50", "sql p50",
		"rows/s", "CPU us", "WAL B", "buffers/row", "widens", "p50 ms", "/heap CPU", "/heap rate", "/heap WAL", "/heap buffers"}
	configs := make([]table.ColumnConfig, len(right))
	for i, name := range right {
		configs[i] = table.ColumnConfig{Name: name, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	if format == Text {
		configs = append(configs, table.ColumnConfig{Name: "plan", WidthMax: planWidth, WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(configs)
	return t
}

func render(out *strings.Builder, t table.Writer, format Format) {
	switch format {
	case Markdown:
		out.WriteString(t.RenderMarkdown())
	case pageTables:
		out.WriteString(`<div class="scroll" tabindex="0" role="region" aria-label="table">` + t.RenderHTML() + "</div>")
	default:
		out.WriteString(t.Render())
	}
	out.WriteString("\n\n")
}

// remark writes a line of text between tables.
func remark(out *strings.Builder, format Format, text string) {
	if format == pageTables {
		text = "<p>" + html.EscapeString(text) + "</p>"
	}
	out.WriteString(text + "\n")
}
