// Package exact answers graph queries by brute force over facts in memory. It
// is the oracle of the benchmark: slow, obvious and independent of every
// engine that it judges.
//
// Vocabulary and rules, which are those of the extension's graph functions:
//
//   - seeds: the rows nearest to the query by cosine distance, of every
//     relation unless a filter is asked for, then the distinct ids that one
//     side of these rows holds. The count limits rows, not ids.
//   - hop: all rows whose entity is among the ids at hand and whose relation
//     passes the hop's filter; their distinct targets are the ids of the next
//     hop. Cycles are allowed: nothing remembers what was visited.
//   - endpoint score: the distance of the last hop's row.
//   - path score: that distance plus, for every earlier hop, the smallest
//     summed distance of any way to reach the row's entity.
//   - order: score, entity, relation, target, all ascending. Distances are
//     computed in float64 from the stored float32 components.
//   - a row with a zero-norm embedding is expanded but never ranked: it is no
//     seed and no result, and no path score leads through it.
package exact

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"sortedheap/internal/corpus"
)

// AnyRelation as a filter lets every relation pass. It lies outside the range
// of relation ids.
const AnyRelation int32 = math.MinInt32

// Graph is an indexed set of facts. It is read-only and safe for concurrent
// use.
type Graph struct {
	rows     []corpus.Fact
	norms    []float64       // of each row's embedding; 0 is never ranked
	byEntity map[int32][]int // row numbers in key order
	dim      int
}

// Result is one ranked row: its number in the facts given to New, and its
// score.
type Result struct {
	Row   int
	Score float64
}

// ErrDimension is returned where a vector does not have the graph's dimension.
var ErrDimension = errors.New("different vector dimensions")

// New indexes rows of dim components each. It keeps the slice.
func New(rows []corpus.Fact, dim int) (*Graph, error) {
	g := &Graph{
		rows:     rows,
		norms:    make([]float64, len(rows)),
		byEntity: make(map[int32][]int),
		dim:      dim,
	}
	for i := range rows {
		self, err := g.vector(rows[i].Embedding)
		if err != nil {
			return nil, fmt.Errorf("index fact %d: %w", i, err)
		}
		g.norms[i] = self.norm
		g.byEntity[rows[i].Entity] = append(g.byEntity[rows[i].Entity], i)
	}
	for _, numbers := range g.byEntity {
		slices.SortFunc(numbers, g.compareKeys)
	}
	return g, nil
}

// Fact returns a row by its number.
func (g *Graph) Fact(row int) corpus.Fact { return g.rows[row] }

// Len returns the number of rows.
func (g *Graph) Len() int { return len(g.rows) }

// Seeds returns the k nearest rows whose relation passes the filter, best
// first.
func (g *Graph) Seeds(query []float32, k int, filter int32) ([]Result, error) {
	q, err := g.vector(query)
	if err != nil {
		return nil, fmt.Errorf("find seeds: %w", err)
	}
	all := make([]Result, 0, len(g.rows))
	for i := range g.rows {
		if passes(filter, g.rows[i].Relation) {
			all = append(all, Result{i, q.distance(g.rows[i].Embedding, g.norms[i])})
		}
	}
	return g.top(all, k), nil
}

// Entities returns the distinct entity ids of results, ascending.
func (g *Graph) Entities(results []Result) []int32 {
	return g.ids(results, func(f *corpus.Fact) int32 { return f.Entity })
}

// Targets returns the distinct target ids of results, ascending.
func (g *Graph) Targets(results []Result) []int32 {
	return g.ids(results, func(f *corpus.Fact) int32 { return f.Target })
}

func (g *Graph) ids(results []Result, of func(*corpus.Fact) int32) []int32 {
	out := make([]int32, len(results))
	for i, r := range results {
		out[i] = of(&g.rows[r.Row])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Expand returns the numbers of all rows that lead from ids through relations
// that pass the filter, in key order. Repeated ids count once.
func (g *Graph) Expand(ids []int32, filter int32) []int {
	distinct := slices.Clone(ids)
	slices.Sort(distinct)
	var out []int
	for _, id := range slices.Compact(distinct) {
		for _, row := range g.byEntity[id] {
			if passes(filter, g.rows[row].Relation) {
				out = append(out, row)
			}
		}
	}
	return out
}

// Rank returns the k rows nearest to the query among the given ones, best
// first.
func (g *Graph) Rank(query []float32, rows []int, k int) ([]Result, error) {
	q, err := g.vector(query)
	if err != nil {
		return nil, fmt.Errorf("rank rows: %w", err)
	}
	scored := make([]Result, len(rows))
	for i, row := range rows {
		scored[i] = Result{row, q.distance(g.rows[row].Embedding, g.norms[row])}
	}
	return g.top(scored, k), nil
}

// top returns the best k results that have a distance, in order; it may reuse
// the slice. A short list of the best so far spares the sort of all: of many
// results few ever enter it.
func (g *Graph) top(results []Result, k int) []Result {
	results = slices.DeleteFunc(results, func(r Result) bool { return math.IsNaN(r.Score) })
	if k <= 0 {
		return nil
	}
	if k >= len(results) {
		slices.SortFunc(results, g.compare)
		return results
	}
	best := make([]Result, 0, k+1)
	for _, r := range results {
		if len(best) == k && g.compare(r, best[k-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, r, g.compare)
		best = slices.Insert(best, at, r)
		best = best[:min(len(best), k)]
	}
	return best
}

// compare orders results by score, then key.
func (g *Graph) compare(a, b Result) int {
	if a.Score != b.Score {
		return cmp.Compare(a.Score, b.Score)
	}
	return g.compareKeys(a.Row, b.Row)
}

// compareKeys orders rows by entity, relation, target, then row number.
func (g *Graph) compareKeys(a, b int) int {
	x, y := &g.rows[a], &g.rows[b]
	return cmp.Or(
		cmp.Compare(x.Entity, y.Entity),
		cmp.Compare(x.Relation, y.Relation),
		cmp.Compare(x.Target, y.Target),
		cmp.Compare(a, b))
}

func passes(filter int32, relation int16) bool {
	return filter == AnyRelation || filter == int32(relation)
}
