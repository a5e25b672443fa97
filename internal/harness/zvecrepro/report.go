package zvecrepro

import (
	"fmt"
	"io"
	"strings"
)

// About is what a report tells of the machine and the library.
type About struct {
	Version string // of the library
	Through string // how it was called
	CPU     string
	Kernel  string
	Index   Index
	Log     []string // lines of the library's log about the fault
}

// WriteReport writes findings as a report that the library's authors could use;
// also when nothing failed.
func WriteReport(w io.Writer, about About, findings []Finding) error {
	var out strings.Builder
	bad := 0
	for _, f := range findings {
		if f.Smallest != nil {
			bad++
		}
	}
	if bad > 0 {
		fmt.Fprintf(&out, "# zvec %s: searches return scores with empty ids\n\n", about.Version)
	} else {
		fmt.Fprintf(&out, "# zvec %s: no search returned an empty id\n\n", about.Version)
	}
	fmt.Fprintf(&out, "zvec %s through %s, %s, Linux %s. One FP32 vector field, metric cosine,\n"+
		"index hnsw with m %d and ef_construction %d; searches with ef %d. Each collection is created,\n"+
		"filled in batches, optimized once and searched in the same process.\n",
		about.Version, about.Through, about.CPU, about.Kernel, about.Index.M, about.Index.EfConstruction, about.Index.Ef)
	for _, f := range findings {
		f.write(&out)
	}
	if len(about.Log) > 0 {
		out.WriteString("\nThe library's log says:\n\n")
		for _, line := range about.Log {
			out.WriteString("    " + line + "\n")
		}
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// soundBelow tells that one row less is found.
func soundBelow(k int) string {
	if k == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d is fine)", k-1)
}

func (f Finding) write(out *strings.Builder) {
	fmt.Fprintf(out, "\n## Data: %s, %d components, inserted %d rows at a time\n\n%s.\n\n", f.Data.Name, f.Data.Dim, f.Batch, f.Data.Recipe)
	if s := f.Smallest; s != nil {
		fmt.Fprintf(out, "Smallest failing case found: %d rows, top_k %d%s. First failing query: the vector of\n"+
			"row %d. %d of %d probes fail at top_k %d.", s.Rows, s.TopK, soundBelow(s.TopK), s.Query, s.Failed, s.Probes, f.TopK)
		if f.Sound > 0 {
			fmt.Fprintf(out, " %d rows are fine.", f.Sound)
		}
		fmt.Fprintf(out, "\nBuilt again %d times, it fails %d times.\n", f.Builds, f.BadAgain)
		if f.Reopened.Bad() {
			fmt.Fprintf(out, "Closed and opened again after optimize, %d of %d probes still fail.\n", f.Reopened.Failed, f.Reopened.Probes)
		} else {
			fmt.Fprintf(out, "Closed and opened again after optimize, none of %d probes fails: the rows are stored, only the\n"+
				"collection that was filled does not find their keys.\n", f.Reopened.Probes)
		}
	} else {
		fmt.Fprintf(out, "Nothing fails, up to %d rows and top_k %d.\n", f.Ladder[len(f.Ladder)-1].Rows, f.TopK)
	}
	out.WriteString("\n| rows | smallest failing top_k | failing probes |\n|---:|---:|---:|\n")
	for _, c := range f.Ladder {
		k := "-"
		if c.Bad() {
			k = fmt.Sprint(c.TopK)
		}
		fmt.Fprintf(out, "| %d | %s | %d of %d |\n", c.Rows, k, c.Failed, c.Probes)
	}
}
