// Package published sets figures that were published for these corpora beside
// those of result files. The figures are data (fixtures/published), the document is
// a function of them and of the files: nothing in it is written by hand.
//
// Vocabulary:
//
//   - setting: one run of benchgraph, by scenario and flags; its files are in one
//     folder, named after it.
//   - table: published figures of one setting, as a reader of the note finds them
//     together, with the reasons why those here may differ.
//   - build: one run of a setting, on a fresh cluster with indexes of its own.
package published

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"sortedheap/internal/harness/result"
)

// Kind says what a setting is for.
type Kind string

// The kinds.
const (
	KindNote   Kind = "note"   // the tables
	KindBuilds Kind = "builds" // the same again on fresh builds
	KindFair   Kind = "fair"   // the fair questions
	KindZvec   Kind = "zvec"   // zvec's builds
)

// Note is what was published and how to measure it again.
type Note struct {
	Settings []Setting `json:"settings"`
	Tables   []Table   `json:"tables"`
	Overlaps []Shift   `json:"overlaps"`
}

// Setting is one run of benchgraph.
type Setting struct {
	Name     string            `json:"name"`
	Kind     Kind              `json:"kind"`
	Scenario string            `json:"scenario"`
	Flags    map[string]string `json:"flags"`   // without dashes
	Rows     int               `json:"rows"`    // published; 0: none
	Queries  int               `json:"queries"` // published; 0: none
	Builds   int               `json:"builds"`  // at least 1
}

// Table is one table of the note.
type Table struct {
	Title     string   `json:"title"`
	Setting   string   `json:"setting"`
	Host      string   `json:"host"`
	Reference string   `json:"reference"` // case that ratios refer to; empty: no ratios
	Why       []string `json:"why"`       // what makes figures differ
	Cases     []Figure `json:"cases"`
}

// Figure is one published line. Absent values were not published.
type Figure struct {
	Engine       string   `json:"engine"`
	Case         string   `json:"case"`
	Setting      string   `json:"setting"` // empty: the table's
	MS           *float64 `json:"ms"`      // p50
	HitAt1       *float64 `json:"hit_at_1"`
	HitAtK       *float64 `json:"hit_at_k"`
	SeedCoverage *float64 `json:"seed_coverage"`
	RankP95      *float64 `json:"rank_p95"`
	RankMax      *float64 `json:"rank_max"`
	KeywordPct   *float64 `json:"keyword_pct"` // as a fraction of 1
	FullPct      *float64 `json:"full_pct"`    // as a fraction of 1
	Rows         *float64 `json:"rows"`        // of an answer, mean
}

// Shift is how many answers changed between two settings.
type Shift struct {
	Title   string `json:"title"`
	A       string `json:"a"`
	B       string `json:"b"`
	Engine  string `json:"engine"`
	Case    string `json:"case"`
	Changed int    `json:"changed"`
	Queries int    `json:"queries"`
}

// Parse reads a note and checks that its parts fit together.
func Parse(text []byte) (*Note, error) {
	n := &Note{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(n); err != nil {
		return nil, fmt.Errorf("read published figures: %w", err)
	}
	if err := n.check(); err != nil {
		return nil, fmt.Errorf("read published figures: %w", err)
	}
	return n, nil
}

func (n *Note) check() error {
	var errs []error
	names := map[string]bool{}
	for _, s := range n.Settings {
		if names[s.Name] {
			errs = append(errs, fmt.Errorf("two settings are called %s", s.Name))
		}
		names[s.Name] = true
		if s.Builds < 1 || !slices.Contains([]Kind{KindNote, KindBuilds, KindFair, KindZvec}, s.Kind) {
			errs = append(errs, fmt.Errorf("setting %s has kind %q and %d builds", s.Name, s.Kind, s.Builds))
		}
	}
	uses := func(what, setting string) {
		if !names[setting] {
			errs = append(errs, fmt.Errorf("%s names setting %q, which is not there", what, setting))
		}
	}
	for _, t := range n.Tables {
		uses("table "+t.Title, t.Setting)
		for _, c := range t.Cases {
			uses("table "+t.Title, t.settingOf(c))
		}
		if t.Reference != "" && !slices.ContainsFunc(t.Cases, func(f Figure) bool { return f.Case == t.Reference }) {
			errs = append(errs, fmt.Errorf("table %s has no case %s to refer to", t.Title, t.Reference))
		}
	}
	for _, o := range n.Overlaps {
		uses("overlap "+o.Title, o.A)
		uses("overlap "+o.Title, o.B)
	}
	return errors.Join(errs...)
}

// settingOf names the setting that a figure belongs to.
func (t Table) settingOf(c Figure) string { return cmp.Or(c.Setting, t.Setting) }

// Args is the command line of one build, without the flags that say where servers
// and libraries are.
func (s Setting) Args() []string {
	args := []string{"run", s.Scenario}
	for _, name := range slices.Sorted(maps.Keys(s.Flags)) {
		args = append(args, "--"+name+"="+s.Flags[name])
	}
	return args
}

// Path is the result file of a build, from 1, in a folder.
func (s Setting) Path(dir string, build int) string {
	name := s.Name
	if s.Builds > 1 {
		name = fmt.Sprintf("%s-build-%d", name, build)
	}
	return filepath.Join(dir, name+".json")
}

// Results are the files of each setting, by name, in the order of builds. A file
// that is not there is nil.
type Results map[string][]*result.File

// first is a setting's first file.
func (r Results) first(setting string) *result.File {
	if len(r[setting]) == 0 {
		return nil
	}
	return r[setting][0]
}

// find is a measured or failed row of a file; nil where there is none.
func find(f *result.File, engine, name string) *result.Row {
	if f == nil {
		return nil
	}
	for i := range f.Rows {
		if f.Rows[i].Engine == engine && f.Rows[i].Case == name {
			return &f.Rows[i]
		}
	}
	return nil
}
