package ccore

// #include "graph.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
)

// GraphOptions say how a Graph is built.
type GraphOptions struct {
	Metric         Metric
	Dim            int    // components of each row and query, 1 to 16,000
	M              int    // links a node keeps on a level, twice as many on level 0; 2 to 128
	EfConstruction int    // nodes kept while a new one looks for its place; at least 1
	Seed           uint64 // of the levels; the same seed and rows give the same graph
	Exact          bool   // walk over float32 instead of int8 codes
}

// Graph is an HNSW graph over rows in memory, built and walked by the core's
// own code. It is not safe for use by several goroutines at once.
type Graph struct {
	options GraphOptions
	rows    []float32
	handle  *C.CcoreGraph
}

// Walk is what a search cost: distances computed and lists of links read on
// the level of all nodes.
type Walk struct {
	Evaluated int
	Expanded  int
}

// insertedAtOnce bounds how late a build notices that its context has ended.
const insertedAtOnce = 256

// BuildGraph builds a graph in one thread over rows, a flat matrix that must
// not change while the graph is used. It is an error when a row has no distance
// (a zero norm under Cosine), when an option is out of its range, or when ctx
// ends first. The graph must be closed.
func BuildGraph(ctx context.Context, options GraphOptions, rows []float32) (*Graph, error) {
	if err := options.validate(rows); err != nil {
		return nil, err
	}
	nnodes := len(rows) / options.Dim
	shape := C.CcoreGraphShape{
		metric:  C.DistMetric(options.Metric),
		element: C.HNSW_INT8,
		dim:     C.uint32_t(options.Dim),
		nnodes:  C.uint32_t(nnodes),
		seed:    C.uint64_t(options.Seed),
		params: C.HnswParams{
			m:               C.uint32_t(options.M),
			ef_construction: C.uint32_t(options.EfConstruction),
		},
	}
	if options.Exact {
		shape.element = C.HNSW_FLOAT32
	}
	var refused C.uint32_t
	handle := C.ccore_graph_new(shape, floats(rows), &refused)
	if handle == nil {
		return nil, errors.New("not enough memory for the graph")
	}
	graph := &Graph{options: options, rows: rows, handle: handle}
	if int(refused) < nnodes {
		graph.Close()
		return nil, fmt.Errorf("row %d has no %v distance", int(refused), options.Metric)
	}
	if err := graph.build(ctx, nnodes); err != nil {
		graph.Close()
		return nil, err
	}
	return graph, nil
}

func (g *Graph) build(ctx context.Context, nnodes int) error {
	for first := 0; first < nnodes; first += insertedAtOnce {
		if ctx.Err() != nil {
			return fmt.Errorf("build graph: %w", context.Cause(ctx))
		}
		last := min(first+insertedAtOnce, nnodes)
		status := C.ccore_graph_insert(g.handle, C.uint32_t(first), C.uint32_t(last))
		if err := statusError(status); err != nil {
			return fmt.Errorf("insert nodes %d to %d: %w", first, last-1, err)
		}
	}
	if err := statusError(C.ccore_graph_finish(g.handle)); err != nil {
		return fmt.Errorf("finish graph: %w", err)
	}
	return nil
}

// Search returns the k nearest rows, nearest first, among the ef that a walk
// finds; their distances are exact. ef and k are at least 1. A query without a
// distance (a zero norm under Cosine) has no neighbours.
func (g *Graph) Search(query []float32, ef, k int) ([]Neighbor, Walk, error) {
	if len(query) != g.options.Dim {
		return nil, Walk{}, fmt.Errorf("query has %d components, not %d", len(query), g.options.Dim)
	}
	if ef < 1 || ef > math.MaxInt32 || k < 1 || k > math.MaxInt32 {
		return nil, Walk{}, fmt.Errorf("ef is %d and k is %d, want 1 to %d", ef, k, math.MaxInt32)
	}
	if i := firstNotFinite(query); i >= 0 {
		return nil, Walk{}, fmt.Errorf("query component %d is %v", i, query[i])
	}
	items := make([]C.TopkItem, k)
	var count C.uint32_t
	var walk C.CcoreWalk
	status := C.ccore_graph_search(g.handle, floats(g.rows), floats(query),
		C.uint32_t(ef), C.uint32_t(k), &items[0], &count, &walk)
	runtime.KeepAlive(g)
	if err := statusError(status); err != nil {
		return nil, Walk{}, fmt.Errorf("walk graph: %w", err)
	}
	neighbors := make([]Neighbor, count)
	for i := range neighbors {
		neighbors[i] = Neighbor{Row: int(items[i].ref), Distance: float64(items[i].dist)}
	}
	return neighbors, Walk{int(walk.evaluated), int(walk.expanded)}, nil
}

// Faults returns how many violations of the graph's invariants the core's
// checker finds.
func (g *Graph) Faults() (int, error) {
	n := C.ccore_graph_faults(g.handle)
	if n < 0 {
		return 0, errors.New("not enough memory to check the graph")
	}
	return int(n), nil
}

// Close frees the graph, which must not be used any more.
func (g *Graph) Close() {
	C.ccore_graph_free(g.handle)
	g.handle = nil
}

func (o GraphOptions) validate(rows []float32) error {
	var errs []error
	if err := o.Metric.validate(); err != nil {
		errs = append(errs, err)
	}
	if o.M < C.HNSW_MIN_M || o.M > C.HNSW_MAX_M {
		errs = append(errs, fmt.Errorf("m is %d, want %d to %d", o.M, C.HNSW_MIN_M, C.HNSW_MAX_M))
	}
	if o.EfConstruction < 1 || o.EfConstruction > math.MaxInt32 {
		errs = append(errs, fmt.Errorf("ef_construction is %d, want 1 to %d", o.EfConstruction, math.MaxInt32))
	}
	switch {
	case o.Dim < 1 || o.Dim > maxGraphDim:
		errs = append(errs, fmt.Errorf("dimension is %d, want 1 to %d", o.Dim, maxGraphDim))
	case len(rows) == 0 || len(rows)%o.Dim != 0:
		errs = append(errs, fmt.Errorf("matrix has %d components, want a positive multiple of %d", len(rows), o.Dim))
	default:
		if i := firstNotFinite(rows); i >= 0 {
			errs = append(errs, fmt.Errorf("row %d component %d is %v", i/o.Dim, i%o.Dim, rows[i]))
		}
	}
	return errors.Join(errs...)
}

// maxGraphDim is the extension's limit of an svec.
const maxGraphDim = 16000

func statusError(status C.CoreStatus) error {
	switch status {
	case C.CORE_OK:
		return nil
	case C.CORE_NO_MEMORY:
		return errors.New("not enough memory")
	case C.CORE_TOO_LARGE:
		return errors.New("too large")
	default:
		return fmt.Errorf("core status %d", int(status))
	}
}
