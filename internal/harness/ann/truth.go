package ann

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"sortedheap/internal/ccore"
	"sortedheap/internal/corpus"
)

// truth is what a perfect answer to each query of a set looks like.
type truth struct {
	wanted []int     // rows of each answer: the k asked for, or as many as pass the filter
	limits []float64 // distance of the last of them
}

var metrics = map[string]ccore.Metric{"cosine": ccore.Cosine, "l2": ccore.L2, "ip": ccore.InnerProduct, "l1": ccore.L1}

// roundHalves makes the vectors what a half-precision column holds. Truth that
// came along stays where nothing changes.
func roundHalves(v *corpus.Vectors) {
	changed := rounded(v.Rows)
	for i := range v.Queries {
		if rounded(v.Queries[i].Vectors) || changed {
			v.Queries[i].Nearest = nil
		}
	}
}

func rounded(values []float32) (changed bool) {
	const chunk = 1 << 16
	for part := range slices.Chunk(values, chunk) {
		halves := ccore.FloatsFromHalves(ccore.HalvesFromFloats(part))
		changed = changed || !slices.Equal(part, halves)
		copy(part, halves)
	}
	return changed
}

// ofCorpus takes the neighbours that came with the queries; nil when there are
// none, or too few, or of another metric.
func (b *bench) ofCorpus(set corpus.QuerySet) (*truth, error) {
	if b.params.Metric != "cosine" || len(set.Nearest) == 0 || len(set.Nearest[0]) < b.params.TopK {
		return nil, nil
	}
	t := &truth{}
	for q, nearest := range set.Nearest {
		d, err := b.distance(b.query(set, q), nearest[b.params.TopK-1])
		if err != nil {
			return nil, err
		}
		t.wanted = append(t.wanted, b.params.TopK)
		t.limits = append(t.limits, d)
	}
	return t, nil
}

// truthRows is how many rows are gathered at a time where a filter leaves holes.
const truthRows = 1 << 15

// exactly searches all rows that keep lets through; nil lets all.
func (b *bench) exactly(ctx context.Context, set corpus.QuerySet, keep func(row int) bool) (*truth, error) {
	b.env.Progress.Step("exact neighbours of "+set.Name, b.vectors.Len())
	k, n := b.params.TopK, b.queries(set)
	best := make([][]float64, n)
	batch := make([]float32, 0, min(truthRows, b.vectors.Len())*b.vectors.Dim)
	for first := 0; first < b.vectors.Len(); first += truthRows {
		last := min(first+truthRows, b.vectors.Len())
		rows := b.vectors.Rows[first*b.vectors.Dim : last*b.vectors.Dim]
		if keep != nil {
			batch = batch[:0]
			for i := first; i < last; i++ {
				if keep(i) {
					batch = append(batch, b.vectors.Row(i)...)
				}
			}
			rows = batch
		}
		found, err := ccore.KNN{Metric: metrics[b.params.Metric], Dim: b.vectors.Dim, K: k}.Search(ctx, rows, set.Vectors)
		if err != nil {
			return nil, fmt.Errorf("exact neighbours of %s queries: %w", set.Name, err)
		}
		for q, neighbours := range found {
			for _, nb := range neighbours {
				best[q] = append(best[q], nb.Distance)
			}
			slices.Sort(best[q])
			best[q] = best[q][:min(k, len(best[q]))]
		}
		b.env.Progress.Done(last)
	}
	t := &truth{wanted: make([]int, n), limits: make([]float64, n)}
	for q, distances := range best {
		t.wanted[q], t.limits[q] = len(distances), math.Inf(-1)
		if len(distances) > 0 {
			t.limits[q] = distances[len(distances)-1]
		}
	}
	return t, nil
}

func (b *bench) queries(set corpus.QuerySet) int { return len(set.Vectors) / b.vectors.Dim }

func (b *bench) query(set corpus.QuerySet, q int) []float32 {
	return set.Vectors[q*b.vectors.Dim : (q+1)*b.vectors.Dim]
}

func (b *bench) distance(query []float32, row int32) (float64, error) {
	d, err := ccore.Distance(metrics[b.params.Metric], query, b.vectors.Row(int(row)))
	if err != nil {
		return 0, fmt.Errorf("distance to row %d: %w", row, err)
	}
	return d, nil
}

// grade is what the answers of an engine are worth.
type grade struct {
	recall float64 // mean over the queries of the share of rows that are near enough
	full   float64 // share of queries with as many rows as there are to get
}

// grade asks the first n queries of a set. A row that is not there, or that keep
// does not let through, is an error: no speed makes up for it.
func (b *bench) grade(ctx context.Context, s asker, set corpus.QuerySet, t *truth, n int, keep func(row int) bool) (grade, error) {
	var g grade
	for q := range n {
		query := b.query(set, q)
		ids, err := s.search(ctx, query)
		if err != nil {
			return g, err
		}
		if len(ids) >= t.wanted[q] {
			g.full++
		}
		slices.SortFunc(ids, cmp.Compare[int32])
		near := 0
		for _, id := range slices.Compact(ids) {
			if id < 0 || int(id) >= b.vectors.Len() || keep != nil && !keep(int(id)) {
				return g, &wrongRowError{set: set.Name, query: q, row: id}
			}
			d, err := b.distance(query, id)
			if err != nil {
				return g, err
			}
			if d <= t.limits[q]+tolerance*max(1, math.Abs(t.limits[q])) {
				near++
			}
		}
		if t.wanted[q] > 0 {
			g.recall += float64(min(near, t.wanted[q])) / float64(t.wanted[q])
		} else {
			g.recall++
		}
	}
	g.recall, g.full = g.recall/float64(n), g.full/float64(n)
	return g, nil
}

// tolerance covers the rounding of distances in single precision.
const tolerance = 1e-6

// wrongRowError is an answer that no search may give.
type wrongRowError struct {
	set   string
	query int
	row   int32
}

func (e *wrongRowError) Error() string {
	return fmt.Sprintf("the answer to %s query %d has row %d, which is not there or does not pass the filter", e.set, e.query, e.row)
}
