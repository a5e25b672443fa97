package scenario

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// This file grades answers, untimed.

// tieMargin is how much farther than the true k-th row an answer may be and
// still count as recalled: engines compute distances in single precision.
const tieMargin = 1e-6

// grade fills quality and fingerprints.
func (r *run) grade(ctx context.Context) error {
	r.Progress.Step("grade answers", len(r.trials))
	for i, t := range r.trials {
		if t.answers != nil {
			for _, rows := range t.answers {
				t.prints = append(t.prints, fingerprint(t.task, rows))
				if t.task.Score != engine.ScoreNone {
					t.keys = append(t.keys, ShortKeys(rows))
				}
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

// ShortKeys names the rows of a ranked answer, in order, as result.Row.AnswerRows
// has them.
func ShortKeys(rows []engine.Row) string {
	raw := make([]byte, 0, 3*len(rows))
	for _, row := range rows {
		h := fnv.New32a()
		for _, id := range key(row) {
			_, _ = h.Write(binary.BigEndian.AppendUint32(nil, uint32(id))) // a hash takes every write
		}
		raw = append(raw, h.Sum(nil)[1:]...)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
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

// gradeHits compares with the answer key, where the corpus has one: the fact that
// ends two hops, or, of a bare search, the entity that the question is about.
func (r *run) gradeHits(ctx context.Context, t *trial) error {
	if r.info.Queries[0].Answer == 0 || t.task.Score == engine.ScoreNone {
		return nil
	}
	if len(t.task.Hops) == 0 && r.info.Queries[0].Entity != 0 {
		r.gradeSeeds(t)
	}
	if len(t.task.Hops) != 2 {
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
		fillRanks(t.quality, ranks)
	}
	return nil
}

// gradeSeeds counts questions whose entity is among the rows of a bare search.
func (r *run) gradeSeeds(t *trial) {
	covered := 0
	for q, rows := range t.answers {
		entity := r.info.Queries[q].Entity
		if slices.ContainsFunc(rows, func(row engine.Row) bool { return row.Entity == entity }) {
			covered++
		}
	}
	t.quality.SeedCoverage = fraction(covered, float64(len(t.answers)))
}

// fillRanks summarizes ranks of answers, at least one, by whole ranks: the p-th
// percentile is the smallest rank that p percent do not exceed.
func fillRanks(q *result.Quality, ranks []float64) {
	slices.Sort(ranks)
	percentile := func(p float64) *float64 {
		rank := ranks[int(math.Ceil(p/100*float64(len(ranks))))-1]
		return &rank
	}
	mean := stats.Summarize(ranks).Mean
	q.AnswerRankP50, q.AnswerRankP95, q.AnswerRankMax, q.AnswerRankMean = percentile(50), percentile(95), percentile(100), &mean
}

// rankOf is the position of the first row with the target, from 1; 0 if none.
func rankOf(rows []engine.Row, target int32) int {
	return 1 + slices.IndexFunc(rows, func(r engine.Row) bool { return r.Target == target })
}

func fraction(n int, of float64) *float64 {
	f := float64(n) / of
	return &f
}
