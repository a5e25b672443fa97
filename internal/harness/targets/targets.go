// Package targets holds results against what the project set out to reach. The
// targets are data (fixtures/published): what is compared with what, on which clock,
// the best that was known, and the bound. What was measured is a function of result
// files alone; a target that is missed stands in the table like one that is met.
//
// Vocabulary:
//
//   - selector: which rows of a file count, by scenario, engine, case and parameters.
//   - pair: rows of one file that agree in the parameters of By, such as the same set
//     of questions and ef; a target holds only where its worst pair does.
//   - build: a file, or one of a repeat's builds.
package targets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// List is all targets.
type List struct {
	Source string  `json:"source"` // where targets and best known values come from
	Groups []Group `json:"groups"`
	// Elsewhere are targets that no result file of this harness tells about.
	Elsewhere []string `json:"elsewhere"`
}

// Group is targets under one heading.
type Group struct {
	Title   string   `json:"title"`
	Targets []Target `json:"targets"`
}

// Target is one bound.
type Target struct {
	Work    string `json:"work"`
	Against string `json:"against"`
	Best    string `json:"best_known"`
	// AtMost or AtLeast bounds the value; exactly one is there.
	AtMost  *float64 `json:"at_most"`
	AtLeast *float64 `json:"at_least"`
	Value   Value    `json:"value"`
	How     How      `json:"how"` // empty: ratio where there is Over, else plain
	Of      Selector `json:"of"`
	// Over is what Of is compared with; several are added up.
	Over []Selector `json:"over"`
	By   []string   `json:"by"`
	// EveryBuild takes the worst of all builds in all files; without it the median
	// of the newest file's counts.
	EveryBuild bool   `json:"every_build"`
	Note       string `json:"note"`
}

// Selector picks rows. The best of them counts: the least of a cost, the most of a
// quality.
type Selector struct {
	Scenario string         `json:"scenario"`
	Engine   string         `json:"engine"`
	Case     string         `json:"case"` // a regular expression for the whole name; empty: any
	Params   map[string]any `json:"params"`
	Value    Value          `json:"value"` // empty: the target's
	pattern  *regexp.Regexp
}

// Value names what of a row counts.
type Value string

// How combines the values of a pair.
type How string

// The combinations.
const (
	plain      How = "plain"      // the value itself
	ratio      How = "ratio"      // over the other side
	difference How = "difference" // less the other side
	growth     How = "growth"     // exponent of the number of rows; sides may be of two files
)

// Parse reads targets and checks them.
func Parse(text []byte) (*List, error) {
	l := &List{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(l); err != nil {
		return nil, fmt.Errorf("read targets: %w", err)
	}
	var errs []error
	for _, g := range l.Groups {
		for i := range g.Targets {
			if err := g.Targets[i].prepare(); err != nil {
				errs = append(errs, fmt.Errorf("target %q: %w", g.Targets[i].Work, err))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("read targets: %w", err)
	}
	return l, nil
}

// prepare fills in what the data may leave out, and finds mistakes in it.
func (t *Target) prepare() error {
	var errs []error
	if (t.AtMost == nil) == (t.AtLeast == nil) {
		errs = append(errs, errors.New("it must have one of at_most and at_least"))
	}
	if t.How == "" {
		t.How = plain
		if len(t.Over) > 0 {
			t.How = ratio
		}
	}
	if !slices.Contains([]How{plain, ratio, difference, growth}, t.How) || (t.How == plain) != (len(t.Over) == 0) {
		errs = append(errs, fmt.Errorf("how is %q and it is over %d selectors", t.How, len(t.Over)))
	}
	errs = append(errs, t.Of.compile(t.Value))
	for i := range t.Over {
		errs = append(errs, t.Over[i].compile(t.Value))
	}
	return errors.Join(errs...)
}

func (s *Selector) compile(value Value) error {
	if s.Value == "" {
		s.Value = value
	}
	if values[s.Value] == nil {
		return fmt.Errorf("unknown value %q", s.Value)
	}
	if s.Scenario == "" || s.Engine == "" {
		return errors.New("a selector must name scenario and engine")
	}
	var err error
	if s.pattern, err = regexp.Compile("^(?:" + cmp.Or(s.Case, ".*") + ")$"); err != nil {
		return fmt.Errorf("case: %w", err)
	}
	return nil
}
