// Package openshare measures lookups on tables whose zone map is more or less
// open: of each share of blocks without bounds, keys are looked up by the map
// alone, by the btree alone, and as the extension chooses.
//
// Open blocks come from strays: rows whose key is changed to one that lies far
// from the keys of their block. One more table gets its strays as it happens in
// use: rows deleted, vacuumed, and others inserted into the space.
package openshare

import (
	"context"
	"errors"
	"fmt"

	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
)

// Name is the scenario's name.
const Name = "openshare"

// Short is one line for people.
const Short = "lookups by map, btree and own choice, with 0 to 50 % of the blocks open"

// Params are the choices of a run.
type Params struct {
	Entities      int       // of 16 facts each, in the tables of given shares; at least 100
	Dim           int       // components of each embedding
	Shares        []float64 // open blocks, percent, each in 0..100
	StrayEntities int       // of 16 facts each, in the table with strays; 0: no such table
	Strays        int       // rows replaced there, at most all
	Keys          []int     // entities of one lookup; 0: what a call costs that finds nothing
	Inputs        int       // different lookups, at least 2
	Passes        int       // over all of them, at least 1
	WarmUp        int       // untimed calls per case
	Budget        float64   // seconds of one case; 0: no limit
}

// Default is the targets' shares on 320,000 rows of 32 dimensions, and 1,000
// strays in a million narrow ones.
func Default() Params {
	return Params{Entities: 20_000, Dim: 32, Shares: []float64{0, 0.1, 1, 10, 50}, StrayEntities: 62_500, Strays: 1000,
		Keys: []int{1, 64}, Inputs: 128, Passes: 8, WarmUp: 16, Budget: 1}
}

// Validate reports every parameter that is out of range.
func (p Params) Validate() error {
	var errs []error
	for _, c := range []struct {
		name               string
		value, least, most int
	}{
		{"entities", p.Entities, 100, 10_000_000}, {"dim", p.Dim, 1, 1900}, {"stray-entities", p.StrayEntities, 0, 10_000_000},
		{"strays", p.Strays, 0, 10_000_000}, {"queries", p.Inputs, 2, 100_000}, {"runs", p.Passes, 1, 1_000_000},
		{"warm-up", p.WarmUp, 0, 1_000_000},
	} {
		if c.value < c.least || c.value > c.most {
			errs = append(errs, fmt.Errorf("%s is %d, must be in %d..%d", c.name, c.value, c.least, c.most))
		}
	}
	if p.StrayEntities > 0 && p.Strays > p.StrayEntities*degree {
		errs = append(errs, fmt.Errorf("%d strays are more than the %d rows of their table", p.Strays, p.StrayEntities*degree))
	}
	for _, share := range p.Shares {
		if !(share >= 0 && share <= 100) {
			errs = append(errs, fmt.Errorf("share %g is outside 0..100", share))
		}
	}
	for _, keys := range p.Keys {
		if keys < 0 || keys > p.Entities {
			errs = append(errs, fmt.Errorf("%d keys of one lookup, must be in 0..%d", keys, p.Entities))
		}
	}
	if p.Budget < 0 {
		errs = append(errs, fmt.Errorf("budget per case is %g s, must not be negative", p.Budget))
	}
	if len(p.Keys) == 0 || len(p.Shares) == 0 && p.StrayEntities == 0 {
		errs = append(errs, errors.New("no lookup to measure"))
	}
	return errors.Join(errs...)
}

// Map is the parameters for the result file.
func (p Params) Map() map[string]any {
	return map[string]any{"scenario": Name, "entities": p.Entities, "degree": degree, "dim": p.Dim, "shares": p.Shares,
		"stray_entities": p.StrayEntities, "strays": p.Strays, "keys": p.Keys, "queries": p.Inputs, "runs": p.Passes,
		"warm_up": p.WarmUp, "case_seconds": p.Budget}
}

// Env is what a run gets from outside.
type Env struct {
	DSN      string
	Clock    func(ctx context.Context, queryID int64) (measure.ServerClock, error) // nil: client clock only
	Progress scenario.Progress
}

// accesses are the ways to find the blocks, as the setting names them; the
// reference last.
var accesses = []string{"zone", "auto", reference}

const reference = "btree"

// Run measures all lookups and returns their rows. Before that every lookup
// must find the same rows by every access and in plain SQL.
func Run(ctx context.Context, p Params, env Env) (rows []result.Row, warnings []string, err error) {
	if err := p.Validate(); err != nil {
		return nil, nil, fmt.Errorf("scenario %s: %w", Name, err)
	}
	b := &bench{params: p, env: env}
	defer func() { err = errors.Join(err, b.close(context.WithoutCancel(ctx))) }()
	for _, step := range []func(context.Context) error{b.connect, b.load, b.prepare, b.check, b.measure} {
		if err := step(ctx); err != nil {
			return b.rows, b.warnings, fmt.Errorf("scenario %s: %w", Name, err)
		}
	}
	return b.rows, b.warnings, nil
}
