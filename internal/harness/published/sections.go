package published

import (
	"fmt"
	"slices"

	"sortedheap/internal/harness/result"
)

// overlaps tells how answers change between two settings.
func (d *document) overlaps() {
	for _, o := range d.note.Overlaps {
		a, b := find(d.files.first(o.A), o.Engine, o.Case), find(d.files.first(o.B), o.Engine, o.Case)
		if a == nil || b == nil {
			continue
		}
		shift, ok := result.CompareAnswers(*a, *b)
		if !ok {
			continue
		}
		d.line("## Answers that change: %s\n", o.Title)
		d.line("Case %s of %s, settings %s and %s. In the note %d of %d questions got other rows; here %d of %d do, %d with the rows in another order included, and %.1f %% of the rows are in both answers.\n",
			o.Case, o.Engine, o.A, o.B, o.Changed, o.Queries, shift.Queries-shift.SameRows, shift.Queries, shift.Queries-shift.SameOrder, 100*shift.Shared)
	}
}

// kind lists the settings of a kind that have files.
func (d *document) kind(k Kind) []Setting {
	return slices.DeleteFunc(slices.Clone(d.note.Settings), func(s Setting) bool { return s.Kind != k || d.files.first(s.Name) == nil })
}

// fair shows what the fair questions tell of every engine's answers.
func (d *document) fair() {
	settings := d.kind(KindFair)
	if len(settings) == 0 {
		return
	}
	d.line("## Fair questions\n")
	d.line("Questions spread over the whole corpus, none of them a row. No figures of these were published. Truth is brute force.\n")
	for _, s := range settings {
		f := d.files.first(s.Name)
		d.line("### %s: %v rows, %v questions\n", s.Name, f.Params["rows"], f.Params["queries"])
		d.columns(2, "engine", "case", "hit@1/k", "seeds", "rank p50", "p95", "max", "recall", "plan")
		for _, r := range f.Rows {
			if r.Error != "" || r.Quality == nil {
				continue
			}
			q := r.Quality
			d.row(r.Engine, r.Case, pair(q.HitAt1, q.HitAtK), percent(q.SeedCoverage), number(q.AnswerRankP50, "%.0f"),
				number(q.AnswerRankP95, "%.0f"), number(q.AnswerRankMax, "%.0f"), precise(q.RecallAtK), r.Plan)
		}
		d.line("")
	}
}

// precise tells 100 % from almost.
func precise(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", 100**v)
}

// builds shows the range of hits over fresh builds.
func (d *document) builds() {
	settings := d.kind(KindBuilds)
	if len(settings) == 0 {
		return
	}
	d.line("## Fresh builds\n")
	d.line("Each build has a cluster and indexes of its own. Smallest and largest value, in per cent.\n")
	d.columns(3, "setting", "engine", "case", "builds", "hit@1", "hit@k", "recall", "keywords", "full")
	for _, s := range settings {
		files := d.present(s)
		for _, r := range files[0].Rows {
			if r.Error != "" {
				continue
			}
			var first, among, recall, words, full []float64
			for _, f := range files {
				if again := find(f, r.Engine, r.Case); again != nil && again.Quality != nil {
					first, among, recall = appendKnown(first, again.Quality.HitAt1), appendKnown(among, again.Quality.HitAtK), appendKnown(recall, again.Quality.RecallAtK)
					words, full = appendKnown(words, again.Quality.KeywordPct), appendKnown(full, again.Quality.FullPct)
				}
			}
			d.row(s.Name, r.Engine, r.Case, fmt.Sprint(max(len(recall), len(words))), span(first), span(among), span(recall), span(words), span(full))
		}
	}
	d.line("")
}

// present are the files of a setting that are there.
func (d *document) present(s Setting) []*result.File {
	return slices.DeleteFunc(slices.Clone(d.files[s.Name]), func(f *result.File) bool { return f == nil })
}

func appendKnown(into []float64, v *float64) []float64 {
	if v == nil {
		return into
	}
	return append(into, *v)
}

func span(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	low, high := slices.Min(values), slices.Max(values)
	if low == high {
		return percent(&low)
	}
	return percent(&low) + ".." + percent(&high)
}

// zvec shows which of its builds lose the ids of rows.
func (d *document) zvec() {
	settings := d.kind(KindZvec)
	if len(settings) == 0 {
		return
	}
	d.line("## zvec, build by build\n")
	d.line("zvec searches in this process (zvec) and, in its newest version, in a child (zvec-latest). Settings named as-built ask the collection that filled itself, the others one that was closed and opened again. An answer without ids makes its case a row with the reason.\n")
	d.columns(4, "setting", "engine", "version", "case", "build", "rows", "recall", "outcome")
	for _, s := range settings {
		for i, f := range d.files[s.Name] {
			if f == nil {
				continue
			}
			for _, r := range f.Rows {
				recall, outcome := "", "sound"
				if r.Quality != nil {
					recall = percent(r.Quality.RecallAtK)
				}
				if r.Error != "" {
					outcome = r.Error
				}
				d.row(s.Name, r.Engine, r.EngineVersion, r.Case, fmt.Sprint(i+1), fmt.Sprint(f.Params["rows"]), recall, outcome)
			}
		}
	}
	d.line("")
}

// missing lists what could not be measured, each reason once.
func (d *document) missing() {
	seen := map[string]bool{}
	var lines []string
	note := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !seen[text] {
			seen[text] = true
			lines = append(lines, text)
		}
	}
	for _, s := range d.note.Settings {
		if d.files.first(s.Name) == nil {
			note("Setting %s was not run.", s.Name)
			continue
		}
		if s.Kind == KindZvec {
			continue // has a section of its own
		}
		for _, f := range d.present(s) {
			for _, r := range f.Rows {
				if r.Error == "" {
					continue
				}
				if r.Case == "" {
					note("Engine %s: %s", r.Engine, r.Error)
				} else {
					note("%s: %s of %s: %s", s.Name, r.Case, r.Engine, r.Error)
				}
			}
		}
	}
	d.line("## Not measured\n")
	d.line("The note's Crystal sources are not public, and no distribution has pycdc: `benchgraph run code --source DIR --questions note-pycdc` asks its questions of a copy.\n")
	for _, l := range lines {
		d.line("- %s", l)
	}
}
