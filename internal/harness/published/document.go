package published

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"sortedheap/internal/harness/result"
)

// Write writes the document as Markdown. Settings without files are listed as not
// measured; no file at all is an error.
func Write(w io.Writer, n *Note, files Results) error {
	d := &document{note: n, files: files}
	newest := d.newest()
	if newest == nil {
		return fmt.Errorf("write comparison with published figures: there is no result file")
	}
	d.head(newest)
	d.corpora()
	for _, t := range n.Tables {
		d.table(t)
	}
	d.overlaps()
	d.fair()
	d.builds()
	d.zvec()
	d.missing()
	if _, err := io.WriteString(w, d.String()); err != nil {
		return fmt.Errorf("write comparison with published figures: %w", err)
	}
	return nil
}

// document is a Markdown text in the making.
type document struct {
	strings.Builder
	note  *Note
	files Results
}

func (d *document) line(format string, args ...any) { fmt.Fprintf(&d.Builder, format+"\n", args...) }

// row writes one row of a table.
func (d *document) row(cells ...string) { d.line("| %s |", strings.Join(cells, " | ")) }

// columns starts a table; all columns after the first left ones are numbers.
func (d *document) columns(left int, names ...string) {
	d.row(names...)
	rules := make([]string, len(names))
	for i := range rules {
		rules[i] = "---"
		if i >= left {
			rules[i] = "--:"
		}
	}
	d.row(rules...)
}

// newest is the file of the last run.
func (d *document) newest() *result.File {
	var newest *result.File
	for _, s := range d.note.Settings {
		for _, f := range d.files[s.Name] {
			if f != nil && (newest == nil || f.Env.Time > newest.Env.Time) {
				newest = f
			}
		}
	}
	return newest
}

const intro = `# The published note, measured again

The note "GraphRAG on sorted_heap" published figures for the corpora that this
harness generates and reads. Here its settings are run again, and its figures
stand beside those of the runs. ` + "`make note`" + ` runs what has no result file yet and
writes this page; no figure in it is written by hand.

**Reading it.** The note timed EXPLAIN (ANALYZE) on PostgreSQL 18 without planning, on
another machine; here *server* is planning and execution as pg_stat_statements counts
them, and *client* is what a program waits. So times compare within a table only:
*/ref* is the median over that of the row marked ·, in the note and here, on the
server's clock where both rows have it (else on the client's, marked c). The note's
external engines were timed by the client for the search and by the server for the
rest. Hits are in per cent. The note's heap table had a sorted_hnsw index, too: that is
engine ` + "`heap_hnsw`" + `.
`

func (d *document) head(newest *result.File) {
	d.line("%s", intro)
	e := newest.Env
	d.line("**Machine.** %s, %d cores, %s, PostgreSQL %s, commit %s, last run %s.", e.CPU, e.Cores, e.Arch, e.Postgres, short(e.Commit), e.Time)
	loads := []float64{}
	for _, s := range d.note.Settings {
		for _, f := range d.files[s.Name] {
			if f != nil {
				loads = append(loads, f.Env.Load1)
			}
		}
	}
	d.line("The load average before the runs was %.1f to %.1f; with a load above the runs' own, times mean little.\n", slices.Min(loads), slices.Max(loads))
}

func short(commit string) string { return commit[:min(12, len(commit))] }

// corpora sets the sizes side by side.
func (d *document) corpora() {
	d.line("## Corpora\n")
	d.columns(2, "setting", "corpus", "rows, note", "rows", "questions, note", "questions", "set")
	for _, s := range d.note.Settings {
		f := d.files.first(s.Name)
		if f == nil {
			continue
		}
		d.row(s.Name, corpusName(f), published(s.Rows), fmt.Sprint(f.Params["rows"]), published(s.Queries), fmt.Sprint(f.Params["queries"]), questionsOf(f))
	}
	d.line("")
}

// questionsOf is the set or file of questions of a run.
func questionsOf(f *result.File) string {
	if set := f.Params["query_set"]; set != nil {
		return fmt.Sprint(set)
	}
	return fmt.Sprint(f.Params["questions"])
}

func published(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func corpusName(f *result.File) string {
	switch {
	case f.Params["books"] != nil:
		return fmt.Sprintf("%v books, %v paragraphs, folder %v", f.Params["books"], f.Params["paragraphs"], f.Params["directory"])
	case f.Params["files"] != nil:
		return fmt.Sprintf("%v files, %v chunks, %v edges", f.Params["files"], f.Params["chunks"], f.Params["edges"])
	case f.Params["chains"] != nil:
		return fmt.Sprintf("%v chains", f.Params["chains"])
	case f.Params["entities"] != nil:
		return fmt.Sprintf("%v entities of %v facts, payload %v", f.Params["entities"], f.Params["degree"], f.Params["payload_bytes"])
	}
	return fmt.Sprint(f.Params["scenario"])
}

// table sets one table of the note beside the file of its setting.
func (d *document) table(t Table) {
	if !slices.ContainsFunc(t.Cases, func(c Figure) bool { return d.files.first(t.settingOf(c)) != nil }) {
		return
	}
	d.line("## %s (%s)\n", t.Title, t.Host)
	graded := slices.ContainsFunc(t.Cases, func(c Figure) bool { return c.HitAtK != nil })
	ranked := slices.ContainsFunc(t.Cases, func(c Figure) bool { return c.SeedCoverage != nil })
	if slices.ContainsFunc(t.Cases, func(c Figure) bool { return c.KeywordPct != nil }) {
		d.worded(t)
		return
	}
	names := []string{"engine", "case", "note", "/ref", "server", "client", "/ref"}
	if graded {
		names = append(names, "note hit@1/k", "hit@1/k")
	}
	if ranked {
		names = append(names, "note seeds, rank p95, max", "seeds, rank p95, max")
	}
	names = append(names, "recall")
	d.columns(2, names...)
	reference := t.reference()
	for _, c := range t.Cases {
		d.figure(t, c, reference, graded, ranked)
	}
	d.line("")
	for _, why := range t.Why {
		d.line("- %s", why)
	}
	if len(t.Why) > 0 {
		d.line("")
	}
}

func (t Table) reference() *Figure {
	for i := range t.Cases {
		if t.Cases[i].Case == t.Reference {
			return &t.Cases[i]
		}
	}
	return nil
}

func (d *document) figure(t Table, c Figure, reference *Figure, graded, ranked bool) {
	f := d.files.first(t.settingOf(c))
	r := find(f, c.Engine, c.Case)
	name := c.Case
	if c.Setting != "" {
		name += ", " + c.Setting
	}
	noteRatio, ratio := "", ""
	if reference != nil {
		if c.MS != nil && reference.MS != nil {
			noteRatio = fmt.Sprintf("%.2f", *c.MS / *reference.MS)
		}
		ratio = against(r, find(f, reference.Engine, reference.Case))
		if c.Engine == reference.Engine && c.Case == t.Reference {
			name += " ·"
		}
	}
	cells := []string{c.Engine, name, number(c.MS, "%.3f"), noteRatio}
	if r == nil || r.Error != "" {
		cells = append(cells, absent(f, c.Engine, r))
		d.row(cells...)
		return
	}
	server := ""
	if r.ServerMS != nil {
		server = fmt.Sprintf("%.3f", r.ServerMS.P50)
	}
	cells = append(cells, server, fmt.Sprintf("%.3f", r.ClientMS.P50), ratio)
	q := cmp.Or(r.Quality, &result.Quality{})
	if graded {
		cells = append(cells, pair(c.HitAt1, c.HitAtK), pair(q.HitAt1, q.HitAtK))
	}
	if ranked {
		cells = append(cells, ranks(c.SeedCoverage, c.RankP95, c.RankMax), ranks(q.SeedCoverage, q.AnswerRankP95, q.AnswerRankMax))
	}
	d.row(append(cells, percent(q.RecallAtK))...)
}

// absent tells why there is no figure here.
func absent(f *result.File, engine string, r *result.Row) string {
	switch {
	case r != nil:
		return "error, see below"
	case find(f, engine, "") != nil:
		return "not available, see below"
	}
	return "not run"
}

// against is the ratio of medians, on the server's clock where both rows have it.
func against(r, reference *result.Row) string {
	switch {
	case r == nil || reference == nil || r.ClientMS == nil || reference.ClientMS == nil:
		return ""
	case r.ServerMS != nil && reference.ServerMS != nil:
		return fmt.Sprintf("%.2f", r.ServerMS.P50/reference.ServerMS.P50)
	}
	return fmt.Sprintf("%.2f c", r.ClientMS.P50/reference.ClientMS.P50)
}

func number(v *float64, format string) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf(format, *v)
}

func percent(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.1f", 100**v)
}

func pair(first, among *float64) string {
	if first == nil && among == nil {
		return ""
	}
	return percent(first) + "/" + percent(among)
}

func ranks(seeds, p95, last *float64) string {
	if seeds == nil {
		return ""
	}
	return fmt.Sprintf("%s, %s, %s", percent(seeds), number(p95, "%.0f"), number(last, "%.0f"))
}
