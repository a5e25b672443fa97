package exact

import (
	"math"
	"slices"
)

// Quality counts how well answers match an answer key.
type Quality struct {
	Queries int   // with an answer key
	First   int   // whose answer is the first result
	Among   int   // whose answer is among the results
	Ranks   []int // of the answers that were found, 1 for the first result
}

// Count adds one query: the target ids of its results, best first, and the
// target id that answers it.
func (q *Quality) Count(targets []int32, answer int32) {
	q.Queries++
	rank := slices.Index(targets, answer) + 1
	if rank == 0 {
		return
	}
	q.Among++
	if rank == 1 {
		q.First++
	}
	q.Ranks = append(q.Ranks, rank)
}

// HitAt1 is the fraction of queries answered by the first result; NaN without
// queries.
func (q *Quality) HitAt1() float64 { return float64(q.First) / float64(q.Queries) }

// HitAtK is the fraction of queries answered by any result; NaN without
// queries.
func (q *Quality) HitAtK() float64 { return float64(q.Among) / float64(q.Queries) }

// Rank returns the given percentile, 0 to 100, of the answers' ranks (the first
// result has rank 1) by the nearest-rank rule, over the queries whose answer
// was found; 0 when none was.
func (q *Quality) Rank(percentile float64) int {
	if len(q.Ranks) == 0 {
		return 0
	}
	ranks := slices.Clone(q.Ranks)
	slices.Sort(ranks)
	at := int(math.Ceil(percentile / 100 * float64(len(ranks))))
	return ranks[min(max(at, 1), len(ranks))-1]
}

// targetsInOrder returns the target ids of results, best first.
func (g *Graph) targetsInOrder(results []Result) []int32 {
	out := make([]int32, len(results))
	for i, r := range results {
		out[i] = g.rows[r.Row].Target
	}
	return out
}

// Count adds one query answered by this graph.
func (g *Graph) Count(q *Quality, results []Result, answer int32) {
	q.Count(g.targetsInOrder(results), answer)
}
