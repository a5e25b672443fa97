package code

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/stats"
)

// trial is one case on one engine on its way to a row.
type trial struct {
	owner     *loaded
	use       Case
	asker     Asker
	answers   []Answer // per question
	last      Answer
	firstPass *result.Latency // of the first answer to each question
	quality   *result.Quality
	marks     []Mark
	plan      string
}

func (t *trial) name() string { return t.owner.Name() + "/" + t.use.Name }

// run is the state of one measurement.
type run struct {
	*Session
	p        Params
	trials   []*trial
	rows     []result.Row
	warnings []string
}

func (r *run) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// Measure checks, grades and times every case. On a scenario.EquivalenceError the
// rows so far come along.
func (s *Session) Measure(ctx context.Context, p Params) ([]result.Row, []string, error) {
	r := &run{Session: s, p: p, rows: append([]result.Row{}, s.missing...)}
	if err := p.Validate(); err != nil {
		return r.rows, nil, fmt.Errorf("scenario %s: %w", Name, err)
	}
	for _, step := range []func(context.Context) error{r.prepare, r.ask, r.agree, r.grade, r.measure} {
		if err := step(ctx); err != nil {
			return r.rows, r.warnings, fmt.Errorf("scenario %s: %w", Name, err)
		}
	}
	return r.rows, r.warnings, nil
}

// prepare makes the trials, case by case, so that engines take turns.
func (r *run) prepare(ctx context.Context) error {
	for _, c := range r.env.Cases {
		if r.p.Filter != nil && !r.p.Filter.MatchString(c.Name) {
			continue
		}
		for _, e := range r.engines {
			if !c.runsOn(e.Name()) {
				continue
			}
			asker, err := c.Open(ctx, e.store, r.p.Bounds)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				r.env.Progress.Note("case %s of %s: %v", c.Name, e.Name(), err)
				r.rows = append(r.rows, r.emptyRow(e, c.Name, err))
				continue
			}
			r.trials = append(r.trials, &trial{owner: e, use: c, asker: asker})
		}
	}
	if len(r.trials) == 0 {
		return errors.New("no case to run")
	}
	return nil
}

// ask asks every case every question once, and keeps what the first answers took:
// those of cases that remember are never as slow again.
func (r *run) ask(ctx context.Context) error {
	r.env.Progress.Step("ask every case once", len(r.trials))
	for i, t := range r.trials {
		var took []float64
		for k := range r.env.Corpus.Asked {
			watch := measure.Start()
			answer, err := t.asker.Ask(ctx, &r.env.Corpus.Asked[k])
			if err != nil {
				return fmt.Errorf("case %s, question %d: %w", t.name(), k+1, err)
			}
			took = append(took, 1000*watch.Seconds())
			t.answers = append(t.answers, answer)
		}
		t.firstPass = result.NewLatency(stats.Summarize(took))
		r.env.Progress.Done(i + 1)
	}
	return nil
}

// agree compares cases with those that they must equal, and engines with each other
// where no search by an index takes part.
func (r *run) agree(context.Context) error {
	var faults []string
	for _, t := range r.trials {
		for _, other := range r.trials {
			equal := t.use.Equals == other.use.Name && t.owner == other.owner
			exact := t.use.Exact && other.use.Name == t.use.Name && other.owner == r.firstOf(t.owner.store.Vector) && other.owner != t.owner
			if !equal && !exact {
				continue
			}
			if fault := difference(t.answers, other.answers); fault != "" {
				faults = append(faults, fmt.Sprintf("%s against %s: %s", t.name(), other.name(), fault))
			}
		}
	}
	if len(faults) > 0 {
		return &scenario.EquivalenceError{Faults: faults}
	}
	return nil
}

// firstOf is the first engine with a type of vectors: types may round differently.
func (r *run) firstOf(vector string) *loaded {
	for _, e := range r.engines {
		if e.store.Vector == vector {
			return e
		}
	}
	return nil
}

// measure times all trials side by side and writes their rows.
func (r *run) measure(ctx context.Context) error {
	questions := r.env.Corpus.Asked
	timed := make([]measure.Trial, len(r.trials))
	for i, t := range r.trials {
		timed[i] = measure.Trial{Name: t.name(), Parts: t.parts, Call: func(ctx context.Context, q int) (int, error) {
			var err error
			t.last, err = t.asker.Ask(ctx, &questions[q])
			return len(t.last.Rows), err
		}}
		if t.answers[0].Stages == nil {
			timed[i].Parts = nil
		}
	}
	tick := func(done, _ int) { r.env.Progress.Done(done) }
	r.env.Progress.Step("warm up", r.p.WarmUp)
	if err := measure.WarmUp(ctx, timed, len(questions), r.p.WarmUp, tick); err != nil {
		return err
	}
	for i, t := range r.trials {
		if err := r.explain(ctx, t, &timed[i]); err != nil {
			return fmt.Errorf("case %s: %w", t.name(), err)
		}
	}
	plan := measure.Plan{Inputs: len(questions), Passes: r.p.Passes, Budget: 1000 * r.p.Limit}
	r.env.Progress.Step("measure "+Name, plan.Inputs*plan.Passes)
	samples, err := measure.Interleave(ctx, timed, plan, tick)
	if err != nil {
		return err
	}
	for i, t := range r.trials {
		before := t.plan
		if err := r.explain(ctx, t, nil); err != nil {
			return fmt.Errorf("case %s: %w", t.name(), err)
		}
		if t.plan != before {
			r.warn("%s changed its plan while timed, from %q to %q", t.name(), before, t.plan)
		}
		r.rows = append(r.rows, r.row(t, samples[i]))
	}
	r.warnings = append(r.warnings, scenario.Doubts(samples)...)
	return nil
}

func (t *trial) parts(context.Context) ([]measure.Part, error) {
	var out []measure.Part
	for _, s := range t.last.Stages {
		out = append(out, measure.Part{Name: s.Name, MS: s.MS})
	}
	return out, nil
}

// explain reads the plans, and gives a trial the server clocks of its statements.
func (r *run) explain(ctx context.Context, t *trial, timed *measure.Trial) error {
	plans, err := t.asker.Plans(ctx, &r.env.Corpus.Asked[0])
	if err != nil {
		return err
	}
	var texts []string
	var clocks serverClocks
	for _, p := range plans {
		texts = append(texts, p.Summary)
		if timed == nil || r.env.Clock == nil {
			continue
		}
		clock, err := r.env.Clock(ctx, p.QueryID)
		if err != nil {
			return err
		}
		clocks = append(clocks, clock)
	}
	t.plan = strings.Join(texts, "; ")
	if len(clocks) > 0 {
		timed.Server = clocks
	}
	return nil
}

// serverClocks add up the statements of one answer.
type serverClocks []measure.ServerClock

// Last implements measure.ServerClock.
func (c serverClocks) Last(ctx context.Context) (measure.Cost, error) {
	var sum measure.Cost
	for _, clock := range c {
		cost, err := clock.Last(ctx)
		if err != nil {
			return sum, err
		}
		sum.ExecMS += cost.ExecMS
		sum.PlanMS += cost.PlanMS
		sum.HitPages += cost.HitPages
		sum.ReadPages += cost.ReadPages
	}
	return sum, nil
}

// row turns the samples of a trial into a result row.
func (r *run) row(t *trial, s measure.Samples) result.Row {
	row := result.Row{
		Scenario: Name, Corpus: r.env.Corpus.Name, Engine: t.owner.Name(), EngineVersion: t.owner.Version(), Case: t.use.Name,
		Plan: t.plan, Params: t.params(r.p), Queries: len(t.answers), Quality: t.quality, Build: &t.owner.build,
	}
	for _, a := range t.answers {
		row.Answers = append(row.Answers, fingerprint(a.Rows))
		row.AnswerRows = append(row.AnswerRows, scenario.ShortKeys(a.Rows))
	}
	scenario.AddSamples(&row, s)
	return row
}

var _ measure.ServerClock = serverClocks(nil)

var _ engine.Engine = (*loaded)(nil)
