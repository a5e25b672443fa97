package scenario

import (
	"context"
	"slices"

	"sortedheap/internal/ccore"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
)

// profilePasses are made over the questions to tell where time goes.
const profilePasses = 3

// profile tells where the server's time goes in cases that rank by a graph
// function. All trials take turns once more, as in the timed passes, so that the
// stages are of calls that find the caches as these did; in passes of their own,
// since reading the server's statistics must not come between timed calls.
func (r *run) profile(ctx context.Context) error {
	var floor ccore.Products
	turns := make([]measure.Trial, len(r.trials))
	profiled := false
	for i, t := range r.trials {
		turns[i] = r.takesTurns(t)
		if call, ok := t.call.(engine.Profiled); ok && ranksByFunction(t.task) {
			turns[i].Parts = stages(call, &floor)
			profiled = true
		}
	}
	if !profiled {
		return nil
	}
	var err error
	if floor, err = ccore.MeasureProducts(r.info.Dim); err != nil {
		return err
	}
	plan := r.turns(profilePasses)
	r.Progress.Step("profile "+r.scenario.Name, plan.Inputs*plan.Passes)
	samples, err := measure.Interleave(ctx, turns, plan, func(done, _ int) { r.Progress.Done(done) })
	if err != nil {
		return err
	}
	for i, t := range r.trials {
		if row := r.rowOf(t); row != nil && turns[i].Parts != nil {
			addParts(row, samples[i])
		}
	}
	return nil
}

func ranksByFunction(t engine.Task) bool {
	return t.Form == engine.FormOneCall || t.Form == engine.FormFused
}

// stages reads what the server tells of the last call, and what the comparisons of
// vectors in it would take by the kernels alone.
func stages(p engine.Profiled, floor *ccore.Products) func(context.Context) ([]measure.Part, error) {
	return func(ctx context.Context) ([]measure.Part, error) {
		profile, ok, err := p.Profile(ctx)
		if err != nil || !ok {
			return nil, err
		}
		ns := float64(profile.Codes)*floor.Int8 + float64(profile.Sketches)*floor.Int4 + float64(profile.Vectors)*floor.Float32
		return append(partsOf(profile.Stages), measure.Part{Name: "floor", MS: ns / 1e6}), nil
	}
}

// rowOf is the row of a trial that was measured.
func (r *run) rowOf(t *trial) *result.Row {
	i := slices.IndexFunc(r.rows, func(row result.Row) bool {
		return row.Error == "" && row.Case == t.name && row.Engine == t.owner.Name()
	})
	if i < 0 {
		return nil
	}
	return &r.rows[i]
}
