package scenario

import (
	"context"
	"fmt"

	"sortedheap/internal/ccore"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// profilePasses are made over the questions to tell where time goes.
const profilePasses = 5

// profile tells where the server's time goes in cases that rank by a graph
// function, in calls of their own after the timed ones: reading the server's
// statistics must not come between these.
func (r *run) profile(ctx context.Context) error {
	var floor *ccore.Products
	for i := range r.rows {
		row := &r.rows[i]
		t := r.trialOf(row)
		if t == nil {
			continue
		}
		profiled, ok := t.call.(engine.Profiled)
		if !ok || (t.task.Form != engine.FormOneCall && t.task.Form != engine.FormFused) {
			continue
		}
		if floor == nil {
			measured, err := ccore.MeasureProducts(r.info.Dim)
			if err != nil {
				return err
			}
			floor = &measured
		}
		if err := r.profileCase(ctx, t, profiled, row, floor); err != nil {
			return fmt.Errorf("case %s: %w", t.name, err)
		}
	}
	return nil
}

// trialOf is the trial behind a row that was measured.
func (r *run) trialOf(row *result.Row) *trial {
	for _, t := range r.trials {
		if row.Error == "" && t.name == row.Case && t.owner.Name() == row.Engine {
			return t
		}
	}
	return nil
}

func (r *run) profileCase(ctx context.Context, t *trial, p engine.Profiled, row *result.Row, floor *ccore.Products) error {
	stages := map[string][]float64{}
	var floors []float64
	for range profilePasses {
		for _, q := range r.questions[t.task.SeedBy] {
			if _, err := t.call.Run(ctx, q); err != nil {
				return err
			}
			profile, ok, err := p.Profile(ctx)
			if err != nil || !ok {
				return err
			}
			for _, s := range profile.Stages {
				stages[s.Name] = append(stages[s.Name], s.MS)
			}
			floors = append(floors, (float64(profile.Codes)*floor.Int8+float64(profile.Vectors)*floor.Float32)/1e6)
		}
	}
	row.PartsMS = map[string]*result.Latency{"floor": result.NewLatency(stats.Summarize(floors))}
	for name, ms := range stages {
		row.PartsMS[name] = result.NewLatency(stats.Summarize(ms))
	}
	return nil
}
