package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
)

// Params are the choices of a run that hold for every engine.
type Params struct {
	AnnK   int // nearest rows that become seeds, at least 1
	TopK   int // rows of a ranked answer, at least 1
	Passes int // over all queries, at least 1
	WarmUp int // untimed calls per case
	// Budget is how long the timed calls of one case may take, in seconds; 0:
	// no limit. Slower cases get fewer samples, but every query once.
	Budget float64
	// FreshSessions is how many new sessions are asked their first query; 0: none.
	FreshSessions int
	// Cases keeps only cases with a matching name; nil keeps all.
	Cases *regexp.Regexp
}

// Validate reports every parameter that is out of range.
func (p Params) Validate() error {
	var errs []error
	for _, c := range []struct {
		name  string
		value int
	}{{"ann_k", p.AnnK}, {"top_k", p.TopK}, {"runs", p.Passes}} {
		if c.value < 1 {
			errs = append(errs, fmt.Errorf("%s is %d, must be at least 1", c.name, c.value))
		}
	}
	if p.Budget < 0 {
		errs = append(errs, fmt.Errorf("budget per case is %g s, must not be negative", p.Budget))
	}
	if p.FreshSessions < 0 {
		errs = append(errs, fmt.Errorf("fresh sessions are %d, must not be negative", p.FreshSessions))
	}
	if p.WarmUp < 0 {
		errs = append(errs, fmt.Errorf("warm-up is %d, must not be negative", p.WarmUp))
	}
	return errors.Join(errs...)
}

// Env is what a run gets from outside.
type Env struct {
	Engines  []engine.Engine // in report order; opened, and closed again, by the session
	Oracle   engine.Engine   // exact; loaded by the session
	Source   corpus.Source
	Params   Params
	Clock    func(ctx context.Context, queryID int64) (measure.ServerClock, error) // nil: client clock only
	Progress Progress
}

// Progress shows a person what goes on. Steps follow one another.
type Progress interface {
	// Step starts a piece of work of total units; 0 when that is not known.
	Step(name string, total int)
	// Done says how many units of the current step are done.
	Done(units int)
	// Note is a line that stays.
	Note(format string, args ...any)
}

// EquivalenceError says that two ways to answer one question disagree. Nothing
// was timed.
type EquivalenceError struct {
	Faults []string // the first of each pair of cases
}

func (e *EquivalenceError) Error() string {
	return fmt.Sprintf("%d cases do not return what their baseline returns; first: %s", len(e.Faults), e.Faults[0])
}

// ErrNoEngine says that no engine could run.
var ErrNoEngine = errors.New("no engine can run here")

// loaded is an engine that takes part.
type loaded struct {
	engine.Engine
	build result.Build
}

// trial is one case on its way to a row.
type trial struct {
	owner   *loaded
	name    string
	task    engine.Task
	call    engine.Call
	answers [][]engine.Row // per query; nil for counting cases
	quality *result.Quality
	prints  []string
	keys    []string // of ranked answers, as in the result file
	plan    engine.Plan
}

// run is the state of one measurement.
type run struct {
	Env
	scenario  Scenario
	info      corpus.Facts
	engines   []*loaded
	trials    []*trial
	questions map[engine.SeedBy][]engine.Question
	baselines map[string][][]engine.Row // answers of baselines by engine and task
	texts     map[string]string         // payloads of answers
	rows      []result.Row
	warnings  []string
}

func (r *run) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// prepare makes the trials, interleaved by task, so that engines that answer
// the same task take turns.
func (r *run) prepare(ctx context.Context) error {
	for _, t := range r.scenario.Tasks(r.Params.AnnK, r.Params.TopK) {
		for _, e := range r.engines {
			name := r.scenario.CaseName(e.Name(), t)
			if e.Capabilities().Refuses(t) != "" || (r.Params.Cases != nil && !r.Params.Cases.MatchString(name)) {
				continue
			}
			sql, ok := e.Engine.(engine.SQL)
			if !ok {
				return fmt.Errorf("engine %s: only engines with statements can be timed", e.Name())
			}
			call, err := sql.Prepare(ctx, t)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				r.caseFailed(e, name, err)
				continue
			}
			r.trials = append(r.trials, &trial{owner: e, name: name, task: t, call: call})
		}
	}
	if len(r.trials) == 0 {
		return errors.New("no case to run")
	}
	return nil
}

// HasCase says whether any of the engines has a case that matches, so that a
// typing error shows before anything is loaded.
func (s Scenario) HasCase(engines []engine.Engine, p Params) bool {
	for _, t := range s.Tasks(p.AnnK, p.TopK) {
		for _, e := range engines {
			if e.Capabilities().Refuses(t) == "" && (p.Cases == nil || p.Cases.MatchString(s.CaseName(e.Name(), t))) {
				return true
			}
		}
	}
	return false
}

func (r *run) caseFailed(e *loaded, name string, err error) {
	r.Progress.Note("case %s of %s: %v", name, e.Name(), err)
	r.rows = append(r.rows, r.emptyRow(e, name, err))
}

// emptyRow stands for what could not be measured.
func (r *run) emptyRow(e engine.Engine, name string, err error) result.Row {
	return emptyRow(r.scenario, r.info, e, name, err)
}

// taskParams is a task as row parameters.
func taskParams(t engine.Task, e *loaded) map[string]any {
	seeds := string(t.Seeding)
	if t.Seeding == engine.SeedSearch && !e.Capabilities().ApproximateSeeds {
		seeds = "search, exact scan"
	}
	p := map[string]any{"seeding": string(t.Seeding), "seeds": seeds, "seed_by": string(t.SeedBy), "hops": t.Hops,
		"score": string(t.Score), "form": string(t.Form), "output": string(t.Output), "ann_k": t.AnnK, "top_k": t.TopK}
	if t.Given > 0 {
		p["given"] = t.Given
	}
	if sql, ok := e.Engine.(engine.SQL); ok {
		settings := map[string]string{}
		maps.Copy(settings, sql.Settings())
		p["session"] = settings
	}
	return p
}
