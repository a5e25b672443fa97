package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// measure times all trials side by side and writes their rows.
func (r *run) measure(ctx context.Context) error {
	before := make([]string, len(r.trials))
	timed := make([]measure.Trial, len(r.trials))
	for i, t := range r.trials {
		questions := r.questions[t.task.SeedBy]
		timed[i] = measure.Trial{Name: t.owner.Name() + "/" + t.name, Call: func(ctx context.Context, q int) (int, error) {
			return t.call.Run(ctx, questions[q])
		}}
		plan, err := t.call.Plan(ctx, questions[0])
		if err != nil {
			return fmt.Errorf("case %s: %w", t.name, err)
		}
		before[i] = plan.Summary
		if r.Clock != nil {
			if timed[i].Server, err = r.Clock(ctx, plan.QueryID); err != nil {
				return fmt.Errorf("case %s: %w", t.name, err)
			}
		}
	}
	plan := measure.Plan{Inputs: len(r.info.Queries), Passes: r.Params.Passes, WarmUp: r.Params.WarmUp}
	r.Progress.Step("measure "+r.scenario.Name, plan.Inputs*plan.Passes+plan.WarmUp)
	samples, err := measure.Interleave(ctx, timed, plan, func(done, _ int) { r.Progress.Done(done) })
	if err != nil {
		return err
	}
	for i, t := range r.trials {
		after, err := t.call.Plan(ctx, r.questions[t.task.SeedBy][0])
		if err != nil {
			return fmt.Errorf("case %s: %w", t.name, err)
		}
		if t.plan = after.Summary; t.plan != before[i] {
			r.warn("%s of %s changed its plan from %q to %q", t.name, t.owner.Name(), before[i], t.plan)
		}
		r.rows = append(r.rows, r.row(t, samples[i]))
	}
	r.warnSamples(samples)
	r.warnCache()
	return nil
}

// row turns the samples of a trial into a result row.
func (r *run) row(t *trial, s measure.Samples) result.Row {
	row := result.Row{
		Scenario: r.scenario.Name, Corpus: r.info.Name, Engine: t.owner.Name(), EngineVersion: t.owner.Version(),
		Case: t.name, Plan: t.plan, Params: taskParams(t.task, t.owner),
		Queries: len(r.info.Queries), Samples: len(s.ClientMS), Quality: t.quality, Answers: t.prints,
		Build: &t.owner.build, RowsMean: stats.Summarize(s.Rows).Mean,
	}
	row.Params["sql"] = t.call.Text()
	row.ClientMS = latency(s.ClientMS)
	if len(s.ServerMS) > 0 {
		row.ServerMS = latency(s.ServerMS)
		row.PlanningMS = latency(s.PlanMS)
		row.Buffers = &result.Buffers{Hit: stats.Summarize(s.HitPages).Mean, Read: stats.Summarize(s.ReadPages).Mean}
	}
	return row
}

// latency summarizes one clock.
func latency(sample []float64) *result.Latency {
	s := stats.Summarize(sample)
	return &result.Latency{P50: s.P50, P95: s.P95, P99: s.P99, Mean: s.Mean, P50Lo: s.Lo, P50Hi: s.Hi}
}

// warnSamples repeats what the statistics doubt, once per doubt.
func (r *run) warnSamples(samples []measure.Samples) {
	rows := map[stats.Warning]int{}
	for _, s := range samples {
		for _, w := range stats.Summarize(s.ClientMS).Warnings {
			rows[w]++
		}
	}
	for _, w := range slices.Sorted(maps.Keys(rows)) {
		r.warn("%d of %d rows: %s", rows[w], len(samples), w)
	}
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
