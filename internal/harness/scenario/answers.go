package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
)

// This file asks every case every query once and checks that forms of one
// question agree. All of it is untimed.

// ask collects the answers of all trials and of the baselines of helpers.
func (r *run) ask(ctx context.Context) error {
	if err := r.makeQuestions(ctx); err != nil {
		return err
	}
	r.Progress.Step("ask every case once", len(r.trials))
	var sound []*trial
	for i, t := range r.trials {
		// A counting case is asked for its rows: they show the same faults.
		rows := t.task
		rows.Output = engine.OutputRows
		answers, err := r.askAll(ctx, t.owner.Engine, rows)
		var fault *engine.FaultError
		switch {
		case errors.As(err, &fault):
			r.caseFailed(t.owner, t.name, err)
		case err != nil:
			return fmt.Errorf("case %s: %w", t.name, err)
		default:
			sound = append(sound, t)
		}
		if t.task.Output == engine.OutputRows {
			t.answers = answers
		}
		r.Progress.Done(i + 1)
	}
	if len(sound) == 0 {
		return errors.New("no case answers every query")
	}
	r.trials = sound
	return nil
}

// makeQuestions binds every query to the seeds that tasks with given seeds
// get: the corpus's own or those of the exact search, in the order of nearness.
func (r *run) makeQuestions(ctx context.Context) error {
	if r.info.Queries[0].Seeds != nil {
		for _, q := range r.info.Queries {
			question := engine.Question{Embedding: q.Embedding, Seeds: q.Seeds, Relations: relations(q)}
			r.questions[engine.SeedByEntity] = append(r.questions[engine.SeedByEntity], question)
			r.questions[engine.SeedByTarget] = append(r.questions[engine.SeedByTarget], question)
		}
		return nil
	}
	nearest := engine.Task{Seeding: engine.SeedExact, SeedBy: engine.SeedByEntity, Score: engine.ScoreEndpoint,
		Form: engine.FormIn, Output: engine.OutputRows, AnnK: r.Params.AnnK, TopK: r.Params.TopK}
	r.Progress.Step("find true seeds", len(r.info.Queries))
	for i, q := range r.info.Queries {
		rows, err := r.Oracle.Ask(ctx, nearest, engine.Question{Embedding: q.Embedding})
		if err != nil {
			return err
		}
		byEntity := engine.Question{Embedding: q.Embedding, Relations: relations(q)}
		byTarget := byEntity
		for _, row := range rows {
			byEntity.Seeds = appendNew(byEntity.Seeds, row.Entity)
			byTarget.Seeds = appendNew(byTarget.Seeds, row.Target)
		}
		r.questions[engine.SeedByEntity] = append(r.questions[engine.SeedByEntity], byEntity)
		r.questions[engine.SeedByTarget] = append(r.questions[engine.SeedByTarget], byTarget)
		r.Progress.Done(i + 1)
	}
	return nil
}

// relations are the filters that a query names, hop by hop.
func relations(q corpus.Query) []int16 { return []int16{q.Hop1, q.Hop2} }

func appendNew(ids []int32, id int32) []int32 {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// askAll asks one engine all queries; equal tasks are asked once.
func (r *run) askAll(ctx context.Context, e engine.Engine, t engine.Task) ([][]engine.Row, error) {
	key := fmt.Sprint(e.Name(), t)
	if known := r.baselines[key]; known != nil {
		return known, nil
	}
	answers := make([][]engine.Row, len(r.info.Queries))
	for i := range answers {
		var err error
		if answers[i], err = e.Ask(ctx, t, r.questions[t.SeedBy][i]); err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
		r.share(answers[i])
	}
	r.baselines[key] = answers
	return answers, nil
}

// share lets equal texts of all answers be one in memory: many answers hold the
// same rows.
func (r *run) share(rows []engine.Row) {
	for i := range rows {
		text, known := r.texts[rows[i].Payload]
		if !known {
			text = rows[i].Payload
			r.texts[text] = text
		}
		rows[i].Payload = text
	}
}

// checkAgreement compares every form with the plain SQL of the same engine,
// and exact engines with each other. Forms of an approximate engine may be
// planned differently, so their differences are warnings; all else is an
// error.
func (r *run) checkAgreement(ctx context.Context) error {
	var faults []string
	firstExact := map[string]*trial{}
	for _, t := range r.trials {
		if t.answers == nil {
			continue
		}
		baseline, err := r.askAll(ctx, t.owner.Engine, t.task.Baseline())
		if err != nil {
			return fmt.Errorf("baseline of case %s: %w", t.name, err)
		}
		if fault := firstDifference(t.task, t.answers, baseline); fault != "" {
			fault = fmt.Sprintf("%s of %s against its SQL: %s", t.name, t.owner.Name(), fault)
			if t.owner.Capabilities().ApproximateSeeds && t.task.Seeding == engine.SeedSearch {
				r.warn("%s (approximate seeds)", fault)
			} else {
				faults = append(faults, fault)
			}
		}
		if t.task.Form != engine.FormIn || t.owner.Capabilities().ApproximateSeeds && !sameRows(t.task) {
			continue
		}
		key := fmt.Sprint(t.task)
		if firstExact[key] == nil {
			firstExact[key] = t
			continue
		}
		if fault := firstDifference(t.task, t.answers, firstExact[key].answers); fault != "" {
			faults = append(faults, fmt.Sprintf("%s of %s against %s: %s", t.name, t.owner.Name(), firstExact[key].owner.Name(), fault))
		}
	}
	if len(faults) > 0 {
		return &EquivalenceError{Faults: faults}
	}
	return nil
}

// sameRows says whether a task has one right answer also for an engine with a
// vector type of its own: ranked rows may be ordered by another rounding, which
// the recall shows.
func sameRows(t engine.Task) bool {
	return t.Seeding == engine.SeedGiven && t.Score == engine.ScoreNone
}

// firstDifference compares answers query by query, distances to six decimals;
// "" when they agree. Unranked answers are compared as multisets.
func firstDifference(t engine.Task, got, want [][]engine.Row) string {
	for q := range want {
		g, w := got[q], want[q]
		if t.Score == engine.ScoreNone {
			g, w = byKey(g), byKey(w)
		}
		for i := range min(len(g), len(w)) {
			if !sameRow(g[i], w[i]) {
				return fmt.Sprintf("query %d, row %d is %s, want %s", q, i+1, describe(g[i]), describe(w[i]))
			}
		}
		if len(g) != len(w) {
			return fmt.Sprintf("query %d has %d rows, want %d", q, len(g), len(w))
		}
	}
	return ""
}

func byKey(rows []engine.Row) []engine.Row {
	return slices.SortedFunc(slices.Values(rows), func(a, b engine.Row) int {
		return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Target, b.Target))
	})
}

func sameRow(a, b engine.Row) bool {
	return a.Entity == b.Entity && a.Relation == b.Relation && a.Target == b.Target && a.Payload == b.Payload &&
		math.Round(a.Distance*1e6) == math.Round(b.Distance*1e6)
}

func describe(r engine.Row) string {
	return fmt.Sprintf("(%d, %d, %d, %.6f)", r.Entity, r.Relation, r.Target, r.Distance)
}
