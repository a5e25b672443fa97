package scenario

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/result"
)

// This file asks every case every query once, checks that forms of one
// question agree, and grades the answers. All of it is untimed.

// tieMargin is how much farther than the true k-th row an answer may be and
// still count as recalled: engines compute distances in single precision.
const tieMargin = 1e-6

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
			question := engine.Question{Embedding: q.Embedding, Seeds: q.Seeds}
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
		byEntity := engine.Question{Embedding: q.Embedding}
		byTarget := engine.Question{Embedding: q.Embedding}
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
	}
	r.baselines[key] = answers
	return answers, nil
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

// grade fills quality and fingerprints.
func (r *run) grade(ctx context.Context) error {
	r.Progress.Step("grade answers", len(r.trials))
	for i, t := range r.trials {
		if t.answers != nil {
			for _, rows := range t.answers {
				t.prints = append(t.prints, fingerprint(t.task, rows))
			}
			t.quality = &result.Quality{}
			if err := r.gradeRecall(ctx, t); err != nil {
				return fmt.Errorf("grade case %s: %w", t.name, err)
			}
			if err := r.gradeHits(ctx, t); err != nil {
				return fmt.Errorf("grade case %s: %w", t.name, err)
			}
		}
		r.Progress.Done(i + 1)
	}
	return nil
}

// fingerprint is a hash of the answer's keys in order.
func fingerprint(t engine.Task, rows []engine.Row) string {
	if t.Score == engine.ScoreNone {
		rows = byKey(rows)
	}
	h := fnv.New32a()
	for _, row := range rows {
		for _, id := range key(row) {
			_, _ = h.Write(binary.BigEndian.AppendUint32(nil, uint32(id))) // a hash takes every write
		}
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// gradeRecall counts rows that are at least as near as the true k-th row, by
// the oracle's distances. Exact engines that miss any are worth a warning.
func (r *run) gradeRecall(ctx context.Context, t *trial) error {
	wide := t.task
	wide.Form, wide.TopK, wide.AnnK = engine.FormIn, t.task.TopK+100, t.task.AnnK
	if len(t.task.Hops) == 0 {
		wide.AnnK += 100
	}
	truth, err := r.askAll(ctx, r.Oracle, wide)
	if err != nil {
		return err
	}
	sum, n, short := 0.0, 0, 0
	for q, rows := range t.answers {
		k := min(t.task.TopK, len(truth[q]))
		switch {
		case len(t.task.Hops) == 0:
			k = min(t.task.AnnK, len(truth[q]))
		case t.task.Score == engine.ScoreNone:
			k = len(truth[q])
		}
		if k == 0 {
			continue
		}
		fair := map[[3]int32]bool{}
		for _, row := range truth[q] {
			if row.Distance <= truth[q][k-1].Distance+tieMargin {
				fair[key(row)] = true
			}
		}
		found := 0
		for _, row := range rows {
			if fair[key(row)] {
				found++
				delete(fair, key(row)) // a row returned twice counts once
			}
		}
		if found < k {
			short++
		}
		sum += float64(min(found, k)) / float64(k)
		n++
	}
	if n == 0 {
		return nil
	}
	recall := sum / float64(n)
	t.quality.RecallAtK = &recall
	if short > 0 && (!t.owner.Capabilities().ApproximateSeeds || t.task.Seeding != engine.SeedSearch) {
		r.warn("%s of %s misses rows of the exact answer in %d of %d queries", t.name, t.owner.Name(), short, n)
	}
	return nil
}

func key(r engine.Row) [3]int32 { return [3]int32{r.Entity, int32(r.Relation), r.Target} }

// gradeHits compares with the answer key, where the corpus has one.
func (r *run) gradeHits(ctx context.Context, t *trial) error {
	if r.info.Queries[0].Answer == 0 || t.task.Score == engine.ScoreNone || len(t.task.Hops) != 2 {
		return nil
	}
	var first, among int
	var ranks []float64
	for q, rows := range t.answers {
		answer := r.info.Queries[q].Answer
		rank := rankOf(rows, answer)
		if rank == 1 {
			first++
		}
		if rank > 0 {
			among++
		} else {
			everything := t.task
			everything.TopK = 1_000_000
			all, err := t.owner.Ask(ctx, everything, r.questions[t.task.SeedBy][q])
			if err != nil {
				return fmt.Errorf("query %d: %w", q, err)
			}
			rank = rankOf(all, answer)
		}
		if rank > 0 {
			ranks = append(ranks, float64(rank))
		}
	}
	n := float64(len(t.answers))
	t.quality.HitAt1, t.quality.HitAtK = fraction(first, n), fraction(among, n)
	t.quality.SeedCoverage = fraction(len(ranks), n)
	if len(ranks) > 0 {
		slices.Sort(ranks)
		median := ranks[(len(ranks)-1)/2]
		t.quality.AnswerRankP50 = &median
	}
	return nil
}

// rankOf is the position of the first row with the target, from 1; 0 if none.
func rankOf(rows []engine.Row, target int32) int {
	return 1 + slices.IndexFunc(rows, func(r engine.Row) bool { return r.Target == target })
}

func fraction(n int, of float64) *float64 {
	f := float64(n) / of
	return &f
}
