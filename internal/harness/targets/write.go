package targets

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sortedheap/internal/harness/result"
)

const intro = `# Targets and what was measured

Every target that result files tell about, met or missed. Ratios are medians of the same
run, below 1 sorted_heap is better; *server* and *client* name the clock. Where several
rows take part, the worst of them stands here.
`

// Write writes targets and what files tell of them as Markdown.
func (l *List) Write(w io.Writer, files []*result.File) error {
	var b strings.Builder
	b.WriteString(intro + "\n")
	outcomes := l.Measure(files)
	met, found, all := Count(outcomes)
	fmt.Fprintf(&b, "%d of %d are met, %d are missed; %d have no result file here. %s\n", met, all, found-met, all-found, l.Source)
	for i, g := range l.Groups {
		fmt.Fprintf(&b, "\n## %s\n\n| work | against | clock or value | best known | target | measured | | where |\n| --- | --- | --- | --: | --: | --: | --- | --- |\n", g.Title)
		for _, o := range outcomes[i] {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n",
				o.Work, o.Against, o.Target.Value.Words(), o.Best, o.Bound(), o.Text(), o.Verdict(), strings.ReplaceAll(o.Where(), "|", `\|`))
		}
	}
	if len(l.Elsewhere) > 0 {
		b.WriteString("\nNot told by these scenarios:\n\n")
		for _, e := range l.Elsewhere {
			b.WriteString("- " + e + "\n")
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write targets: %w", err)
	}
	return nil
}

// Count tells how many targets are met, how many were measured, and how many there are.
func Count(outcomes [][]Outcome) (met, found, all int) {
	for _, o := range slices.Concat(outcomes...) {
		all++
		if o.Found {
			found++
		}
		if o.Met {
			met++
		}
	}
	return met, found, all
}

// Words name a value for people.
func (v Value) Words() string {
	words := map[Value]string{
		"server_ms": "server", "client_ms": "client", "client_p99_ms": "client, 99th percentile",
		"queries_per_second": "queries a second", "build_seconds": "build time", "index_bytes": "index size",
		"hit_at_1": "hit@1", "hit_at_k": "hit@k", "recall": "recall@10", "cpu_rate": "rows per CPU second",
		"cpu_rate_low": "same, lower end of the interval", "cpu_cost": "CPU per row", "wal_per_row": "WAL per row",
		"buffers_per_row": "buffers per row", "widens_per_row": "widens per row",
	}
	if w, ok := words[v]; ok {
		return w
	}
	return string(v)
}

// Bound is what the value must keep to.
func (t Target) Bound() string {
	if t.AtMost != nil {
		return "≤ " + t.figure(*t.AtMost)
	}
	return "≥ " + t.figure(*t.AtLeast)
}

// figure writes a value in the target's unit: quality in per cent, differences of it
// in points, those of times in milliseconds.
func (t Target) figure(v float64) string {
	quality := slices.Contains([]Value{"hit_at_1", "hit_at_k", "recall"}, t.Value)
	switch {
	case t.How == difference && strings.HasSuffix(string(t.Value), "_ms"):
		return fmt.Sprintf("%+.3f ms", v)
	case quality && t.How == difference:
		return fmt.Sprintf("%+.2f points", 100*v)
	case quality:
		return fmt.Sprintf("%.1f %%", 100*v)
	case math.Abs(v) < 0.1 && v != 0:
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Text is the measured value with its interval.
func (o Outcome) Text() string {
	if interval := o.Interval(); interval != "" {
		return o.Figure() + " (" + interval + ")"
	}
	return o.Figure()
}

// Figure is the measured value.
func (o Outcome) Figure() string {
	if !o.Found {
		return ""
	}
	return o.figure(o.Measured)
}

// Interval is that of the measured value, where there is one.
func (o Outcome) Interval() string {
	if !o.Found || math.IsNaN(o.Lo) || math.IsNaN(o.Hi) {
		return ""
	}
	return fmt.Sprintf("%s to %s", o.figure(o.Lo), o.figure(o.Hi))
}

// Verdict is one word.
func (o Outcome) Verdict() string {
	switch {
	case !o.Found:
		return "not measured"
	case o.Met:
		return "met"
	}
	return "**missed**"
}

// Where says which row counts, and of which corpus and how many builds.
func (o Outcome) Where() string {
	if !o.Found {
		return o.Note
	}
	var words []string
	if o.Row != "" {
		words = append(words, o.Row)
	}
	words = append(words, corpusOf(o.File))
	if o.Builds > 1 && o.EveryBuild {
		words = append(words, fmt.Sprintf("worst of %d builds", o.Builds))
	} else if o.Builds > 1 {
		words = append(words, fmt.Sprintf("middle of %d builds", o.Builds))
	}
	if o.Note != "" {
		words = append(words, o.Note)
	}
	return strings.Join(words, "; ")
}

// corpusOf tells files of one scenario apart.
func corpusOf(f *result.File) string {
	var words []string
	for _, p := range []struct{ name, words string }{
		{"chains", "%s chains"}, {"entities", "%s entities"}, {"rows", "%s rows"}, {"dim", "%s dimensions"},
		{"query_set", "%s questions"}, {"m", "m %s"}, {"clusters", "%s clusters"}, {"ef_construction", "ef_construction %s"}, {"pairs", "%s pairs"}, {"seconds", "of %s s"},
	} {
		if v, ok := f.Params[p.name]; ok && fmt.Sprint(v) != "" {
			words = append(words, fmt.Sprintf(p.words, text(v)))
		}
	}
	return strings.Join(words, ", ")
}
