package ann

import (
	"context"
	"fmt"

	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
)

// churnPercent of the rows are deleted and inserted again.
const churnPercent = 30

// churnCost is what happened to one engine's index.
type churnCost struct {
	fresh                          result.Build // sizes before
	deleting, vacuuming, inserting float64      // seconds
	recall                         []float64    // before, by ef
}

// churn deletes rows, vacuums, inserts the same rows again, and measures the
// curve once more: truth is what it was, so the recall of the fresh index is what
// the worn one is held to.
func (b *bench) churn(ctx context.Context) error {
	set, t := b.vectors.Queries[0], b.truths[0]
	for _, s := range b.live() {
		if !s.filtered && !s.bare {
			continue
		}
		if err := b.buildIndex(ctx, s, false); err != nil {
			return fmt.Errorf("engine %s: %w", s.name, err)
		}
	}
	// Fresh indexes are graded anew: one may have been built again.
	if err := b.gradeAll(ctx, "fresh", set, t); err != nil {
		return err
	}
	costs := map[string]*churnCost{}
	for _, s := range b.live() {
		cost := &churnCost{}
		for _, g := range s.grades[set.Name] {
			cost.recall = append(cost.recall, g.recall)
		}
		if err := b.wear(ctx, s, cost); err != nil {
			s.out = true
			if err := b.failed(ctx, s, caseChurn, err); err != nil {
				return err
			}
		}
		costs[s.name] = cost
	}
	if len(b.live()) == 0 {
		return nil
	}
	if err := b.gradeAll(ctx, caseChurn, set, t); err != nil {
		return err
	}
	return b.timeAll(ctx, caseChurn, set, func(s *store, i int, row *result.Row) {
		cost := costs[s.name]
		row.Params["fresh_recall"] = cost.recall[i]
		row.Params["fresh_index_bytes"] = cost.fresh.IndexBytes
		row.Params["fresh_table_bytes"] = cost.fresh.TableBytes
		row.Params["delete_seconds"], row.Params["vacuum_seconds"], row.Params["insert_seconds"] = cost.deleting, cost.vacuuming, cost.inserting
	})
}

// wear deletes, vacuums and inserts; the build that rows show afterwards is what
// all that cost.
func (b *bench) wear(ctx context.Context, s *store, cost *churnCost) error {
	if err := b.sizes(ctx, s, &cost.fresh); err != nil {
		return err
	}
	some := fmt.Sprintf(" FROM %s WHERE bucket < %d", s.table, bucketLimit(churnPercent))
	if err := s.admin.exec(ctx, "DROP TABLE IF EXISTS pg_temp.churned", "CREATE TEMP TABLE churned AS SELECT *"+some); err != nil {
		return err
	}
	before, err := b.walPosition(ctx)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		name, sql string
		seconds   *float64
	}{
		{"delete from", "DELETE" + some, &cost.deleting},
		{"vacuum", "VACUUM " + s.table, &cost.vacuuming},
		{"insert into", "INSERT INTO " + s.table + " SELECT * FROM churned", &cost.inserting},
	} {
		b.env.Progress.Step(step.name+" "+s.name, 0)
		watch := measure.Start()
		if err := s.admin.exec(ctx, step.sql); err != nil {
			return err
		}
		*step.seconds = watch.Seconds()
	}
	after, err := b.walPosition(ctx)
	if err != nil {
		return err
	}
	worn := &result.Build{Seconds: cost.deleting + cost.vacuuming + cost.inserting, WALBytes: after - before, Rows: int64(b.vectors.Len())}
	if err := b.sizes(ctx, s, worn); err != nil {
		return err
	}
	s.build = worn
	return s.admin.exec(ctx, "DROP TABLE churned", prewarm(s.table), prewarm(s.index()))
}
