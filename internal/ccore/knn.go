package ccore

// #include "knn.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"
)

// Neighbor is a row of the matrix and its distance to the query.
type Neighbor struct {
	Row      int // from 0
	Distance float64
}

// KNN is an exact search: the distance to every row is computed.
type KNN struct {
	Metric Metric
	Dim    int // components of each row and query, at least 1
	K      int // neighbours wanted per query, at least 1

	// Progress, when set, hears how many of the queries are done. Calls do not
	// overlap and done never falls; the last one has done == total.
	Progress func(done, total int)
}

const (
	// blockBytes of rows stay in a core's own cache while queries pass over them.
	blockBytes = 128 << 10
	// groupQueries share one pass over the rows; more help little.
	groupQueries = 32
)

// Search returns for each query its k nearest rows, nearest first, equal
// distances by row number; fewer when the matrix has fewer rows. Rows and
// queries are flat matrices, Dim components after each other. Pairs without a
// distance (a zero norm under Cosine) are left out.
//
// It runs on GOMAXPROCS threads. It is an error when a matrix is no multiple of
// Dim, when a component is NaN or infinite, or when ctx ends first.
func (s KNN) Search(ctx context.Context, rows, queries []float32) ([][]Neighbor, error) {
	if err := s.validate(rows, queries); err != nil {
		return nil, err
	}
	run := newKNNRun(s, rows, queries)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), run.groups()) {
		workers.Go(func() { run.work(ctx) })
	}
	workers.Wait()
	if run.done < run.nqueries {
		return nil, fmt.Errorf("search nearest rows: %w", context.Cause(ctx))
	}
	return run.results, nil
}

func (s KNN) validate(rows, queries []float32) error {
	var errs []error
	if err := s.Metric.validate(); err != nil {
		errs = append(errs, err)
	}
	if s.K < 1 || s.K > math.MaxInt32 {
		errs = append(errs, fmt.Errorf("k is %d, want 1 to %d", s.K, math.MaxInt32))
	}
	if s.Dim < 1 || s.Dim > maxDim {
		errs = append(errs, fmt.Errorf("dimension is %d, want 1 to %d", s.Dim, maxDim))
		return errors.Join(errs...)
	}
	for _, m := range []struct {
		name   string
		values []float32
	}{{"row", rows}, {"query", queries}} {
		if len(m.values)%s.Dim != 0 {
			errs = append(errs, fmt.Errorf("%s matrix has %d components, not a multiple of %d",
				m.name, len(m.values), s.Dim))
		} else if i := firstNotFinite(m.values); i >= 0 {
			errs = append(errs, fmt.Errorf("%s %d component %d is %v",
				m.name, i/s.Dim, i%s.Dim, m.values[i]))
		}
	}
	return errors.Join(errs...)
}

// knnRun is one search. Workers take groups of queries until none is left.
type knnRun struct {
	KNN
	rows, queries  []float32
	nrows          int
	nqueries       int
	k              int // K, or the number of rows when that is less
	queriesInGroup int
	results        [][]Neighbor

	mu   sync.Mutex
	next int // first query that no worker has taken
	done int // queries with a result
}

func newKNNRun(s KNN, rows, queries []float32) *knnRun {
	run := &knnRun{
		KNN: s, rows: rows, queries: queries,
		nrows: len(rows) / s.Dim, nqueries: len(queries) / s.Dim,
	}
	run.k = min(s.K, run.nrows)
	// Small enough that all threads get work, also for the last group.
	share := run.nqueries / (4 * runtime.GOMAXPROCS(0))
	run.queriesInGroup = max(1, min(groupQueries, share))
	run.results = make([][]Neighbor, run.nqueries)
	return run
}

func (r *knnRun) groups() int {
	return (r.nqueries + r.queriesInGroup - 1) / r.queriesInGroup
}

// take returns the next queries [first, end), or ok = false when all are taken.
func (r *knnRun) take() (first, end int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = r.next
	end = min(first+r.queriesInGroup, r.nqueries)
	r.next = end
	return first, end, first < end
}

func (r *knnRun) finish(queries int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += queries
	if r.Progress != nil {
		r.Progress(r.done, r.nqueries)
	}
}

func (r *knnRun) work(ctx context.Context) {
	for {
		first, end, ok := r.take()
		if !ok || !r.searchGroup(ctx, first, end) {
			return
		}
		r.finish(end - first)
	}
}

// searchGroup passes the queries [first, end) over all rows, block by block. It
// returns false when ctx ended first.
func (r *knnRun) searchGroup(ctx context.Context, first, end int) bool {
	items := make([]C.TopkItem, (end-first)*r.k)
	counts := make([]C.uint32_t, end-first)
	step := max(1, blockBytes/(4*r.Dim))
	for row := 0; row < r.nrows; row += step {
		if ctx.Err() != nil {
			return false
		}
		block := C.KnnBlock{
			metric:   C.DistMetric(r.Metric),
			dim:      C.uint32_t(r.Dim),
			k:        C.uint32_t(r.k),
			nqueries: C.uint32_t(end - first),
			first:    C.uint64_t(row),
			nrows:    C.uint64_t(min(step, r.nrows-row)),
		}
		C.knn_offer(block, floats(r.queries[first*r.Dim:]), floats(r.rows[row*r.Dim:]),
			unsafe.SliceData(items), unsafe.SliceData(counts))
	}
	for i, count := range counts {
		r.results[first+i] = neighbors(items[i*r.k : i*r.k+int(count)])
	}
	return true
}

// neighbors puts one query's heap in order; items may be empty.
func neighbors(items []C.TopkItem) []Neighbor {
	C.knn_sort(unsafe.SliceData(items), C.uint32_t(len(items)))
	result := make([]Neighbor, len(items))
	for i, item := range items {
		result[i] = Neighbor{Row: int(item.ref), Distance: float64(item.dist)}
	}
	return result
}
