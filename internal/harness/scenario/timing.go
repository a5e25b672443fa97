package scenario

import (
	"context"
	"fmt"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
)

// measure times all trials side by side and writes their rows.
func (r *run) measure(ctx context.Context) error {
	timed := make([]measure.Trial, len(r.trials))
	for i, t := range r.trials {
		timed[i] = r.takesTurns(t)
		timed[i].Parts = parts(t.call)
	}
	r.Progress.Step("warm up", r.Params.WarmUp)
	tick := func(done, _ int) { r.Progress.Done(done) }
	if err := measure.WarmUp(ctx, timed, len(r.info.Queries), r.Params.WarmUp, tick); err != nil {
		return err
	}
	if err := r.attachClocks(ctx, timed); err != nil {
		return err
	}
	plan := r.turns(r.Params.Passes)
	r.Progress.Step("measure "+r.scenario.Name, plan.Inputs*plan.Passes)
	samples, err := measure.Interleave(ctx, timed, plan, tick)
	if err != nil {
		return err
	}
	for i, t := range r.trials {
		before := t.plan
		if err := r.explain(ctx, t); err != nil {
			return err
		}
		if t.plan.Summary != before.Summary {
			r.warn("%s of %s changed its plan while timed, from %q to %q", t.name, t.owner.Name(), before.Summary, t.plan.Summary)
		}
		r.rows = append(r.rows, r.row(t, samples[i]))
	}
	r.warnings = append(r.warnings, Doubts(samples)...)
	r.warnCache()
	return nil
}

// takesTurns is a trial that can be timed beside the others.
func (r *run) takesTurns(t *trial) measure.Trial {
	questions := r.questions[t.task.SeedBy]
	return measure.Trial{Name: t.owner.Name() + "/" + t.name, Call: func(ctx context.Context, q int) (int, error) {
		return t.call.Run(ctx, questions[q])
	}}
}

// turns are so many passes over the questions, as far as the budget allows.
func (r *run) turns(passes int) measure.Plan {
	return measure.Plan{Inputs: len(r.info.Queries), Passes: passes, Budget: 1000 * r.Params.Budget}
}

// attachClocks reads every plan, which leads to the statement's counters on
// the server. It comes after the warm-up: by then the server has settled for
// a generic or a custom plan.
func (r *run) attachClocks(ctx context.Context, timed []measure.Trial) error {
	for i, t := range r.trials {
		if err := r.explain(ctx, t); err != nil {
			return err
		}
		if r.Clock == nil || t.plan.Outside {
			continue // the server's clock would tell of a part only
		}
		clock, err := r.Clock(ctx, t.plan.QueryID)
		if err != nil {
			return fmt.Errorf("case %s: %w", t.name, err)
		}
		timed[i].Server = clock
	}
	return nil
}

// parts reads the clocks of a call's parts, where it has any.
func parts(c engine.Call) func(context.Context) ([]measure.Part, error) {
	staged, ok := c.(engine.Staged)
	if !ok {
		return nil
	}
	return func(context.Context) ([]measure.Part, error) {
		return partsOf(staged.Stages()), nil
	}
}

func partsOf(stages []engine.Stage) []measure.Part {
	out := make([]measure.Part, 0, len(stages)+1)
	for _, s := range stages {
		out = append(out, measure.Part{Name: s.Name, MS: s.MS})
	}
	return out
}

func (r *run) explain(ctx context.Context, t *trial) error {
	plan, err := t.call.Plan(ctx, r.questions[t.task.SeedBy][0])
	if err != nil {
		return fmt.Errorf("case %s: %w", t.name, err)
	}
	t.plan = plan
	return nil
}

// row turns the samples of a trial into a result row.
func (r *run) row(t *trial, s measure.Samples) result.Row {
	row := result.Row{
		Scenario: r.scenario.Name, Corpus: r.info.Name, Engine: t.owner.Name(), EngineVersion: t.owner.Version(),
		Case: t.name, Plan: t.plan.Summary, Params: taskParams(t.task, t.owner),
		Queries: len(r.info.Queries), Quality: t.quality, Answers: t.prints, AnswerRows: t.keys, Build: &t.owner.build,
	}
	row.Params["sql"] = t.call.Text()
	AddSamples(&row, s)
	return row
}

// warnCache says so when the engines do not fit into shared buffers together
// and push each other out while they take turns.
func (r *run) warnCache() {
	readers := 0
	for _, row := range r.rows {
		if row.Buffers != nil && row.Buffers.Read >= 1 {
			readers++
		}
	}
	if readers > 0 {
		r.warn("%d cases read pages from the operating system while timed: tables and indexes of all engines exceed shared_buffers", readers)
	}
}
