// Package memory is the exact twin of the engines: brute force over facts in
// memory. It is the oracle that the others are judged by, never a contestant.
package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"sortedheap/internal/corpus"
	"sortedheap/internal/corpus/exact"
	"sortedheap/internal/harness/engine"
)

// Name is the engine's name.
const Name = "memory"

// Engine answers tasks by exhaustive search.
type Engine struct {
	graph *exact.Graph
	seeds map[seedKey][]exact.Result
}

// seedKey names a seed search that was done. Questions are told apart by where
// their embedding lies, which must not change while the engine is loaded.
type seedKey struct {
	embedding *float32
	k         int
}

var _ engine.Engine = (*Engine)(nil)

// New returns an empty engine.
func New() *Engine { return &Engine{} }

// Name implements engine.Engine.
func (*Engine) Name() string { return Name }

// Capabilities implements engine.Engine. Every form means the same here.
func (*Engine) Capabilities() engine.Capabilities {
	return engine.Capabilities{
		Forms: []engine.Form{engine.FormIn, engine.FormJoin, engine.FormExpand,
			engine.FormTopK, engine.FormFused, engine.FormOneCall},
		Seedings: []engine.Seeding{engine.SeedSearch, engine.SeedExact, engine.SeedGiven},
		MaxHops:  math.MaxInt,
	}
}

// Open implements engine.Engine.
func (*Engine) Open(context.Context) error { return nil }

// Version implements engine.Engine.
func (*Engine) Version() string { return "exact" }

// Close implements engine.Engine.
func (e *Engine) Close(context.Context) error {
	e.graph, e.seeds = nil, nil
	return nil
}

// Load implements engine.Engine. It reports no sizes: nothing is stored.
func (e *Engine) Load(ctx context.Context, src corpus.Source) (engine.Build, error) {
	facts, held := src.(*corpus.Facts)
	if !held {
		var err error
		if facts, err = corpus.Collect(ctx, src); err != nil {
			return engine.Build{}, fmt.Errorf("load %s into memory: %w", src.Info().Name, err)
		}
	}
	graph, err := exact.New(facts.Rows, facts.Dim)
	if err != nil {
		return engine.Build{}, fmt.Errorf("load %s into memory: %w", facts.Name, err)
	}
	e.graph, e.seeds = graph, map[seedKey][]exact.Result{}
	return engine.Build{Rows: int64(graph.Len())}, nil
}

// Ask implements engine.Engine.
func (e *Engine) Ask(ctx context.Context, t engine.Task, q engine.Question) ([]engine.Row, error) {
	if e.graph == nil {
		return nil, errors.New("ask memory: nothing is loaded")
	}
	if err := errors.Join(ctx.Err(), t.Validate()); err != nil {
		return nil, fmt.Errorf("ask memory: %w", err)
	}
	if reason := e.Capabilities().Refuses(t); reason != "" {
		return nil, fmt.Errorf("ask memory: %s", reason)
	}
	results, err := e.answer(t, q)
	if err != nil {
		return nil, fmt.Errorf("ask memory: %w", err)
	}
	rows := make([]engine.Row, len(results))
	for i, r := range results {
		f := e.graph.Fact(r.Row)
		rows[i] = engine.Row{Entity: f.Entity, Relation: f.Relation, Target: f.Target, Payload: f.Payload, Distance: r.Score}
	}
	return rows, nil
}

func (e *Engine) answer(t engine.Task, q engine.Question) ([]exact.Result, error) {
	seeds := t.GivenSeeds(q)
	if t.Seeding != engine.SeedGiven {
		nearest, err := e.nearest(q.Embedding, t.AnnK)
		if err != nil || len(t.Hops) == 0 {
			return nearest, err
		}
		seeds = e.graph.Entities(nearest)
		if t.SeedBy == engine.SeedByTarget {
			seeds = e.graph.Targets(nearest)
		}
	}
	hops, err := t.Filters(q)
	if err != nil {
		return nil, err
	}
	if t.Score == engine.ScoreNone {
		return e.expand(seeds, hops), nil
	}
	score := exact.Endpoint
	if t.Score == engine.ScorePath {
		score = exact.Path
	}
	filters := make([]int32, len(hops))
	for i, h := range hops {
		filters[i] = filter(h)
	}
	return e.graph.Hops(q.Embedding, seeds, filters, score, t.TopK)
}

// filter is a task's relation filter in the words of the exact search.
func filter(hop int16) int32 {
	if hop == engine.AnyRelation {
		return exact.AnyRelation
	}
	return int32(hop)
}

// nearest searches once per question and k: many tasks start from it.
func (e *Engine) nearest(embedding []float32, k int) ([]exact.Result, error) {
	key := seedKey{unsafe.SliceData(embedding), k}
	if known, ok := e.seeds[key]; ok {
		return known, nil
	}
	found, err := e.graph.Seeds(embedding, k, exact.AnyRelation)
	if err == nil {
		e.seeds[key] = slices.Clone(found)
	}
	return found, err
}

// expand walks the hops without ranking.
func (e *Engine) expand(ids []int32, hops []int16) []exact.Result {
	var results []exact.Result
	for _, hop := range hops {
		results = results[:0]
		for _, row := range e.graph.Expand(slices.Clone(ids), filter(hop)) {
			results = append(results, exact.Result{Row: row})
		}
		ids = e.graph.Targets(results)
	}
	return results
}
