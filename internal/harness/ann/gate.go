package ann

import (
	"context"
	"fmt"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/scenario"
)

// leastExact is the recall that exact search in SQL must have. The server sums
// distances in another order, so rows that differ in the last bits may change
// places.
const leastExact = 0.999

// gradeExact holds the truth and exact search in SQL against each other.
func (b *bench) gradeExact(ctx context.Context, s *session, set corpus.QuerySet, t *truth, n int, keep func(row int) bool) (grade, error) {
	g, err := b.grade(ctx, s, set, t, n, keep)
	if err != nil {
		return g, err
	}
	if g.recall < leastExact || g.full < 1 {
		return g, &scenario.EquivalenceError{Faults: []string{fmt.Sprintf(
			"exact search in SQL (%s) has recall %.4f and full counts %.4f against the exact neighbours of %s queries", s.sql, g.recall, g.full, set.Name)}}
	}
	return g, nil
}
